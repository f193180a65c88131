//! Feeds text to the tokenizer, finds the line on which each tag begins, and limits the attributes of a tag.

use html5ever::TokenizerResult;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{BufferQueue, Tokenizer, TokenizerOpts};

use crate::tokens::{Syntax, Tokens};
use crate::tree::Tree;

/// Maximum number of attributes read from one tag. The tokenizer compares each attribute with all previous ones.
const MAX_ATTRIBUTES: u32 = 256;

/// Feeds a page's text to the tokenizer.
///
/// The tokenizer reports the line on which a tag ends. The tag begins at the first `<` after the previous token. So the
/// feeder feeds each `<` separately, and checks whether the tokenizer is inside a token.
pub(crate) struct Feeder {
    tokenizer: Tokenizer<Tokens>,
    input: BufferQueue,
    line: u32,
    /// The number of bytes read.
    bytes: u64,
    after_carriage_return: bool,
    within: Within,
    attributes: u32,
    /// Set when the tag has too many attributes. The rest of the tag is skipped up to its end.
    is_skipping: bool,
}

/// The position inside a tag, by the states of HTML's tokenizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Within {
    /// Outside tags, or in text that only looks like a tag.
    Nothing,
    TagOpen,
    TagName,
    BeforeName,
    Name,
    AfterName,
    BeforeValue,
    Value,
    Quoted(u8),
}

impl Feeder {
    pub(crate) fn new(syntax: Syntax) -> Self {
        let options = TokenizerOpts { discard_bom: false, ..TokenizerOpts::default() };
        Feeder {
            tokenizer: Tokenizer::new(Tokens::new(syntax), options),
            input: BufferQueue::default(),
            line: 1,
            bytes: 0,
            after_carriage_return: false,
            within: Within::Nothing,
            attributes: 0,
            is_skipping: false,
        }
    }

    /// Feeds the page's next text.
    pub(crate) fn text(&mut self, text: &str) {
        let mut rest = text;
        while let Some(position) = rest.find('<') {
            self.piece(&rest[..position]);
            self.less_than();
            rest = &rest[position + 1..];
        }
        self.piece(rest);
    }

    pub(crate) fn finish(self) -> Tree {
        self.tokenizer.end();
        self.tokenizer.sink.into_tree()
    }

    fn less_than(&mut self) {
        self.after_carriage_return = false;
        if !self.is_skipping {
            self.feed("<");
        }
        if !self.is_skipping && self.tokenizer.sink.less_than(self.line, self.bytes) {
            (self.within, self.attributes) = (Within::TagOpen, 0);
        } else if self.step(b'<') {
            self.is_skipping = true;
        }
        self.bytes += 1;
    }

    /// Advances by one byte of a tag. Returns whether it begins an attribute beyond the limit.
    fn step(&mut self, byte: u8) -> bool {
        let before = self.within;
        self.within = before.after(byte);
        let begins_name = self.within == Within::Name && before != Within::Name;
        self.attributes += u32::from(begins_name && self.attributes <= MAX_ATTRIBUTES);
        begins_name && self.attributes > MAX_ATTRIBUTES
    }

    /// Feeds text without `<`.
    fn piece(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.guarded(text);
        self.count_lines(text);
        self.bytes += text.len() as u64;
    }

    fn count_lines(&mut self, text: &str) {
        for byte in text.bytes() {
            let is_end = byte == b'\r' || (byte == b'\n' && !self.after_carriage_return);
            self.line = self.line.saturating_add(u32::from(is_end));
            self.after_carriage_return = byte == b'\r';
        }
    }

    /// Feeds text without `<`, except for attributes beyond the limit.
    fn guarded(&mut self, text: &str) {
        if !self.is_skipping && !self.tokenizer.sink.is_within_token() {
            self.within = Within::Nothing;
        }
        let mut fed = 0;
        for (i, byte) in text.bytes().enumerate() {
            if self.within == Within::Nothing {
                break;
            }
            let is_too_many = self.step(byte);
            if self.within == Within::Nothing && std::mem::take(&mut self.is_skipping) {
                fed = i;
            }
            if is_too_many && !self.is_skipping {
                self.feed(&text[fed..i]);
                fed = i;
                // In a script, for example, this only looks like a tag: the tokenizer has consumed its `<`.
                self.is_skipping = self.tokenizer.sink.is_within_token();
                self.within = if self.is_skipping { self.within } else { Within::Nothing };
            }
        }
        if !self.is_skipping {
            self.feed(&text[fed..]);
        }
    }

    fn feed(&self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.input.push_back(StrTendril::from(text));
        // The tokenizer also stops for scripts and for changes of the encoding. Neither is needed here.
        while !matches!(self.tokenizer.feed(&self.input), TokenizerResult::Done) {}
    }
}

impl Within {
    /// The state after one more byte.
    fn after(self, byte: u8) -> Self {
        let is_space = matches!(byte, b'\t' | b'\n' | b'\r' | 0x0C | b' ');
        match (self, byte) {
            (Within::Nothing, _) => Within::Nothing,
            (Within::TagOpen, b'/') => Within::TagOpen,
            (Within::TagOpen, _) if byte.is_ascii_alphabetic() => Within::TagName,
            (Within::TagOpen, _) => Within::Nothing,
            (Within::Quoted(quote), _) if byte == quote => Within::BeforeName,
            (Within::Quoted(_), _) => self,
            (Within::BeforeValue, b'"' | b'\'') => Within::Quoted(byte),
            (_, b'>') => Within::Nothing,
            (Within::BeforeValue, _) if is_space => self,
            (Within::BeforeValue | Within::Value, _) if !is_space => Within::Value,
            (Within::TagName | Within::BeforeName | Within::Name | Within::AfterName, b'/') => {
                Within::BeforeName
            }
            (Within::Name, _) if is_space => Within::AfterName,
            (Within::AfterName, _) if is_space => self,
            (Within::TagName | Within::BeforeName | Within::Value | Within::BeforeValue, _) if is_space => {
                Within::BeforeName
            }
            (Within::TagName, _) => Within::TagName,
            (Within::Name | Within::AfterName, b'=') => Within::BeforeValue,
            _ => Within::Name,
        }
    }
}
