//! The page's tree. Stores only the open elements, and the ancestors of META tags, links and elements with ACAP classes.
//!
//! The tree builder of `html5ever` moves nodes as HTML requires: implied end tags, adoption of misnested formatting
//! elements, and foster parents for misplaced content in tables. Only the ancestors of a node matter here, so nodes
//! know their parents and not their children. When all children of a node move at once, they share a *bond* to their
//! parent, and only the bond gets a new parent.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tag, TagKind};
use html5ever::tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::{Attribute, ExpandedName, LocalName, QualName, local_name, ns};
use robomata_protocol::{MetaTag, PageElement, PageLink};

use crate::acap::begins;

/// The attribute that links the nodes of a tag to its record. No page can contain it, because its name has a space.
const RECORD: &str = "acap record";

/// The cost of a node, in steps over open elements.
const STEPS_PER_NODE: u64 = 8;

/// A node of the tree: an element, the document, or the contents of a template.
pub(crate) struct Node {
    name: QualName,
    /// The number of nodes created before this one.
    order: u64,
    parent: RefCell<Option<Rc<Bond>>>,
    /// The bonds that the children of this node may share.
    bonds: RefCell<Vec<Weak<Bond>>>,
    /// Set once the element has a class, with or without ACAP words. Later tags for `html` and `body` do not replace
    /// it.
    has_class: Cell<bool>,
    record: Cell<Option<u32>>,
    template_contents: Option<Rc<Node>>,
    /// What is above this node in the complete tree, once it is known.
    position: Cell<Option<Position>>,
}

/// What a node of the complete tree is in.
#[derive(Clone, Copy, Debug, Default)]
struct Position {
    /// The contents of a template are not in the page, unless they are those of a shadow root.
    is_in_page: bool,
    is_in_shadow: bool,
    /// The record of the innermost element with ACAP classes: the node or one of its ancestors.
    record: Option<u32>,
}

/// A tag that counts in the head, and in the body before the end of the head.
enum HeadFact {
    Meta(MetaTag),
    Link(PageLink),
}

/// The link from the children to their parent.
struct Bond {
    parent: RefCell<Rc<Node>>,
}

/// A tag with ACAP classes. It remains one element even if misnesting splits it into several nodes.
struct Record {
    element: PageElement,
    part: Part,
}

/// Where the first part of an element is.
enum Part {
    /// The tree builder ignores the tag.
    Nowhere,
    /// In the tree.
    Node {
        node: Rc<Node>,
        /// Set once the node is known not to be in a template. A later part does not replace it.
        is_settled: bool,
    },
    /// Beyond the limit of steps.
    BeyondTree,
}

/// Receives the tree from the tree builder.
pub(crate) struct Tree {
    document: Rc<Node>,
    records: RefCell<Vec<Record>>,
    /// The META tags and links that count if they are in the head, or in the body before the end of the head.
    facts: RefCell<Vec<(HeadFact, Rc<Node>)>>,
    /// Set once the body has begun.
    has_body: Cell<bool>,
    /// The number of nodes created before the first `</head>` or `<body>` in the body.
    head_end: Cell<Option<u64>>,
    /// The records of the elements that were open when the tree ended, innermost last.
    open_at_end: RefCell<Vec<u32>>,
    /// The number of nodes created.
    created: Cell<u64>,
    steps: Cell<u64>,
    /// The line on which the current tag begins.
    tag_line: Cell<u32>,
}

impl Tree {
    pub(crate) fn new() -> Self {
        let document = Node::new(no_name(), 0);
        document.position.set(Some(Position { is_in_page: true, ..Position::default() }));
        Tree {
            document,
            records: RefCell::default(),
            facts: RefCell::default(),
            has_body: Cell::new(false),
            head_end: Cell::new(None),
            open_at_end: RefCell::default(),
            created: Cell::new(0),
            steps: Cell::new(0),
            tag_line: Cell::new(0),
        }
    }

    /// The number of steps so far, for creating nodes and for finding what is above them.
    pub(crate) fn steps(&self) -> u64 {
        self.steps.get()
    }

