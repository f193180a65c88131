//! Sits between tokenizer and tree builder. Tracks where tags begin and limits the work of the tree builder.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::{Tracer, TreeBuilder, TreeBuilderOpts};
use html5ever::{LocalName, local_name};

use crate::tree::{Node, Tree, ends_head};

/// The maximum number of steps for the tree: a constant plus a number for each byte of the page.
///
/// HTML's tree builder searches the open elements at nearly every tag, and reopens formatting elements at many tags. A
/// page of n nested elements takes n * n steps. Of 278 real pages (web archives, manuals), half took at most 3 steps
/// per byte, and none more than 7.2. The constant is enough for 4,000 nested elements. The rest of the page beyond the
/// limit is read without a tree (`crates/PERMISSIONS.md`, P8 and P14).
const WORK: u64 = 1 << 23;
const WORK_PER_BYTE: u64 = 32;

/// The open and formatting elements are counted only once in this many tags.
const TAGS_BETWEEN_COUNTS: u64 = 8;

/// Passes the tokens of a page to the tree builder.
pub(crate) struct Tokens {
    builder: TreeBuilder<Rc<Node>, Tree>,
    /// The line of the `<` where the next token may begin; none if there was no `<` since the last token.
    begun: Cell<Option<u32>>,
    /// The line of the `<` where the last token may have begun.
    line: Cell<u32>,
    /// The number of bytes before that `<`.
    bytes: Cell<u64>,
    tags: Cell<u64>,
    open: Cell<u64>,
    work: Cell<u64>,
    /// Set beyond the limit: the rest is read without a tree.
    is_flat: Cell<bool>,
    syntax: Syntax,
}

/// What a page is written in, by its Content-Type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    Html,
    /// `<script/>` is a whole element.
    Xml,
}

impl Tokens {
    pub(crate) fn new(syntax: Syntax) -> Self {
        // Crawlers run no scripts, so the content of `noscript` applies to them.
        let options = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
        Tokens {
            builder: TreeBuilder::new(Tree::new(), options),
            begun: Cell::new(None),
            line: Cell::new(1),
            bytes: Cell::new(0),
            tags: Cell::new(0),
            open: Cell::new(0),
            work: Cell::new(0),
            is_flat: Cell::new(false),
            syntax,
        }
    }

    pub(crate) fn into_tree(self) -> Tree {
        self.builder.sink
    }

    /// Records a `<` on `line`, after `bytes` bytes. Returns whether a token may begin with it.
    pub(crate) fn less_than(&self, line: u32, bytes: u64) -> bool {
        let begins = self.begun.get().is_none();
        if begins {
            self.begun.set(Some(line));
            self.line.set(line);
            self.bytes.set(bytes);
        }
        begins
    }

    /// Returns whether no token was completed since the last `<` where one may begin.
    pub(crate) fn is_within_token(&self) -> bool {
        self.begun.get().is_some()
    }

    /// Adds the elements that the tree builder will have to search for `tag`.
    fn count_work(&self, tag: &Tag) {
        let tags = self.tags.get();
        self.tags.set(tags + 1);
        if tags.is_multiple_of(TAGS_BETWEEN_COUNTS) {
            let counter = Counter(Cell::new(0));
            self.builder.trace_handles(&counter);
            self.open.set(counter.0.get());
        }
        // A formatting element and its attributes are compared with all open formatting elements.
        let weight = if is_formatting(&tag.name) { 8 * (1 + tag.attrs.len() as u64) } else { 1 };
        self.work.set(self.work.get() + weight * self.open.get());
        if self.work.get() > WORK + WORK_PER_BYTE * self.bytes.get() {
            self.is_flat.set(true);
            self.builder.sink.end(self.open_nodes());
        }
    }

    /// The open elements, and the formatting elements that the tree builder would reopen.
    fn open_nodes(&self) -> Vec<Rc<Node>> {
        let collector = Collector(RefCell::default());
        self.builder.trace_handles(&collector);
        collector.0.into_inner()
    }

