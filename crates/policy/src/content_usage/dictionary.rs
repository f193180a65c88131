//! Reads a dictionary of structured fields (RFC 9651, 3.2).

use std::collections::HashMap;
use std::convert::Infallible;

use sfv::visitor::{
    DictionaryVisitor, EntryVisitor, Ignored, InnerListVisitor, ItemVisitor, ParameterVisitor,
};
use sfv::{BareItemFromInput, KeyRef, Parser};

use super::{Preference, UsageItem};

/// The members of a dictionary; `None` if the value is not one.
pub(super) fn read(value: &[u8]) -> Option<Vec<UsageItem>> {
    Parser::new(value).parse_dictionary_with_visitor(Items::default()).ok()
}

/// Collects the members of a dictionary: one for each key, with the last value, at the position of the first.
#[derive(Default)]
struct Items {
    items: Vec<UsageItem>,
    places: HashMap<String, usize>,
}

impl<'d> DictionaryVisitor<'d> for Items {
    type Out = Vec<UsageItem>;
    type Error = Infallible;

    fn entry(&mut self, key: &'d KeyRef) -> Result<impl EntryVisitor<'d>, Infallible> {
        let next = self.items.len();
        let place = *self.places.entry(key.as_str().to_owned()).or_insert(next);
        if place == next {
            self.items.push(UsageItem { label: key.as_str().to_owned(), preference: Preference::Unknown });
        }
        let preference = &mut self.items[place].preference;
        *preference = Preference::Unknown;
        Ok(Entry(preference))
    }

    fn finish(self) -> Result<Vec<UsageItem>, Infallible> {
        Ok(self.items)
    }
}

struct Entry<'i>(&'i mut Preference);

impl<'d> ItemVisitor<'d> for Entry<'_> {
    type Out = ();
    type Error = Infallible;

    fn bare_item(
        self,
        item: BareItemFromInput<'d>,
    ) -> Result<impl ParameterVisitor<'d, Out = ()>, Infallible> {
        *self.0 = match item {
            BareItemFromInput::Token(token) if token.as_str() == "y" => Preference::Yes,
            BareItemFromInput::Token(token) if token.as_str() == "n" => Preference::No,
            _ => Preference::Unknown,
        };
        Ok(Ignored)
    }
}

impl<'d> EntryVisitor<'d> for Entry<'_> {
    type Error = Infallible;

    fn item(self) -> Result<impl ItemVisitor<'d>, Infallible> {
        Ok(self)
    }

    fn inner_list(self) -> Result<impl InnerListVisitor<'d>, Infallible> {
        Ok(Ignored)
    }
}