    /// Records a start tag before the tree builder receives it. A tag with ACAP classes gets a record.
    pub(crate) fn note_tag(&self, name: &LocalName, attributes: &mut Vec<Attribute>, line: u32) {
        self.tag_line.set(line);
        let Some(class) = value(attributes, &local_name!("class")).filter(|class| has_acap_word(class))
        else {
            return;
        };
        let element = PageElement {
            tag: name.to_ascii_lowercase().to_string(),
            id: value(attributes, &local_name!("id")).map(str::to_owned),
            classes: class.split_ascii_whitespace().map(str::to_owned).collect(),
            line,
            parent: None,
        };
        let mut records = self.records.borrow_mut();
        let number = StrTendril::from(records.len().to_string());
        attributes
            .push(Attribute { name: QualName::new(None, ns!(), LocalName::from(RECORD)), value: number });
        records.push(Record { element, part: Part::Nowhere });
    }

    fn node(&self, name: QualName) -> Rc<Node> {
        self.created.set(self.created.get() + 1);
        self.steps.set(self.steps.get() + STEPS_PER_NODE);
        Node::new(name, self.created.get())
    }

    /// What a META tag or a link with these attributes says; none for other elements.
    fn head_fact(&self, name: &QualName, attributes: &[Attribute]) -> Option<HeadFact> {
        let text = |name| value(attributes, &name).map(str::to_owned);
        let line = self.tag_line.get();
        if name.ns != ns!(html) {
            None
        } else if name.local == local_name!("meta") {
            let (name, content) = (text(local_name!("name"))?, text(local_name!("content"))?);
            Some(HeadFact::Meta(MetaTag { name, content, line }))
        } else if name.local == local_name!("link") {
            let mut words = value(attributes, &local_name!("rel"))?.split_ascii_whitespace();
            let href = text(local_name!("href")).filter(|href| !href.trim_ascii().is_empty())?;
            let is_license = words.any(|word| word.eq_ignore_ascii_case("license"));
            let link = || HeadFact::Link(PageLink { href, media_type: text(local_name!("type")), line });
            is_license.then(link)
        } else {
            None
        }
    }

    /// Whether `</head>` or `<body>` would be the first one in the body, if no template were open.
    pub(crate) fn may_end_head(&self) -> bool {
        self.has_body.get() && self.head_end.get().is_none()
    }

    /// Notes a `</head>` or `<body>` in the body.
    pub(crate) fn end_head(&self) {
        self.head_end.set(Some(self.created.get()));
    }

    /// Ends the tree. These nodes are open.
    pub(crate) fn end(&self, mut open: Vec<Rc<Node>>) {
        open.retain(|node| !node.is(&local_name!("head")));
        open.sort_by_key(|node| node.order);
        self.open_at_end.replace(open.iter().filter_map(|node| node.record.get()).collect());
    }

    /// Adds a tag after the end of the tree. What is not known to be in the body counts as in the head.
    pub(crate) fn put(&self, tag: &Tag) {
        let ends_head = ends_head(tag);
        if ends_head && self.may_end_head() {
            self.end_head();
        }
        self.has_body.set(self.has_body.get() || ends_head);
        if tag.kind == TagKind::EndTag {
            return;
        }
        if let Some(number) = record_number(&tag.attrs)
            && let Some(record) = self.records.borrow_mut().get_mut(number as usize)
        {
            record.part = Part::BeyondTree;
        }
        let name = QualName::new(None, ns!(html), tag.name.clone());
        if let Some(fact) = self.head_fact(&name, &tag.attrs).filter(|_| self.head_end.get().is_none()) {
            let parent = if self.has_body.get() { local_name!("body") } else { local_name!("head") };
            let parent = self.node(QualName::new(None, ns!(html), parent));
            parent.set_parent(&self.document);
            let node = self.node(name);
            node.set_parent(&parent);
            self.facts.borrow_mut().push((fact, node));
        }
    }

