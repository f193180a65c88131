//! Dates of `unavailable_after`.

use crate::generate::Rng;

/// A date in the last days of 2007, in one of the forms of row P10 or nearly so: a weekday, a day, a time with a fraction,
/// and a zone. Its quarters of a day are those of the other generated times.
pub(super) fn text(rng: &mut Rng) -> String {
    let day = 29 + rng.below(3);
    let mut date = String::new();
    // The year of asctime comes after the time.
    let asctime = rng.chance(12);
    if rng.chance(30) {
        date.push_str(rng.pick(&["Mon", "MON", "Monday", "monday", "Sun", "Tues", "x"]));
        date.push_str(rng.pick(&[", ", ", ", " ", " ", ",", " , ", ""]));
    }
    date.push_str(&match rng.below(26) {
        _ if asctime => format!("Dec{}{day}", rng.pick(BLANKS)),
        0..5 => format!("2007-12-{day}"),
        5..9 => format!("200712{day}"),
        9 => format!("2007/12{}{day}", rng.pick(&["/", "/", "/", "-", ""])),
        10..13 => format!("{day} Dec 2007"),
        13 => format!("{day} dec 07"),
        14 | 15 => format!("{day}-Dec-07"),
        16 => format!("{day}-DEC-2007"),
        17 => format!("2007-12{day}"),
        18..22 => {
            let month = rng.pick(&["Dec", "December", "DEC", "decem", "De"]);
            let year = rng.pick(&["2007", "2007", "2007", "07"]);
            format!("{month}{}{day}{}{year}", rng.pick(BLANKS), rng.pick(&[", ", ",", " , ", " ", "\t", "-"]))
        }
        22 | 23 => format!("12/{day}/2007"),
        _ => {
            rng.pick(&["2007-W53-1", "2007-365", "2007365", "2007-12", "2007", "20071232", "soon"]).to_owned()
        }
    });
    if rng.chance(80) {
        date.push_str(rng.pick(&[" ", " ", " ", "T", "T", "t", "\t ", ""]));
        time(rng, &mut date);
        if !asctime || rng.chance(10) {
            zone(rng, &mut date);
        }
    }
    if asctime {
        date.push_str(rng.pick(BLANKS));
        date.push_str(rng.pick(&["2007", "2007", "2007", "07", "2007 noon"]));
        zone(rng, &mut date);
    }
    if rng.chance(15) {
        date.push_str(rng.pick(COMMENTS));
    }
    date
}

const BLANKS: &[&str] = &[" ", " ", " ", "  ", "\t", "-", ""];

/// Comments, and texts in parentheses that are none.
const COMMENTS: &[&str] =
    &[" (UTC)", "(UTC)", "\t(a, b)", " ()", " (noindex)", " (a) (b)", " (a(b))", " (a", " a)", " (a) b"];

fn time(rng: &mut Rng, date: &mut String) {
    let hour = rng.pick(&["00", "06", "06", "12", "18"]);
    let short = hour.trim_start_matches('0');
    date.push_str(&match rng.below(20) {
        0..3 => format!("{hour}:00"),
        3..7 => format!("{hour}:00:00"),
        7..9 => format!("{hour}00"),
        9..12 => format!("{hour}0000"),
        12 | 13 => format!("{short}:00"),
        14 => format!("{short}:00:00"),
        15 => format!("{hour}:59:60"),
        16 => format!("{hour}5960"),
        _ => rng
            .pick(&["24:00", "24:00:00", "2400", "6", "06", "600", "06:0", "06:60", "06:00:61", "06:00:"])
            .to_owned(),
    });
    if rng.chance(25) {
        date.push_str(rng.pick(&[".5", ",5", ",5", ".250", ",0", ".", ",", ".5.5"]));
    }
}

fn zone(rng: &mut Rng, date: &mut String) {
    date.push_str(rng.pick(&[
        "", "", "", "Z", "Z", "z", " Z", " GMT", " GMT", "GMT", " UTC", " EST", " pdt", "+06", "-0600",
        "+06:00", " -06:00", " +0630", "+6", "+24:00", " CET", " GMT+6",
    ]));
}
