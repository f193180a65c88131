//! ACAP in robots.txt, by the rows of `crates/PERMISSIONS.md`, A1 to A13.

mod definitions;
mod hostile;
mod permissions;
mod qualifiers;
mod records;
mod references;

use robomata_policy::acap::{Acap, Field, ReferencedFile, Resources};
use robomata_policy::{Address, Policy, Says};
use robomata_protocol::{Crawler, Dialect, Place};
use robomata_syntax::Config;

/// The statements of a single file.
fn acap(file: &str) -> Acap {
    with_files(file, &[])
}

/// The statements of a file and of the files supplied with it.
fn with_files(file: &str, files: &[(&str, &str)]) -> Acap {
    let policy = Policy::new(file.as_bytes(), &Config::new(Dialect::Acap));
    let files: Vec<ReferencedFile<'_>> =
        files.iter().map(|(locator, file)| ReferencedFile { locator, bytes: file.as_bytes() }).collect();
    Acap::read(&policy, &files).unwrap()
}

/// The statements for the crawler FooBot.
fn said(file: &str) -> Vec<String> {
    said_to("FooBot", &acap(file))
}

/// The statements for a crawler, one line per field: its line, `named` or `any`, the permission, the resources, the
/// purposes.
fn said_to(crawler: &str, acap: &Acap) -> Vec<String> {
    let fields = acap.fields_for(&Crawler::new(crawler));
    fields
        .iter()
        .map(|addressed| {
            let address = if addressed.address == Address::Named { "named" } else { "any" };
            format!("{} {address} {}", place(addressed.field), sentence(acap, addressed.field))
        })
        .collect()
}

fn place(field: &Field) -> String {
    match field.source.place {
        Place::Referenced(number) => format!("{number}:{}", field.source.line),
        _ => field.source.line.to_string(),
    }
}

fn sentence(acap: &Acap, field: &Field) -> String {
    let usage = field.usage;
    let mut sentence = match field.says {
        Says::Prohibited(reason) => format!("-{usage} ({reason})"),
        Says::Permitted(list) => {
            let qualifiers = acap.qualifiers(list).map(|qualifier| format!(" {qualifier}"));
            format!("+{usage}{}", qualifiers.collect::<String>())
        }
    };
    let patterns = match &field.resources {
        Resources::Pattern(pattern) => std::slice::from_ref(pattern),
        Resources::Set(set) => acap.set(*set),
    };
    for pattern in patterns {
        sentence += &format!(" <{}>", acap.pattern(*pattern).escape_ascii());
    }
    if let Some(purposes) = field.purposes {
        let purposes = acap.purpose_patterns(purposes).map(|purpose| purpose.escape_ascii().to_string());
        sentence += &format!(" for [{}]", purposes.collect::<Vec<_>>().join(" "));
    }
    sentence
}

/// The diagnostics: line and code.
fn odd(acap: &Acap) -> Vec<String> {
    acap.diagnostics().iter().map(|found| format!("{} {}", found.line, found.kind.code())).collect()
}
