//! Simple values of a type, as far as its text shows them. Some do not compile.

use syn::spanned::Spanned;
use syn::{Expr, GenericArgument, PathArguments, ReturnType, Type, TypeParamBound};

/// Values that a function can return at once.
pub fn of(output: &ReturnType, text: &str) -> Vec<String> {
    match output {
        ReturnType::Default => vec![String::new()],
        ReturnType::Type(_, of) => values(of, text),
    }
}

/// Whether a function returns some iterator.
pub fn is_iterator(output: &ReturnType) -> bool {
    let ReturnType::Type(_, of) = output else { return false };
    let Type::ImplTrait(iterator) = &**of else { return false };
    iterator.bounds.iter().any(|bound| {
        let TypeParamBound::Trait(bound) = bound else { return false };
        bound.path.segments.last().is_some_and(|last| last.ident == "Iterator")
    })
}

fn owned(values: &[&str]) -> Vec<String> {
    values.iter().map(|value| (*value).to_owned()).collect()
}

fn values(of: &Type, text: &str) -> Vec<String> {
    let each = |inner: &Type, write: &dyn Fn(&str) -> String| -> Vec<String> {
        values(inner, text).iter().map(|value| write(value)).collect()
    };
    // An empty one, and one for each simple value of what it contains.
    let filled = |empty: &str, inner: &Type, write: &dyn Fn(&str) -> String| -> Vec<String> {
        [vec![empty.to_owned()], each(inner, write)].concat()
    };
    match of {
        Type::Path(path) => {
            let Some(last) = path.path.segments.last() else { return owned(&["Default::default()"]) };
            let name = last.ident.to_string();
            let types: Vec<&Type> =
                match &last.arguments {
                    PathArguments::AngleBracketed(arguments) => arguments
                        .args
                        .iter()
                        .filter_map(|argument| {
                            if let GenericArgument::Type(inner) = argument { Some(inner) } else { None }
                        })
                        .collect(),
                    _ => Vec::new(),
                };
            match (name.as_str(), &types[..]) {
                ("bool", []) => owned(&["true", "false"]),
                ("String", []) => owned(&["String::new()", "\"xyzzy\".into()"]),
                ("u8" | "u16" | "u32" | "u64" | "u128" | "usize", []) => owned(&["0", "1"]),
                ("i8" | "i16" | "i32" | "i64" | "i128" | "isize", []) => owned(&["0", "1", "-1"]),
                ("f32" | "f64", []) => owned(&["0.0", "1.0", "-1.0"]),
                ("NonZero", [_]) => owned(&["1.try_into().unwrap()"]),
                (name, []) if name.starts_with("NonZero") => owned(&["1.try_into().unwrap()"]),
                ("Result", []) => owned(&["Ok(Default::default())"]),
                ("Result", [inner, ..]) => {
                    each(inner, &|value| format!("Ok({})", if value.is_empty() { "()" } else { value }))
                }
                ("Option", [inner]) => filled("None", inner, &|value| format!("Some({value})")),
                ("Vec", [inner]) => filled("vec![]", inner, &|value| format!("vec![{value}]")),
                ("Cow", [inner]) => [
                    each(inner, &|value| format!("Cow::Borrowed({value})")),
                    each(inner, &|value| format!("Cow::Owned({value}.to_owned())")),
                ]
                .concat(),
                ("Box" | "Cell" | "RefCell" | "Arc" | "Rc" | "Mutex", [inner]) => {
                    each(inner, &|value| format!("{name}::new({value})"))
                }
                ("BTreeMap" | "HashMap", [key, value]) => {
                    let empty = vec![format!("{name}::new()")];
                    let pairs = product(&[values(key, text), values(value, text)]);
                    [empty, pairs.iter().map(|pair| format!("{name}::from_iter([{pair}])")).collect()]
                        .concat()
                }
                ("BinaryHeap" | "BTreeSet" | "HashSet" | "VecDeque", [inner]) => {
                    filled(&format!("{name}::new()"), inner, &|value| format!("{name}::from_iter([{value}])"))
                }
                _ => owned(&["Default::default()"]),
            }
        }
        Type::Array(array) => {
            let length: &Expr = &array.len;
            let length = &text[length.span().byte_range()];
            each(&array.elem, &|value| format!("[{value}; {length}]"))
        }
        Type::Slice(slice) => {
            filled("Vec::leak(Vec::new())", &slice.elem, &|value| format!("Vec::leak(vec![{value}])"))
        }
        Type::Reference(reference) => match &*reference.elem {
            Type::Path(path) if path.path.is_ident("str") => owned(&["\"\"", "\"xyzzy\""]),
            slice @ Type::Slice(_) => values(slice, text),
            other => each(other, &|value| format!("Box::leak(Box::new({value}))")),
        },
        Type::Tuple(tuple) if tuple.elems.is_empty() => vec![String::new()],
        Type::Tuple(tuple) => {
            product(&tuple.elems.iter().map(|inner| values(inner, text)).collect::<Vec<_>>())
        }
        // All that a function returns has one type, which has no name.
        Type::ImplTrait(_) | Type::Never(_) => Vec::new(),
        _ => owned(&["Default::default()"]),
    }
}

/// All tuples with one value of each list.
fn product(lists: &[Vec<String>]) -> Vec<String> {
    let mut tuples = vec![String::new()];
    for list in lists {
        tuples = tuples
            .iter()
            .flat_map(|tuple| list.iter().map(move |value| format!("{tuple}{value}, ")))
            .collect();
    }
    tuples.iter().map(|tuple| format!("({})", tuple.trim_end())).collect()
}
