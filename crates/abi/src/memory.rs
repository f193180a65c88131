//! Memory for the texts of a WebAssembly module's host, which has no other way to get some.

use std::alloc::{Layout, alloc, dealloc};

fn layout(length: usize) -> Option<Layout> {
    // Offsets and verdicts are aligned to four bytes.
    Layout::from_size_align(length.max(1), 8).ok()
}

/// Allocates `length` bytes, aligned to eight; null if there is no memory.
#[unsafe(no_mangle)]
pub extern "C" fn robomata_allocate(length: usize) -> *mut u8 {
    // SAFETY: the size is not zero.
    layout(length).map_or(std::ptr::null_mut(), |layout| unsafe { alloc(layout) })
}

/// Frees what `robomata_allocate` returned for `length`.
///
/// # Safety
/// `data` is null, or was returned by `robomata_allocate` for the same length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomata_deallocate(data: *mut u8, length: usize) {
    if let Some(layout) = layout(length).filter(|_| !data.is_null()) {
        // SAFETY: the caller promises it.
        unsafe { dealloc(data, layout) }
    }
}