    /// Notes a `</head>` or `<body>` in the body, outside of templates.
    fn note_end_of_head(&self, tag: &Tag) {
        let tree = &self.builder.sink;
        if ends_head(tag) && tree.may_end_head() {
            let open = self.open_nodes();
            self.work.set(self.work.get() + open.len() as u64);
            if !open.iter().any(|node| node.is_template()) {
                tree.end_head();
            }
        }
    }

    fn process_tag(&self, mut tag: Tag, line: u64) -> TokenSinkResult<Rc<Node>> {
        let tree = &self.builder.sink;
        if tag.kind == TagKind::StartTag {
            tree.note_tag(&tag.name, &mut tag.attrs, self.line.get());
        }
        if !self.is_flat.get() {
            self.count_work(&tag);
        }
        if self.is_flat.get() {
            return flat(tree, &tag);
        }
        self.note_end_of_head(&tag);
        let before = tree.steps();
        let result = self.builder.process_token(Token::TagToken(tag), line);
        self.work.set(self.work.get() + tree.steps() - before);
        result
    }
}

impl TokenSink for Tokens {
    type Handle = Rc<Node>;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Rc<Node>> {
        match token {
            // The tokenizer reports errors in the middle of tokens.
            Token::ParseError(_) => return TokenSinkResult::Continue,
            Token::TagToken(tag) => {
                self.begun.set(None);
                let is_whole =
                    self.syntax == Syntax::Xml && tag.kind == TagKind::StartTag && tag.self_closing;
                let end = is_whole.then(|| Tag { kind: TagKind::EndTag, attrs: Vec::new(), ..tag.clone() });
                let result = self.process_tag(tag, line);
                // In HTML, text would follow.
                return match (end, result) {
                    (None, result) | (_, result @ TokenSinkResult::Continue) => result,
                    (Some(end), _) => {
                        let _script = self.process_tag(end, line);
                        TokenSinkResult::Continue
                    }
                };
            }
            _ => self.begun.set(None),
        }
        if self.is_flat.get() && !matches!(token, Token::EOFToken) {
            return TokenSinkResult::Continue;
        }
        let before = self.builder.sink.steps();
        let result = self.builder.process_token(token, line);
        self.work.set(self.work.get() + self.builder.sink.steps() - before);
        result
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// Processes a tag without the tree builder.
fn flat(tree: &Tree, tag: &Tag) -> TokenSinkResult<Rc<Node>> {
    tree.put(tag);
    if tag.kind == TagKind::EndTag {
        return TokenSinkResult::Continue;
    }
    match tag.name {
        local_name!("title") | local_name!("textarea") => TokenSinkResult::RawData(RawKind::Rcdata),
        local_name!("style")
        | local_name!("xmp")
        | local_name!("iframe")
        | local_name!("noembed")
        | local_name!("noframes") => TokenSinkResult::RawData(RawKind::Rawtext),
        local_name!("script") => TokenSinkResult::RawData(RawKind::ScriptData),
        local_name!("plaintext") => TokenSinkResult::Plaintext,
        _ => TokenSinkResult::Continue,
    }
}

/// Returns whether the tree builder reopens this element after misnesting closed it.
fn is_formatting(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("a")
            | local_name!("b")
            | local_name!("big")
            | local_name!("code")
            | local_name!("em")
            | local_name!("font")
            | local_name!("i")
            | local_name!("nobr")
            | local_name!("s")
            | local_name!("small")
            | local_name!("strike")
            | local_name!("strong")
            | local_name!("tt")
            | local_name!("u")
    )
}

struct Counter(Cell<u64>);

impl Tracer for Counter {
    type Handle = Rc<Node>;

    fn trace_handle(&self, _node: &Rc<Node>) {
        self.0.set(self.0.get() + 1);
    }
}

struct Collector(RefCell<Vec<Rc<Node>>>);

impl Tracer for Collector {
    type Handle = Rc<Node>;

    fn trace_handle(&self, node: &Rc<Node>) {
        self.0.borrow_mut().push(Rc::clone(node));
    }
}