    /// Assigns `node` to the record.
    fn mark(&self, node: &Rc<Node>, number: u32) {
        node.record.set(Some(number));
        let mut records = self.records.borrow_mut();
        let Some(record) = records.get_mut(number as usize) else { return };
        match &mut record.part {
            Part::Node { is_settled: true, .. } => {}
            // A formatting element of a template may be reopened after the template.
            Part::Node { node: earlier, is_settled } if self.holds(earlier) => *is_settled = true,
            _ => record.part = Part::Node { node: Rc::clone(node), is_settled: false },
        }
    }

    /// Returns whether the node belongs to the page now. The contents of a template do not: they have another root.
    fn holds(&self, node: &Rc<Node>) -> bool {
        let mut root = Rc::clone(node);
        for ancestor in node.ancestors() {
            root = ancestor;
            self.steps.set(self.steps.get() + 1);
        }
        Rc::ptr_eq(&root, &self.document)
    }

    /// Returns the position of a node in the complete tree. Each node is visited once, whatever the number of calls.
    fn position(&self, node: &Rc<Node>) -> Position {
        let (mut path, mut next) = (Vec::new(), Some(Rc::clone(node)));
        let mut position = Position::default();
        while let Some(node) = next {
            self.steps.set(self.steps.get() + 1);
            if let Some(known) = node.position.get() {
                position = known;
                break;
            }
            next = node.parent();
            path.push(node);
        }
        for node in path.iter().rev() {
            position.is_in_shadow |= node.name.local.is_empty();
            position.record = node.record.get().or(position.record);
            node.position.set(Some(position));
        }
        position
    }

    /// Returns whether a META tag or link in this node counts (`crates/PERMISSIONS.md`, P14).
    fn counts(&self, node: &Rc<Node>) -> bool {
        let is_before_end = || self.head_end.get().is_some_and(|end| node.order <= end);
        let is_in_body = || {
            let position = self.position(node);
            position.is_in_page && !position.is_in_shadow
        };
        node.parent().is_some_and(|parent| parent.is_of_head()) || is_before_end() && is_in_body()
    }

    /// The META tags and links that count, and the elements of the page.
    pub(crate) fn into_facts(self) -> (Vec<MetaTag>, Vec<PageElement>, Vec<PageLink>) {
        let (mut metas, mut links) = (Vec::new(), Vec::new());
        for (fact, node) in self.facts.take() {
            match fact {
                _ if !self.counts(&node) => {}
                HeadFact::Meta(meta) => metas.push(meta),
                HeadFact::Link(link) => links.push(link),
            }
        }
        (metas, self.elements(), links)
    }

    fn elements(&self) -> Vec<PageElement> {
        let records = self.records.take();
        let mut places = vec![usize::MAX; records.len()];
        let (mut in_tree, mut beyond) = (Vec::new(), Vec::new());
        for (number, Record { element, part }) in records.into_iter().enumerate() {
            match part {
                Part::Node { node, .. } if self.position(&node).is_in_page => {
                    in_tree.push((number, element, node));
                }
                Part::BeyondTree => beyond.push(element),
                Part::Node { .. } | Part::Nowhere => {}
            }
        }
        // A later tag for `body` may give a class to an element that began before earlier records.
        in_tree.sort_by_key(|(.., node)| node.order);
        for (place, (number, ..)) in in_tree.iter().enumerate() {
            places[*number] = place;
        }
        let index = |place: usize| u32::try_from(place).ok();
        let mut elements = Vec::with_capacity(in_tree.len() + beyond.len());
        for (place, (_, element, node)) in in_tree.into_iter().enumerate() {
            let outer = node.parent().and_then(|parent| self.position(&parent).record);
            // An element began before what it encloses.
            let outer = outer.map(|record| places[record as usize]).filter(|&outer| outer < place);
            elements.push(PageElement { parent: outer.and_then(index), ..element });
        }
        // Which of the elements beyond the tree are closed is not known. Those that permit something enclose nothing.
        let open = self.open_at_end.take();
        let mut open = open.iter().rev().map(|&record| places[record as usize]);
        let mut outer = open.find(|&place| place < elements.len());
        for element in beyond {
            let place = elements.len();
            let permits = element.classes.iter().any(|class| begins(class, "the-acap:allow-"));
            elements.push(PageElement { parent: outer.and_then(index), ..element });
            outer = if permits { outer } else { Some(place) };
        }
        elements
    }
}

