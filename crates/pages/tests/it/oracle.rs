//! Compares the facts of generated pages with a complete tree, and with the generator's knowledge.

use std::collections::{BTreeMap, BTreeSet};

use html5ever::tendril::TendrilSink;
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};
use robomata_pages::facts;

/// A random number generator (xorshift) with a fixed seed, so that failures are reproducible.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap()
    }

    fn of<'t>(&mut self, words: &[&'t str]) -> &'t str {
        words[self.below(words.len())]
    }
}

/// Random tags in no order. Every start tag has an ACAP class, and its number as its id.
fn disorder(random: &mut Random) -> String {
    let names = [
        "p",
        "b",
        "i",
        "a",
        "nobr",
        "div",
        "table",
        "tr",
        "td",
        "caption",
        "tbody",
        "ul",
        "li",
        "dd",
        "h1",
        "svg",
        "foreignObject",
        "math",
        "mi",
        "template",
        "template shadowrootmode=open",
        "select",
        "option",
        "button",
        "form",
        "span",
        "font",
        "applet",
        "br",
    ];
    let mut html =
        random.of(&["", "<!DOCTYPE html>", "<head>", "<body>", "text", "\0", "<head><b>"]).to_owned();
    for number in 0..random.below(40) {
        let name = random.of(&names);
        html.push_str(&match random.below(9) {
            0..4 => format!("<{name} id={number} class='the-acap:allow-index'>"),
            4 | 5 => format!("</{name}>"),
            6 => format!("<meta name={number} content=x>"),
            // A comment has no effect on the tree, and shows where the next tag is.
            7 => format!("<!--{number}-->{}", random.of(&["</head>", "<body>"])),
            _ => random.of(&["x", " ", "</body>", "<noscript>", "</noscript>", "<frameset>"]).to_owned(),
        });
    }
    html
}

/// The contents of the complete tree: the META tags that count, and for each id the ids that enclose its nodes.
#[derive(Debug, Default, PartialEq)]
struct Whole {
    metas: BTreeSet<u32>,
    /// The META tags outside of the head.
    metas_of_body: BTreeSet<u32>,
    /// The number of the first `</head>` or `<body>` in the body.
    end_of_head: Option<u32>,
    has_body: bool,
    in_templates: BTreeSet<u32>,
    parents: BTreeMap<u32, BTreeSet<Option<u32>>>,
}

/// What the walk is in.
#[derive(Clone, Copy, PartialEq)]
enum In {
    Page,
    Shadow,
    Template,
}

impl Whole {
    fn of(html: &str) -> Self {
        let tree_builder = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
        let options = ParseOpts { tree_builder, ..ParseOpts::default() };
        let dom = parse_document(RcDom::default(), options).one(html);
        let mut whole = Whole::default();
        // Which elements have parts in templates must be known first.
        whole.walk(&dom.document, In::Page, &mut Vec::new(), &mut Vec::new());
        whole = Whole { in_templates: whole.in_templates, ..Whole::default() };
        whole.walk(&dom.document, In::Page, &mut Vec::new(), &mut Vec::new());
        if let Some(end) = whole.end_of_head {
            whole.metas.extend(whole.metas_of_body.iter().filter(|&&meta| meta < end));
        }
        whole
    }

    fn walk(&mut self, node: &Handle, within: In, names: &mut Vec<String>, ids: &mut Vec<u32>) {
        let NodeData::Element { name, attrs, template_contents, .. } = &node.data else {
            if let NodeData::Comment { contents } = &node.data
                && within == In::Page
                && self.has_body
            {
                let number = contents.parse().unwrap();
                self.end_of_head = Some(self.end_of_head.map_or(number, |end| end.min(number)));
            }
            node.children.borrow().iter().for_each(|child| self.walk(child, within, names, ids));
            return;
        };
        let value = |name: &str| {
            let attributes = attrs.borrow();
            attributes
                .iter()
                .find(|attribute| &*attribute.name.local == name)
                .map(|found| found.value.to_string())
        };
        let above: Vec<&str> = names.iter().rev().map(String::as_str).take(2).collect();
        if &*name.local == "meta" && within == In::Page {
            let is_of_head = above[0] == "head" || above == ["noscript", "head"];
            let metas = if is_of_head { &mut self.metas } else { &mut self.metas_of_body };
            metas.insert(value("name").unwrap().parse().unwrap());
        }
        self.has_body |= &*name.local == "body";
        let id = value("id").map(|id| id.parse().unwrap());
        match id {
            Some(id) if within == In::Template => {
                self.in_templates.insert(id);
            }
            Some(id) => {
                // Split elements may enclose each other: the one that began first is the outer one. Of an element that began
                // in a template, only later parts are in the page.
                let is_late = self.in_templates.contains(&id);
                let parent = ids.iter().rev().copied().find(|&outer| outer < id || is_late && outer != id);
                self.parents.entry(id).or_default().insert(parent);
            }
            None => {}
        }
        names.push(name.local.to_string());
        ids.extend(id);
        node.children.borrow().iter().for_each(|child| self.walk(child, within, names, ids));
        if let Some(contents) = &*template_contents.borrow() {
            let is_shadow = within != In::Template && value("shadowrootmode").is_some();
            let within = if is_shadow { In::Shadow } else { In::Template };
            self.walk(contents, within, names, ids);
        }
        names.pop();
        ids.truncate(ids.len() - usize::from(id.is_some()));
    }
}

