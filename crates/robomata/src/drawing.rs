//! The automaton of the rules for a crawler, as a drawing: nodes, edges, and the nodes that a URL visits.
//!
//! ```
//! use robomata::Robots;
//!
//! let rules = Robots::parse("User-agent: *\nDisallow: /private").for_agent("ExampleBot");
//! let drawing = rules.drawing(Some(b"https://example.com/private/a")).unwrap();
//! let last = drawing.walk.last().unwrap();
//! assert_eq!(last.position, "/private".len());
//! let node = drawing.nodes.iter().find(|node| node.id == last.node).unwrap();
//! assert_eq!(node.rule.map(|rule| rule.line), Some(2));
//! assert!(drawing.to_string().starts_with("digraph program {"), "Graphviz DOT");
//! ```
//!
//! A rule at a node matches every text that reaches the node. Of several rules that match, [`Rules::explain`] names the one
//! that decides. The path and query are followed through all patterns, in the form in which they are compared
//! ([`Explanation::target`](crate::Explanation::target)).

use std::fmt;

use robomata_evaluator as inner;
use robomata_evaluator::path_or_url;

use crate::{Access, Rules};

/// The most nodes of a drawing.
pub const MOST_NODES: usize = 2_000;

impl Rules {
    /// Draws the automaton, with at most [`MOST_NODES`] nodes, and follows `url`, an absolute URL or a path with a query.
    /// `None` if the agent names no crawler, or if the text is not a URL. Each call compiles the rules again.
    ///
    /// The rules are drawn alone, without what else decides, such as the status of the fetch or fields of ACAP.
    pub fn drawing(&self, url: Option<&[u8]>) -> Option<Drawing> {
        let crawler = self.agent().crawler(self.dialect()).ok()?;
        let url = match url {
            Some(url) => Some(path_or_url(url)?),
            None => None,
        };
        Some(Drawing::new(inner::drawing(self.robots().policy(), &crawler, url, MOST_NODES)))
    }
}

/// A drawing of an automaton. Its `Display` is Graphviz DOT. See the [module](self).
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Drawing {
    /// The nodes.
    pub nodes: Vec<DrawnNode>,
    /// The edges between these nodes.
    pub edges: Vec<DrawnEdge>,
    /// The nodes that the URL visits, in order; empty without a URL.
    pub walk: Vec<VisitedNode>,
    /// Whether the drawing has all nodes and edges.
    pub is_complete: bool,
    #[cfg_attr(feature = "serde", serde(skip))]
    dot: String,
}

/// A node of a [`Drawing`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct DrawnNode {
    /// A name that no other node of the drawing has.
    pub id: String,
    /// `begin` of the text; `prefix`, a node of the trie of prefixes; `state` of the automaton that finds segments anywhere;
    /// `wait`, a place in patterns where the next segment is expected; `pattern` of a list; or `chain`, a pattern of very
    /// many segments.
    pub kind: &'static str,
    /// Text besides the rules. It can have several lines.
    pub label: String,
    /// The best rule that matches once a text has reached the node.
    pub rule: Option<DrawnRule>,
    /// The best rule that matches when a text ends at the node.
    pub end_rule: Option<DrawnRule>,
}

/// A rule at a node of a [`Drawing`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct DrawnRule {
    /// The 1-based line of the rule.
    pub line: u32,
    /// Whether the rule allows or disallows.
    pub access: Access,
}

/// An edge of a [`Drawing`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct DrawnEdge {
    /// The id of the node where it begins.
    pub from: String,
    /// The id of the node where it ends.
    pub to: String,
    /// The bytes that it reads, or its segments.
    pub label: String,
    /// `bytes`: by the next bytes. `segments`: by these segments, somewhere after the beginning of the edge. `wakes`: at
    /// once. `fails`: when no other edge of the node leads on.
    pub kind: &'static str,
}

/// A node that a URL visits.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct VisitedNode {
    /// The id of the node.
    pub node: String,
    /// The number of bytes of the path and query that were read before.
    pub position: usize,
}

impl Drawing {
    fn new(drawing: inner::Drawing) -> Self {
        let dot = drawing.to_string();
        let rule = |rule: inner::DrawnRule| DrawnRule { line: rule.line, access: Access::of(rule.access) };
        let inner::Drawing { nodes, edges, walk, is_complete } = drawing;
        let nodes = nodes.into_iter().map(|node| DrawnNode {
            id: node.id,
            kind: node.kind.as_str(),
            label: node.label,
            rule: node.rule.map(rule),
            end_rule: node.end_rule.map(rule),
        });
        let edges = edges.into_iter().map(|edge| DrawnEdge {
            from: edge.from,
            to: edge.to,
            label: edge.label,
            kind: edge.kind.as_str(),
        });
        let walk =
            walk.into_iter().map(|visited| VisitedNode { node: visited.node, position: visited.position });
        Drawing { nodes: nodes.collect(), edges: edges.collect(), walk: walk.collect(), is_complete, dot }
    }
}

impl fmt::Display for Drawing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.dot)
    }
}
