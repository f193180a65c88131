//! The C interface of robomata. `include/robomata.h` is generated from it; the WebAssembly module has the same functions.
//!
//! # Conventions
//!
//! - A text is a pointer and a length in bytes. It needs no NUL at the end. The pointer of an empty text may be null.
//! - A function that can fail returns [`ROBOMATA_OK`] or a negative code. After a failure, it has written to none of its
//!   outputs, and [`robomata_last_error`] gives the reason. No panic crosses the interface.
//! - What a function returns through a pointer to a pointer belongs to the caller, who frees it with the function named
//!   after its type. A null pointer may be freed. Nothing else has to be freed.
//! - Threads may share everything until it is freed. The last error belongs to a thread.
//! - Pointers must be valid: the library refuses null and misaligned pointers, and lengths that no text has, but it cannot
//!   see whether a pointer leads to memory.
//!
//! A URL is allowed only if its verdict is [`ROBOMATA_ALLOW`]. All bytes of a verdict that is not filled in are zero, which
//! is [`ROBOMATA_INVALID`].
//!
//! Numbers that exist keep their meaning. [`ROBOMATA_ABI_VERSION`] grows when a program that was compiled with an older
//! header would no longer work.

#[cfg(feature = "bundles")]
mod bundle;
mod check;
#[cfg(feature = "bundles")]
mod cores;
mod error;
#[cfg(feature = "explain")]
mod json;
#[cfg(target_family = "wasm")]
mod memory;
mod memory_of_caller;
mod parse;
#[cfg(feature = "standing")]
mod standing;

#[cfg(feature = "bundles")]
pub use bundle::*;
pub use check::*;
pub use error::*;
#[cfg(feature = "explain")]
pub use json::*;
#[cfg(target_family = "wasm")]
pub use memory::*;
pub use parse::*;

/// The version of the interface.
pub const ROBOMATA_ABI_VERSION: u32 = 1;

/// The version of the interface that the library has. A program compares it with `ROBOMATA_ABI_VERSION`, with which it was
/// compiled.
#[unsafe(no_mangle)]
pub extern "C" fn robomata_abi_version() -> u32 {
    ROBOMATA_ABI_VERSION
}
