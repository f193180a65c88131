//! All integration tests of this crate, in one binary.

mod blocks;
mod conformance;
mod corpus;
mod decompile;
mod export;
mod extras;
mod fuzz;
mod groups;
mod idle;
mod lifecycle;
mod mutants;
mod night;
mod permissions;
mod planted;
mod refresh;
mod score;
mod usages;
