//! Failures, as codes and texts.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The call succeeded.
pub const ROBOMATA_OK: i32 = 0;
/// A pointer is null that must not be.
pub const ROBOMATA_ERROR_NULL: i32 = -1;
/// An argument is not what the function expects.
pub const ROBOMATA_ERROR_ARGUMENT: i32 = -2;
/// A text names no crawler, or the policies were not compiled for it.
pub const ROBOMATA_ERROR_AGENT: i32 = -3;
/// A file cannot be read, or is not what its name promises.
pub const ROBOMATA_ERROR_FILE: i32 = -4;
/// There is a mistake in the library. Please report it.
pub const ROBOMATA_ERROR_INTERNAL: i32 = -5;

/// Why a call fails.
#[derive(Debug)]
pub(crate) struct Failure {
    code: i32,
    message: String,
}

impl Failure {
    pub(crate) fn null(name: &str) -> Self {
        Failure { code: ROBOMATA_ERROR_NULL, message: format!("{name}: expected a pointer, found null") }
    }

    pub(crate) fn argument(message: String) -> Self {
        Failure { code: ROBOMATA_ERROR_ARGUMENT, message }
    }

    #[cfg(any(feature = "bundles", feature = "explain"))]
    pub(crate) fn internal(message: String) -> Self {
        Failure { code: ROBOMATA_ERROR_INTERNAL, message }
    }
}

impl From<&robomata::AgentError> for Failure {
    fn from(error: &robomata::AgentError) -> Self {
        Failure { code: ROBOMATA_ERROR_AGENT, message: error.to_string() }
    }
}

impl From<robomata::Error> for Failure {
    fn from(error: robomata::Error) -> Self {
        let code = match error {
            robomata::Error::Agent(_) | robomata::Error::UnsupportedAgent { .. } => ROBOMATA_ERROR_AGENT,
            robomata::Error::NotText { .. }
            | robomata::Error::Content { .. }
            | robomata::Error::Time { .. } => ROBOMATA_ERROR_ARGUMENT,
            _ => ROBOMATA_ERROR_FILE,
        };
        Failure { code, message: error.to_string() }
    }
}

thread_local! {
    static LAST_ERROR: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs a function of the interface: remembers why it failed, and stops panics.
pub(crate) fn guarded(run: impl FnOnce() -> Result<(), Failure>) -> i32 {
    // Nothing that a panic leaves behind is used again: what is shared is immutable, or behind a lock that a panic poisons.
    let failure = match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(())) => return ROBOMATA_OK,
        Ok(Err(failure)) => failure,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic");
            Failure {
                code: ROBOMATA_ERROR_INTERNAL,
                message: format!("a mistake in robomata, please report it: {text}"),
            }
        }
    };
    // A thread that ends may have no place for it any more.
    let _ = LAST_ERROR.try_with(|last| last.replace(failure.message));
    failure.code
}

/// Writes the reason for the last failure on this thread: the address of a text in UTF-8, and its length. The text is empty
/// if nothing has failed. It is valid until another call fails on this thread, or the thread ends.
///
/// # Safety
/// `text` and `length` are null, or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomata_last_error(text: *mut *const u8, length: *mut usize) {
    let write = |last: &str| {
        if !text.is_null() && text.is_aligned() {
            // SAFETY: the pointer is neither null nor misaligned. The caller promises the rest.
            unsafe { text.write(last.as_ptr()) };
        }
        if !length.is_null() && length.is_aligned() {
            // SAFETY: as above.
            unsafe { length.write(last.len()) };
        }
    };
    if LAST_ERROR.try_with(|last| write(&last.borrow())).is_err() {
        write("");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_become_errors() {
        let code = guarded(|| panic!("number {}", 7));
        assert_eq!(code, ROBOMATA_ERROR_INTERNAL);
        let (mut text, mut length) = (std::ptr::null(), 0);
        // SAFETY: both can be written, and the text is read before another call.
        let message = unsafe {
            robomata_last_error(&raw mut text, &raw mut length);
            std::str::from_utf8(std::slice::from_raw_parts(text, length)).unwrap()
        };
        assert_eq!(message, "a mistake in robomata, please report it: number 7");
    }
}