impl Node {
    fn new(name: QualName, order: u64) -> Rc<Self> {
        Rc::new(Node {
            name,
            order,
            parent: RefCell::default(),
            bonds: RefCell::default(),
            has_class: Cell::new(false),
            record: Cell::new(None),
            template_contents: None,
            position: Cell::new(None),
        })
    }

    fn parent(&self) -> Option<Rc<Node>> {
        self.parent.borrow().as_ref().map(|bond| Rc::clone(&bond.parent.borrow()))
    }

    /// The ancestors of this node, innermost first.
    fn ancestors(&self) -> impl Iterator<Item = Rc<Node>> {
        std::iter::successors(self.parent(), |node| node.parent())
    }

    fn set_parent(&self, parent: &Rc<Node>) {
        let bond = parent.bond();
        self.parent.replace(Some(bond));
    }

    /// Returns a bond to this node: a shared one if a child has one, otherwise a new one.
    fn bond(self: &Rc<Self>) -> Rc<Bond> {
        let mut bonds = self.bonds.borrow_mut();
        if let Some(bond) = bonds.last().and_then(Weak::upgrade) {
            return bond;
        }
        bonds.retain(|bond| bond.strong_count() > 0);
        let bond = Rc::new(Bond { parent: RefCell::new(Rc::clone(self)) });
        bonds.push(Rc::downgrade(&bond));
        bond
    }

    fn is(&self, name: &LocalName) -> bool {
        self.name.ns == ns!(html) && self.name.local == *name
    }

    /// Whether a template is open in this node.
    pub(crate) fn is_template(&self) -> bool {
        self.template_contents.is_some()
    }

    /// Returns whether a META tag or link in this node is in the page's head. Crawlers run no scripts, so a `noscript` in the
    /// head counts.
    fn is_of_head(&self) -> bool {
        let in_head = |node: &Node| node.is(&local_name!("head"));
        in_head(self)
            || (self.is(&local_name!("noscript")) && self.parent().is_some_and(|parent| in_head(&parent)))
    }
}

impl Drop for Node {
    /// Frees ancestors iteratively. The chain of ancestors can be as long as the page, too long for recursion.
    fn drop(&mut self) {
        let mut next = self.parent.take();
        while let Some(bond) = next.and_then(Rc::into_inner) {
            next = Rc::into_inner(bond.parent.into_inner()).and_then(|node| node.parent.take());
        }
    }
}

