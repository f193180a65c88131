//! Finds the places of a source file that can be changed, and what they can be changed to.
//!
//! The changes are those of [cargo-mutants](https://mutants.rs/mutants.html):
//!
//! * A function returns a simple value at once. Of a function that returns some iterator, the iterator is empty.
//! * A binary operator, also with an assignment, is replaced by another one.
//! * A `!` or `-` is deleted.
//! * An arm of a `match` with a `_` is deleted. A guard is replaced by `true` or `false`.
//! * A field of a struct is left to the base of the expression.
//!
//! Nothing is changed in tests, macros, constants, `const fn` and `unsafe fn`, the capacities of vectors, and
//! implementations of `Debug`, `Display` and `Default`.

use std::ops::Range;

use anyhow::{Context, Result};
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, BinOp, Block, Expr, Pat, Signature, Stmt, UnOp};

use super::values;

/// Functions whose arguments only reserve memory.
const RESERVING: [&str; 4] = ["with_capacity", "with_capacity_in", "reserve", "reserve_exact"];

/// What a place is, and so how its choices are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// An expression.
    Expression,
    /// The iterator that a function returns. The only choice is that it is empty.
    Iterator,
    /// The start of the body of a function: a choice is the value that it returns.
    Body,
    /// The end of the pattern of an arm. The only choice is that the arm does not match.
    Arm,
}

/// A place that can be changed.
#[derive(Clone, Debug)]
pub struct Place {
    /// Where it is in the file. Places are nested, or apart.
    pub range: Range<usize>,
    /// What it is.
    pub form: Form,
    /// The line, from 1.
    pub line: usize,
    /// The function that it is in.
    pub function: String,
    /// What it can be changed to.
    pub choices: Vec<Choice>,
}

/// One change of a place.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The change in words.
    pub change: String,
    /// The text that replaces the place.
    pub with: String,
}

/// Finds all places of a file. One that contains another one comes first.
///
/// # Errors
/// If the text is no Rust.
pub fn places(text: &str) -> Result<Vec<Place>> {
    let file = syn::parse_file(text).context("not understood as Rust")?;
    let mut finder = Finder { text, names: Vec::new(), places: Vec::new() };
    finder.visit_file(&file);
    Ok(finder.places)
}

/// Whether tests are all that an item is for.
fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg")
                && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
    })
}

/// Whether an operand of `&&` is a `let`, which an `if` cannot contain in parentheses.
fn has_let(expression: &Expr) -> bool {
    match expression {
        Expr::Let(_) => true,
        Expr::Binary(binary) => {
            matches!(binary.op, BinOp::And(_)) && (has_let(&binary.left) || has_let(&binary.right))
        }
        _ => false,
    }
}

/// What replaces an operator.
fn replacements(op: &BinOp) -> &'static [&'static str] {
    match op {
        BinOp::Eq(_) => &["!="],
        BinOp::Ne(_) => &["=="],
        BinOp::And(_) => &["||"],
        BinOp::Or(_) => &["&&"],
        BinOp::Lt(_) => &["==", ">", "<="],
        BinOp::Gt(_) => &["==", "<", ">="],
        BinOp::Le(_) => &[">"],
        BinOp::Ge(_) => &["<"],
        BinOp::Add(_) => &["-", "*"],
        BinOp::Sub(_) | BinOp::Mul(_) => &["+", "/"],
        BinOp::Div(_) => &["%", "*"],
        BinOp::Rem(_) => &["/", "+"],
        BinOp::Shl(_) => &[">>"],
        BinOp::Shr(_) => &["<<"],
        BinOp::BitAnd(_) => &["|", "^"],
        BinOp::BitOr(_) => &["&", "^"],
        BinOp::BitXor(_) => &["|", "&"],
        BinOp::AddAssign(_) => &["-=", "*="],
        BinOp::SubAssign(_) | BinOp::MulAssign(_) => &["+=", "/="],
        BinOp::DivAssign(_) => &["%=", "*="],
        BinOp::RemAssign(_) => &["/=", "+="],
        BinOp::ShlAssign(_) => &[">>="],
        BinOp::ShrAssign(_) => &["<<="],
        BinOp::BitAndAssign(_) => &["|="],
        BinOp::BitOrAssign(_) => &["&="],
        BinOp::BitXorAssign(_) => &["|=", "&="],
        _ => &[],
    }
}

