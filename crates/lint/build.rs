//! Writes the table of `look_alikes.rs`: the characters that look like ASCII, from the tables of Unicode.

use std::fmt::Write as _;
use std::path::Path;

use unicode_script::{Script, UnicodeScript};

/// Characters in a row that look like the same ASCII text.
struct Row {
    first: char,
    last: char,
    plain: String,
    is_foreign: bool,
}

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let mut rows: Vec<Row> = Vec::new();
    for c in '\0'..=char::MAX {
        let plain: String = unicode_security::skeleton(c.encode_utf8(&mut [0; 4])).collect();
        if !plain.is_ascii() || plain.chars().eq([c]) {
            continue;
        }
        let is_foreign = !matches!(c.script(), Script::Latin | Script::Common);
        match rows.last_mut() {
            Some(row)
                if u32::from(row.last) + 1 == u32::from(c)
                    && row.plain == plain
                    && row.is_foreign == is_foreign =>
            {
                row.last = c;
            }
            _ => rows.push(Row { first: c, last: c, plain, is_foreign }),
        }
    }
    let mut table = "&[\n".to_owned();
    for Row { first, last, plain, is_foreign } in rows {
        let _ = writeln!(table, "    ({first:?}, {last:?}, {plain:?}, {is_foreign}),");
    }
    table.push_str("]\n");
    let folder = std::env::var_os("OUT_DIR").expect("cargo sets it");
    std::fs::write(Path::new(&folder).join("look_alikes.rs"), table).expect("the folder of the build");
}
