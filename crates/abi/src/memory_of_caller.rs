//! Reads and writes memory that the caller owns.

use crate::error::Failure;

/// The bytes at `data`.
///
/// # Safety
/// If `data` is not null, `length` bytes at it are readable and do not change during the call.
pub(crate) unsafe fn bytes<'c>(data: *const u8, length: usize, name: &str) -> Result<&'c [u8], Failure> {
    // SAFETY: the caller promises it, and a byte needs no alignment.
    unsafe { items(data, length, name) }
}

/// The text at `data`.
///
/// # Safety
/// As for [`bytes`].
pub(crate) unsafe fn text<'c>(data: *const u8, length: usize, name: &str) -> Result<&'c str, Failure> {
    // SAFETY: the caller promises it.
    let bytes = unsafe { bytes(data, length, name) }?;
    std::str::from_utf8(bytes).map_err(|_| Failure::argument(format!("{name}: expected UTF-8")))
}

/// The items at `data`.
///
/// # Safety
/// If `data` is not null, `count` items at it are readable and do not change during the call.
pub(crate) unsafe fn items<'c, T>(data: *const T, count: usize, name: &str) -> Result<&'c [T], Failure> {
    if count == 0 {
        return Ok(&[]);
    }
    check(data, count, name)?;
    // SAFETY: the pointer is neither null nor misaligned, and the length is one that a slice may have. The caller promises
    // the rest.
    Ok(unsafe { std::slice::from_raw_parts(data, count) })
}

/// The place for `count` items at `data`. It may be uninitialized.
///
/// # Safety
/// If `data` is not null, the place for `count` items at it is not used otherwise during the call.
pub(crate) unsafe fn place<'c, T: Copy>(
    data: *mut T,
    count: usize,
    name: &str,
) -> Result<&'c mut [std::mem::MaybeUninit<T>], Failure> {
    if count == 0 {
        return Ok(&mut []);
    }
    check(data, count, name)?;
    // SAFETY: as in `items`; uninitialized items may hold anything.
    Ok(unsafe { std::slice::from_raw_parts_mut(data.cast(), count) })
}

/// Something that this library returned before.
///
/// # Safety
/// `data` is null, or the library returned it, and it was not freed.
pub(crate) unsafe fn shared<'c, T>(data: *const T, name: &str) -> Result<&'c T, Failure> {
    check(data, 1, name)?;
    // SAFETY: the caller promises it.
    Ok(unsafe { &*data })
}

/// Gives `value` to the caller, through the pointer at `out`.
///
/// # Safety
/// If `out` is not null, a pointer can be written to it.
pub(crate) unsafe fn give<T>(out: *mut *mut T, value: T) -> Result<(), Failure> {
    check(out, 1, "out")?;
    // SAFETY: the pointer is neither null nor misaligned. The caller promises the rest.
    unsafe { out.write(Box::into_raw(Box::new(value))) };
    Ok(())
}

/// Frees what [`give`] gave.
///
/// # Safety
/// `data` is null, or `give` gave it, and it is no longer used.
pub(crate) unsafe fn free<T>(data: *mut T) {
    if !data.is_null() {
        // SAFETY: the caller promises it.
        drop(unsafe { Box::from_raw(data) });
    }
}

fn check<T>(data: *const T, count: usize, name: &str) -> Result<(), Failure> {
    if data.is_null() {
        return Err(Failure::null(name));
    }
    if !data.is_aligned() {
        return Err(Failure::argument(format!("{name}: expected an aligned pointer")));
    }
    let bytes = count.checked_mul(size_of::<T>()).filter(|&bytes| isize::try_from(bytes).is_ok());
    match bytes {
        Some(_) => Ok(()),
        None => {
            Err(Failure::argument(format!("{name}: expected a length that fits into memory, found {count}")))
        }
    }
}
