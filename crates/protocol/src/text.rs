//! How values become text, for people and in serialized results.

/// Implements `Display` for types with a name (`as_str`).
#[doc(hidden)]
#[macro_export]
macro_rules! display_as_name {
    ($($type:ty),* $(,)?) => {$(
        impl ::std::fmt::Display for $type {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.as_str())
            }
        }
    )*};
}

/// Implements `serde::Serialize` for types, as the text of their `Display`.
#[doc(hidden)]
#[macro_export]
macro_rules! serialize_as_text {
    ($($type:ty),* $(,)?) => {$(
        impl ::serde::Serialize for $type {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
    )*};
}

use crate::lifecycle::{Applies, Terms, Unreachable};
use crate::{
    Access, ConflictRule, Dialect, FetchOutcome, Modification, Permission, PermissionReason, Place, Usage,
    Vocabulary,
};

display_as_name!(
    Access,
    Applies,
    ConflictRule,
    Dialect,
    FetchOutcome,
    Modification,
    Permission,
    PermissionReason,
    Place,
    Terms,
    Unreachable,
    Usage,
    Vocabulary,
);

#[cfg(feature = "serde")]
mod serialized {
    use super::*;
    use crate::lifecycle::{Moment, Why};
    use crate::{Crawler, MissingFact, Qualifier};

    serialize_as_text!(
        Access,
        Applies,
        ConflictRule,
        Crawler,
        Dialect,
        FetchOutcome,
        MissingFact,
        Moment,
        Permission,
        PermissionReason,
        Place,
        Qualifier,
        Usage,
        Vocabulary,
        Why,
    );
}
