//! Writes the table of `look_alikes.rs`: the characters that look like ASCII, from the tables of Unicode.

use std::path::Path;

use unicode_script::{Script, UnicodeScript};

/// Characters in a row that look like the same ASCII text.
struct Row {
    first: char,
    last: char,
    plain: String,
    is_foreign: bool,
}

/// Appends `n` as LEB128.
fn push_varint(out: &mut Vec<u8>, mut n: u32) {
    while n >= 0x80 {
        out.push(n.to_le_bytes()[0] | 0x80);
        n >>= 7;
    }
    out.push(n.to_le_bytes()[0]);
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
    // In columns, whose values resemble each other, so that the table is also small in a compressed program.
    let mut columns = [Vec::new(), Vec::new(), Vec::new()];
    let mut next = 0;
    for Row { first, last, plain, is_foreign } in rows {
        let (first, last) = (u32::from(first), u32::from(last));
        push_varint(&mut columns[0], first - next);
        push_varint(&mut columns[1], (last - first) << 1 | u32::from(is_foreign));
        columns[2].extend_from_slice(plain.as_bytes());
        columns[2].push(0);
        next = last + 1;
    }
    let table = format!("[{}]", columns.map(|column| format!("&{column:?}")).join(", "));
    let folder = std::env::var_os("OUT_DIR").expect("cargo sets it");
    std::fs::write(Path::new(&folder).join("look_alikes.rs"), table).expect("the folder of the build");
}
