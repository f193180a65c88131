//! All integration tests of this crate, in one binary.

mod brute_force;
mod compare;
mod decompile;
mod drawing;
mod hostile;
mod steps;
