//! The page's tree. Stores only the open elements and the ancestors of elements with ACAP classes.
//!
//! The tree builder of `html5ever` moves nodes as HTML requires: implied end tags, adoption of misnested formatting
//! elements, and foster parents for misplaced content in tables. Only the ancestors of a node matter here, so nodes
//! know their parents and not their children. When all children of a node move at once, they share a *bond* to their
//! parent, and only the bond gets a new parent.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use html5ever::tendril::StrTendril;
use html5ever::tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::{Attribute, ExpandedName, LocalName, QualName, local_name, ns};
use robomata_protocol::{MetaTag, PageElement, PageLink};

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
    /// The content of a META tag or link, until it is known whether the tag is in the head.
    fact: RefCell<Option<HeadFact>>,
    template_contents: Option<Rc<Node>>,
}

/// A tag that counts in the head alone.
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
    /// The number of nodes created before its first node.
    order: u64,
    /// Its first node in the page; none if the tree builder ignores the tag.
    node: Option<Rc<Node>>,
}

/// Receives the tree from the tree builder.
pub(crate) struct Tree {
    document: Rc<Node>,
    records: RefCell<Vec<Record>>,
    metas: RefCell<Vec<MetaTag>>,
    links: RefCell<Vec<PageLink>>,
    /// The most recently created element.
    latest: RefCell<Rc<Node>>,
    /// The number of nodes created.
    created: Cell<u64>,
    steps: Cell<u64>,
    /// The line on which the current tag begins.
    tag_line: Cell<u32>,
}

impl Tree {
    pub(crate) fn new() -> Self {
        let document = Node::new(no_name(), 0);
        Tree {
            latest: RefCell::new(Rc::clone(&document)),
            document,
            records: RefCell::default(),
            metas: RefCell::default(),
            links: RefCell::default(),
            created: Cell::new(0),
            steps: Cell::new(0),
            tag_line: Cell::new(0),
        }
    }

    /// The number of steps so far, for creating nodes and for checking which belong to the page.
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
        records.push(Record { element, order: 0, node: None });
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

    /// Adds an element to the most recently created one, without the tree builder.
    pub(crate) fn put(&self, name: LocalName, attributes: &[Attribute]) {
        if let Some(number) = record_number(attributes) {
            let node = self.node(QualName::new(None, ns!(html), name));
            self.mark(&node, number);
            node.set_parent(&self.latest.borrow());
        }
    }

    /// Assigns `node` to the record.
    fn mark(&self, node: &Rc<Node>, number: u32) {
        node.record.set(Some(number));
        let mut records = self.records.borrow_mut();
        let Some(record) = records.get_mut(number as usize) else { return };
        match &mut record.node {
            None => (record.order, record.node) = (node.order, Some(Rc::clone(node))),
            // A formatting element of a template may be reopened after the template.
            Some(earlier) if !self.holds(earlier) => *earlier = Rc::clone(node),
            Some(_) => {}
        }
    }

    /// Returns whether the node belongs to the page. The contents of a template do not: they have another root.
    fn holds(&self, node: &Rc<Node>) -> bool {
        let mut root = Rc::clone(node);
        for ancestor in node.ancestors() {
            root = ancestor;
            self.steps.set(self.steps.get() + 1);
        }
        Rc::ptr_eq(&root, &self.document)
    }

    /// The META tags of the head, the elements of the page, and the links of the head.
    pub(crate) fn into_facts(self) -> (Vec<MetaTag>, Vec<PageElement>, Vec<PageLink>) {
        let records = self.records.take();
        let mut places = vec![usize::MAX; records.len()];
        let is_of_page =
            |(_, record): &(usize, Record)| record.node.as_ref().is_some_and(|node| self.holds(node));
        let mut placed: Vec<(usize, Record)> = records.into_iter().enumerate().filter(is_of_page).collect();
        // A later tag for `body` may give a class to an element that began before earlier records.
        placed.sort_by_key(|(_, record)| record.order);
        for (place, (number, _)) in placed.iter().enumerate() {
            places[*number] = place;
        }
        let with_parent = |(place, (_, Record { element, node, .. })): (usize, (usize, Record))| {
            let ancestors = node.iter().flat_map(|node| node.ancestors());
            let parent = ancestors.filter_map(|node| node.record.get()).find_map(|record| {
                // Split elements may enclose each other: the one that began first is the outer one.
                Some(places[record as usize]).filter(|&outer| outer < place)
            });
            PageElement { parent: parent.and_then(|parent| u32::try_from(parent).ok()), ..element }
        };
        let elements = placed.into_iter().enumerate().map(with_parent).collect();
        (self.metas.take(), elements, self.links.take())
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
            fact: RefCell::default(),
            template_contents: None,
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
            node.fact.replace(self.head_fact(&node.name, &attributes));
        }
        if let Some(number) = record_number(&attributes) {
            self.mark(&node, number);
        }
        self.latest.replace(Rc::clone(&node));
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
        match child.fact.take().filter(|_| parent.is_of_head()) {
            Some(HeadFact::Meta(meta)) => self.metas.borrow_mut().push(meta),
            Some(HeadFact::Link(link)) => self.links.borrow_mut().push(link),
            None => {}
        }
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

/// Returns whether a word of the class begins with `the-acap:`.
fn has_acap_word(class: &str) -> bool {
    let scheme = "the-acap:";
    let begins = |word: &str| {
        word.as_bytes().get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme.as_bytes()))
    };
    class.split_ascii_whitespace().any(begins)
}