impl TreeSink for Tree {
    type Handle = Rc<Node>;
    type Output = Self;
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) -> Self {
        self
    }

    fn get_document(&self) -> Rc<Node> {
        Rc::clone(&self.document)
    }

    fn elem_name<'a>(&'a self, target: &'a Rc<Node>) -> ExpandedName<'a> {
        target.name.expanded()
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, flags: ElementFlags) -> Rc<Node> {
        let mut node = self.node(name);
        if let Some(node) = Rc::get_mut(&mut node) {
            node.template_contents = flags.template.then(|| self.node(no_name()));
            node.has_class.set(value(&attributes, &local_name!("class")).is_some());
        }
        self.has_body.set(self.has_body.get() || node.is(&local_name!("body")));
        if let Some(fact) = self.head_fact(&node.name, &attributes).filter(|_| self.head_end.get().is_none())
        {
            self.facts.borrow_mut().push((fact, Rc::clone(&node)));
        }
        if let Some(number) = record_number(&attributes) {
            self.mark(&node, number);
        }
        node
    }

    fn create_comment(&self, _text: StrTendril) -> Rc<Node> {
        self.node(no_name())
    }

    fn create_pi(&self, _target: StrTendril, _data: StrTendril) -> Rc<Node> {
        self.node(no_name())
    }

    fn append(&self, parent: &Rc<Node>, child: NodeOrText<Rc<Node>>) {
        let NodeOrText::AppendNode(child) = child else { return };
        child.set_parent(parent);
    }

    fn append_before_sibling(&self, sibling: &Rc<Node>, new_node: NodeOrText<Rc<Node>>) {
        let NodeOrText::AppendNode(node) = new_node else { return };
        if let Some(parent) = sibling.parent() {
            node.set_parent(&parent);
        }
    }

    fn append_based_on_parent_node(
        &self,
        element: &Rc<Node>,
        previous: &Rc<Node>,
        child: NodeOrText<Rc<Node>>,
    ) {
        if element.parent.borrow().is_some() {
            self.append_before_sibling(element, child);
        } else {
            self.append(previous, child);
        }
    }

    fn remove_from_parent(&self, target: &Rc<Node>) {
        target.parent.replace(None);
    }

    fn reparent_children(&self, node: &Rc<Node>, new_parent: &Rc<Node>) {
        let moved = node.bonds.take();
        for bond in moved.iter().filter_map(Weak::upgrade) {
            bond.parent.replace(Rc::clone(new_parent));
        }
        new_parent.bonds.borrow_mut().extend(moved);
    }

    fn add_attrs_if_missing(&self, target: &Rc<Node>, attributes: Vec<Attribute>) {
        let gives_class = value(&attributes, &local_name!("class")).is_some();
        if gives_class && !target.has_class.replace(true) {
            record_number(&attributes).into_iter().for_each(|number| self.mark(target, number));
        }
    }

    fn get_template_contents(&self, target: &Rc<Node>) -> Rc<Node> {
        target.template_contents.clone().unwrap_or_else(|| self.node(no_name()))
    }

    /// The contents of a shadow root are displayed in place of those of its host. Its template counts as an element.
    fn attach_declarative_shadow(
        &self,
        host: &Rc<Node>,
        template: &Rc<Node>,
        _attributes: &[Attribute],
    ) -> bool {
        template.set_parent(host.template_contents.as_ref().unwrap_or(host));
        template.template_contents.iter().for_each(|contents| contents.set_parent(template));
        true
    }

    fn same_node(&self, x: &Rc<Node>, y: &Rc<Node>) -> bool {
        Rc::ptr_eq(x, y)
    }

    fn parse_error(&self, _message: Cow<'static, str>) {}

    fn append_doctype_to_document(&self, _name: StrTendril, _public_id: StrTendril, _system_id: StrTendril) {}

    fn set_quirks_mode(&self, _mode: QuirksMode) {}
}

fn no_name() -> QualName {
    QualName::new(None, ns!(), local_name!(""))
}

fn value<'a>(attributes: &'a [Attribute], name: &LocalName) -> Option<&'a str> {
    let attribute = attributes.iter().find(|attribute| attribute.name.local == *name)?;
    Some(&attribute.value)
}

fn record_number(attributes: &[Attribute]) -> Option<u32> {
    value(attributes, &LocalName::from(RECORD))?.parse().ok()
}

/// Returns whether the tag is `</head>` or `<body>`.
pub(crate) fn ends_head(tag: &Tag) -> bool {
    match tag.kind {
        TagKind::StartTag => tag.name == local_name!("body"),
        TagKind::EndTag => tag.name == local_name!("head"),
    }
}

/// Returns whether a word of the class begins with `the-acap:`.
fn has_acap_word(class: &str) -> bool {
    class.split_ascii_whitespace().any(|word| begins(word, "the-acap:"))
}

#[cfg(test)]
mod tests {
    use robomata_testkit::hostile::pages;

    use crate::feed::Feeder;
    use crate::tokens::Syntax;

    /// The steps for placing the elements of a page in its complete tree, for each of them.
    fn steps_per_element(family: &str, bytes: usize) -> u64 {
        let (_, html) = pages(bytes).into_iter().find(|(name, _)| *name == family).unwrap();
        let mut feeder = Feeder::new(Syntax::Html);
        feeder.text(&html);
        let tree = feeder.finish();
        let before = tree.steps();
        let elements = tree.elements().len() as u64;
        assert!(elements > 1000, "{family}: {elements}");
        (tree.steps() - before) / elements
    }

    #[test]
    fn elements_are_placed_in_linear_time() {
        for bytes in [100_000, 400_000] {
            let steps = steps_per_element("elements in nested elements", bytes);
            assert!(steps < 10, "{bytes}: {steps}");
        }
    }
}