struct Finder<'a> {
    text: &'a str,
    names: Vec<String>,
    places: Vec<Place>,
}

impl Finder<'_> {
    fn source(&self, span: Span) -> &str {
        &self.text[span.byte_range()]
    }

    /// The text of a span in one line, and short.
    fn shown(&self, span: Span) -> String {
        const MOST: usize = 60;
        let text = self.source(span).split_whitespace().collect::<Vec<_>>().join(" ");
        if text.chars().count() <= MOST { text } else { text.chars().take(MOST).chain(['…']).collect() }
    }

    fn push(&mut self, range: Range<usize>, form: Form, line: usize, choices: Vec<Choice>) {
        if !choices.is_empty() {
            self.places.push(Place { range, form, line, function: self.names.join("::"), choices });
        }
    }

    fn expression(&mut self, span: Span, choices: Vec<Choice>) {
        self.push(span.byte_range(), Form::Expression, span.start().line, choices);
    }

    fn named(&mut self, name: String, visit: impl FnOnce(&mut Self)) {
        self.names.push(name);
        visit(self);
        self.names.pop();
    }

    fn function(&mut self, attributes: &[Attribute], signature: &Signature, block: &Block, returns: bool) {
        let is_unsafe = matches!(signature.safety, syn::Safety::Unsafe(_));
        if is_test(attributes) || signature.constness.is_some() || is_unsafe || block.stmts.is_empty() {
            return;
        }
        self.named(signature.ident.to_string(), |finder| {
            if returns {
                let start = block.brace_token.span.open().byte_range().end;
                let body = finder.text[start..block.brace_token.span.close().byte_range().start].trim();
                let choices = values::of(&signature.output, finder.text)
                    .into_iter()
                    .filter(|value| value != body)
                    .map(|value| Choice {
                        change: format!("return {value}").trim_end().to_owned(),
                        with: value,
                    })
                    .collect();
                finder.push(start..start, Form::Body, signature.ident.span().start().line, choices);
                if let (true, Some(Stmt::Expr(last, None))) =
                    (values::is_iterator(&signature.output), block.stmts.last())
                {
                    let choice =
                        Choice { change: "return an empty iterator".to_owned(), with: String::new() };
                    finder.push(
                        last.span().byte_range(),
                        Form::Iterator,
                        last.span().start().line,
                        vec![choice],
                    );
                }
            }
            finder.visit_block(block);
        });
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    // What cannot contain expressions that are evaluated when the program runs.
    fn visit_attribute(&mut self, _: &'ast Attribute) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_generics(&mut self, _: &'ast syn::Generics) {}
    fn visit_path(&mut self, _: &'ast syn::Path) {}
    fn visit_pat(&mut self, _: &'ast Pat) {}
    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}
    fn visit_item_enum(&mut self, _: &'ast syn::ItemEnum) {}
    fn visit_item_struct(&mut self, _: &'ast syn::ItemStruct) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}

    fn visit_expr_repeat(&mut self, repeat: &'ast syn::ExprRepeat) {
        self.visit_expr(&repeat.expr);
    }

    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if !is_test(&module.attrs) {
            self.named(module.ident.to_string(), |finder| visit::visit_item_mod(finder, module));
        }
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let is_of = |name: &str| {
            let path = item.trait_.as_ref().map(|(path, _)| path);
            path.and_then(|path| path.segments.last()).is_some_and(|last| last.ident == name)
        };
        if !is_test(&item.attrs) && !["Debug", "Display", "Default"].into_iter().any(is_of) {
            let name = self.shown(item.self_ty.span());
            self.named(name, |finder| visit::visit_item_impl(finder, item));
        }
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.named(item.ident.to_string(), |finder| visit::visit_item_trait(finder, item));
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.attrs, &item.sig, &item.block, true);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        // There is seldom a simple value that a constructor could return.
        self.function(&item.attrs, &item.sig, &item.block, item.sig.ident != "new");
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.function(&item.attrs, &item.sig, block, true);
        }
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        let reserves = matches!(&*call.func, Expr::Path(path)
            if path.path.segments.last().is_some_and(|last| RESERVING.iter().any(|name| last.ident == name)));
        if !reserves {
            visit::visit_expr_call(self, call);
        }
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        if RESERVING.iter().any(|name| call.method == name) {
            self.visit_expr(&call.receiver);
        } else {
            visit::visit_expr_method_call(self, call);
        }
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        if !has_let(&binary.left) && !has_let(&binary.right) {
            let [left, right] = [&binary.left, &binary.right].map(|operand| self.source(operand.span()));
            let operator = self.source(binary.op.span());
            let choices = replacements(&binary.op)
                .iter()
                .map(|new| Choice {
                    change: format!("{operator} to {new} in {}", self.shown(binary.span())),
                    with: format!("({left}) {new} ({right})"),
                })
                .collect();
            self.expression(binary.span(), choices);
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_unary(&mut self, unary: &'ast syn::ExprUnary) {
        if matches!(unary.op, UnOp::Not(_) | UnOp::Neg(_)) {
            let change = format!("delete {} in {}", self.source(unary.op.span()), self.shown(unary.span()));
            let with = format!("({})", self.source(unary.expr.span()));
            self.expression(unary.span(), vec![Choice { change, with }]);
        }
        visit::visit_expr_unary(self, unary);
    }

    fn visit_expr_struct(&mut self, item: &'ast syn::ExprStruct) {
        if let Some(rest) = &item.rest {
            let [path, rest] = [item.path.span(), rest.span()].map(|span| self.source(span));
            let field = |place: usize| self.source(item.fields[place].span());
            let choices = (0..item.fields.len())
                .map(|deleted| {
                    let others = (0..item.fields.len()).filter(|place| *place != deleted);
                    let others: String = others.map(|place| format!("{}, ", field(place))).collect();
                    Choice {
                        change: format!("delete field {}", self.shown(item.fields[deleted].span())),
                        with: format!("{path} {{ {others}..{rest} }}"),
                    }
                })
                .collect();
            self.expression(item.span(), choices);
        }
        visit::visit_expr_struct(self, item);
    }

    fn visit_expr_match(&mut self, item: &'ast syn::ExprMatch) {
        self.visit_expr(&item.expr);
        let has_wildcard = item.arms.iter().any(|arm| matches!(arm.pat, Pat::Wild(_)));
        for arm in &item.arms {
            match &arm.pat {
                Pat::Guard(guarded) => {
                    if !has_let(&guarded.guard) {
                        let shown = self.shown(guarded.span());
                        let choice = |value: &str| Choice {
                            change: format!("guard to {value} in {shown}"),
                            with: value.to_owned(),
                        };
                        self.expression(guarded.guard.span(), vec![choice("true"), choice("false")]);
                    }
                    self.visit_expr(&guarded.guard);
                }
                Pat::Wild(_) => {}
                pattern if has_wildcard => {
                    let change = format!("delete arm {}", self.shown(pattern.span()));
                    let end = pattern.span().byte_range().end;
                    let choice = Choice { change, with: String::new() };
                    self.push(end..end, Form::Arm, pattern.span().end().line, vec![choice]);
                }
                _ => {}
            }
            self.visit_expr(&arm.body);
        }
    }
}
