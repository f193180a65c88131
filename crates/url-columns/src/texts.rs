//! Columns of texts and of ports.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ByteArrayType, ByteViewType, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, BinaryArray, BinaryViewArray, GenericByteArray, GenericByteViewArray, LargeBinaryArray,
    LargeStringArray, PrimitiveArray, StringArray, StringViewArray,
};
use arrow_schema::DataType;

use crate::ColumnError;

/// A column of text in any of Arrow's layouts. The layout is matched for every row. That costs little compared with a
/// check, and avoids a copy of the engine for each combination of layouts.
#[derive(Clone, Debug)]
pub(crate) enum Texts {
    /// A column of nulls.
    None(usize),
    Utf8(StringArray),
    LargeUtf8(LargeStringArray),
    Utf8View(StringViewArray),
    Binary(BinaryArray),
    LargeBinary(LargeBinaryArray),
    BinaryView(BinaryViewArray),
}

impl Texts {
    pub(crate) fn new(column: &'static str, array: &dyn Array) -> Result<Self, ColumnError> {
        Ok(match array.data_type() {
            DataType::Null => Texts::None(array.len()),
            DataType::Utf8 => Texts::Utf8(array.as_string().clone()),
            DataType::LargeUtf8 => Texts::LargeUtf8(array.as_string().clone()),
            DataType::Utf8View => Texts::Utf8View(array.as_string_view().clone()),
            DataType::Binary => Texts::Binary(array.as_binary().clone()),
            DataType::LargeBinary => Texts::LargeBinary(array.as_binary().clone()),
            DataType::BinaryView => Texts::BinaryView(array.as_binary_view().clone()),
            other => {
                let expected = "text (Utf8, LargeUtf8, Utf8View) or bytes (Binary, LargeBinary, BinaryView)";
                return Err(ColumnError { column, expected, found: other.to_string() });
            }
        })
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Texts::None(len) => *len,
            Texts::Utf8(array) => array.len(),
            Texts::LargeUtf8(array) => array.len(),
            Texts::Utf8View(array) => array.len(),
            Texts::Binary(array) => array.len(),
            Texts::LargeBinary(array) => array.len(),
            Texts::BinaryView(array) => array.len(),
        }
    }

    /// The text of a row; none if it is null.
    #[inline]
    pub(crate) fn at(&self, row: usize) -> Option<&[u8]> {
        match self {
            Texts::None(_) => None,
            Texts::Utf8(array) => bytes(array, row),
            Texts::LargeUtf8(array) => bytes(array, row),
            Texts::Utf8View(array) => view(array, row),
            Texts::Binary(array) => bytes(array, row),
            Texts::LargeBinary(array) => bytes(array, row),
            Texts::BinaryView(array) => view(array, row),
        }
    }
}

#[inline]
fn bytes<T: ByteArrayType>(array: &GenericByteArray<T>, row: usize) -> Option<&[u8]>
where
    T::Native: AsRef<[u8]>,
{
    array.is_valid(row).then(|| array.value(row).as_ref())
}

#[inline]
fn view<T: ByteViewType>(array: &GenericByteViewArray<T>, row: usize) -> Option<&[u8]>
where
    T::Native: AsRef<[u8]>,
{
    array.is_valid(row).then(|| array.value(row).as_ref())
}

/// A column of ports.
#[derive(Clone, Debug)]
pub(crate) enum Ports {
    /// A column of nulls: no URL has a port.
    None(usize),
    Int8(PrimitiveArray<Int8Type>),
    Int16(PrimitiveArray<Int16Type>),
    Int32(PrimitiveArray<Int32Type>),
    Int64(PrimitiveArray<Int64Type>),
    UInt8(PrimitiveArray<UInt8Type>),
    UInt16(PrimitiveArray<UInt16Type>),
    UInt32(PrimitiveArray<UInt32Type>),
    UInt64(PrimitiveArray<UInt64Type>),
}

/// The port of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Port {
    /// No port: null, or -1, which Java reports for a URL without a port.
    None,
    Number(u16),
    /// A number outside the range of ports.
    Wrong,
}

impl Ports {
    pub(crate) fn new(column: &'static str, array: &dyn Array) -> Result<Self, ColumnError> {
        Ok(match array.data_type() {
            DataType::Null => Ports::None(array.len()),
            DataType::Int8 => Ports::Int8(array.as_primitive().clone()),
            DataType::Int16 => Ports::Int16(array.as_primitive().clone()),
            DataType::Int32 => Ports::Int32(array.as_primitive().clone()),
            DataType::Int64 => Ports::Int64(array.as_primitive().clone()),
            DataType::UInt8 => Ports::UInt8(array.as_primitive().clone()),
            DataType::UInt16 => Ports::UInt16(array.as_primitive().clone()),
            DataType::UInt32 => Ports::UInt32(array.as_primitive().clone()),
            DataType::UInt64 => Ports::UInt64(array.as_primitive().clone()),
            other => {
                let expected = "an integer";
                return Err(ColumnError { column, expected, found: other.to_string() });
            }
        })
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Ports::None(len) => *len,
            Ports::Int8(array) => array.len(),
            Ports::Int16(array) => array.len(),
            Ports::Int32(array) => array.len(),
            Ports::Int64(array) => array.len(),
            Ports::UInt8(array) => array.len(),
            Ports::UInt16(array) => array.len(),
            Ports::UInt32(array) => array.len(),
            Ports::UInt64(array) => array.len(),
        }
    }

    #[inline]
    pub(crate) fn at(&self, row: usize) -> Port {
        match self {
            Ports::None(_) => Port::None,
            Ports::Int8(array) => port(array.is_valid(row), array.value(row)),
            Ports::Int16(array) => port(array.is_valid(row), array.value(row)),
            Ports::Int32(array) => port(array.is_valid(row), array.value(row)),
            Ports::Int64(array) => port(array.is_valid(row), array.value(row)),
            Ports::UInt8(array) => port(array.is_valid(row), array.value(row)),
            Ports::UInt16(array) => port(array.is_valid(row), array.value(row)),
            Ports::UInt32(array) => port(array.is_valid(row), array.value(row)),
            Ports::UInt64(array) => port(array.is_valid(row), array.value(row)),
        }
    }
}

#[inline]
fn port(is_valid: bool, number: impl Into<i128>) -> Port {
    match number.into() {
        _ if !is_valid => Port::None,
        -1 => Port::None,
        number => u16::try_from(number).map_or(Port::Wrong, Port::Number),
    }
}