#[test]
fn disordered_pages_have_the_facts_of_their_complete_tree() {
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let (mut split, mut early) = (0, 0);
    for _ in 0..4000 {
        let html = disorder(&mut random);
        let facts = facts(html.as_bytes(), &[]);
        let whole = Whole::of(&html);
        let metas: BTreeSet<u32> = facts.metas.iter().map(|meta| meta.name.parse().unwrap()).collect();
        assert_eq!(metas, whole.metas, "{html}");
        early += usize::from(!metas.is_disjoint(&whole.metas_of_body));
        let id = |place: usize| facts.elements[place].id.as_ref().unwrap().parse::<u32>().unwrap();
        let ids: BTreeSet<u32> = (0..facts.elements.len()).map(id).collect();
        assert_eq!(ids, whole.parents.keys().copied().collect(), "{html}");
        for (place, element) in facts.elements.iter().enumerate() {
            let parents = &whole.parents[&id(place)];
            let parent = element.parent.map(|parent| id(parent as usize));
            assert!(parents.contains(&parent), "{html}: {} is in {parent:?}, not in {parents:?}", id(place));
            split += usize::from(parents.len() > 1);
        }
    }
    assert!(split > 100, "the generator misnests elements: {split}");
    assert!(early > 100, "the generator ends the head early: {early}");
}

/// A well-formed page: its text, and the line and the parent of each element.
#[derive(Default)]
struct Orderly {
    html: String,
    elements: Vec<(u32, Option<u32>)>,
}

impl Orderly {
    fn fill(&mut self, random: &mut Random, parent: Option<u32>, depth: usize) {
        for _ in 0..random.below(4) {
            self.html.push_str(random.of(&[
                "",
                "\n",
                "text &lt;",
                "<br>",
                "\r\n<!-- <p class=the-acap:x> -->",
                "\r",
            ]));
            let name = random.of(&["div", "SECTION", "Span", "em"]);
            let line = self.line();
            let mark = random.of(&[
                "",
                "",
                "class=the-acap:allow-index",
                "CLASS = 'a\tThe-Acap:disallow-follow'",
                "class=\"&#116;he-acap:x\"",
            ]);
            let before = random.of(&["", "\n", " title='\n<p class=the-acap:x>'\n", " x=\"\n\"", " y = z/ "]);
            self.html.push_str(&format!("<{name} {before} {mark}>"));
            let place = u32::try_from(self.elements.len()).unwrap();
            let inner = if mark.is_empty() { parent } else { Some(place) };
            if !mark.is_empty() {
                self.elements.push((line, parent));
            }
            if depth > 0 {
                self.fill(random, inner, depth - 1);
            }
            self.html.push_str(&format!("</{name}\n>"));
        }
    }

    fn line(&self) -> u32 {
        let ends = self.html.replace("\r\n", "\n").matches(['\n', '\r']).count();
        u32::try_from(ends).unwrap() + 1
    }
}

#[test]
fn well_formed_pages_have_the_generated_elements() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut seen = 0;
    for _ in 0..500 {
        let mut page =
            Orderly { html: "<!DOCTYPE html><title>x</title><body>".to_owned(), ..Orderly::default() };
        page.fill(&mut random, None, 5);
        let read: Vec<_> = facts(page.html.as_bytes(), &[])
            .elements
            .iter()
            .map(|found| (found.line, found.parent))
            .collect();
        assert_eq!(read, page.elements, "{}", page.html);
        seen += read.len();
    }
    assert!(seen > 2000, "{seen}");
}
