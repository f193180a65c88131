//! The C interface: sequences of calls, with the memory of a caller that AddressSanitizer watches.

#![no_main]

use std::ptr;

use libfuzzer_sys::fuzz_target;
use robomata_abi::*;
use robomata_fuzz::{FIELD, file, items};

/// The time of queries about permissions, also in `replay.mjs`.
const NOW: i64 = 1_800_000_000;

/// The objects that a caller holds, and places for more.
#[derive(Default)]
struct Caller<'d> {
    robots: Vec<*mut RobomataRobots>,
    rules: Vec<*mut RobomataRules>,
    bundle: Option<*mut RobomataBundle>,
    texts: Vec<&'d [u8]>,
}

// The first part is the calls, three bytes each: a function, and which of the other parts and objects it gets. The same
// inputs are given to the WebAssembly module (`replay.mjs`).
fuzz_target!(|data: &[u8]| {
    let (calls, texts) = data.split_at(data.iter().position(|&byte| byte == FIELD).unwrap_or(data.len()));
    let mut caller =
        Caller { texts: texts.split(|&byte| byte == FIELD).skip(1).take(16).collect(), ..Caller::default() };
    for call in calls.as_chunks::<3>().0.iter().take(32) {
        caller.call(*call);
    }
    for robots in caller.robots {
        // SAFETY: it was returned by the library, and is freed once.
        unsafe { robomata_robots_free(robots) };
    }
    for rules in caller.rules {
        // SAFETY: as above. Rules remain when their robots.txt is freed.
        unsafe { robomata_rules_free(rules) };
    }
    if let Some(bundle) = caller.bundle {
        // SAFETY: as above.
        unsafe { robomata_bundle_free(bundle) };
    }
});

impl<'d> Caller<'d> {
    /// A text in memory of its own, as long as it says: an access outside it is seen.
    fn text(&self, number: u8) -> Box<[u8]> {
        let text = self.texts.get(usize::from(number) % self.texts.len().max(1));
        text.copied().unwrap_or_default().into()
    }

    fn robots(&self, number: u8) -> *const RobomataRobots {
        let robots = self.robots.get(usize::from(number) % self.robots.len().max(1));
        robots.map_or(ptr::null(), |robots| robots.cast_const())
    }

    fn rules(&self, number: u8) -> *const RobomataRules {
        let rules = self.rules.get(usize::from(number) % self.rules.len().max(1));
        rules.map_or(ptr::null(), |rules| rules.cast_const())
    }

    fn call(&mut self, [function, first, second]: [u8; 3]) {
        let text = self.text(first);
        let (data, length) = (text.as_ptr(), text.len());
        // Too small ones are refused. No input is longer than the others.
        let limit = [0, 512_000, 511_999, u32::MAX][usize::from(function / 64)];
        let mut verdict =
            RobomataVerdict { verdict: 0xee, reason: 0xee, reserved: 0xeeee, line: 0xeeee_eeee };
        let untouched = verdict;
        let mut out: *mut RobomataText = ptr::null_mut();
        // SAFETY: texts are as long as they say, objects were returned by the library and are not freed, and the places for
        // results are there.
        let code = unsafe {
            match function % 16 {
                0 | 1 => {
                    let mut robots = ptr::null_mut();
                    let (dialect, out) = (u32::from(second % 6), &raw mut robots);
                    let status = [200, 404, 503, 0, 1000, 301, 70_000][usize::from(second / 6) % 7];
                    let code = if function % 16 == 0 {
                        robomata_robots_parse(data, length, dialect, status, out)
                    } else {
                        robomata_robots_parse_within(data, length, dialect, status, limit, out)
                    };
                    self.robots.extend(Some(robots).filter(|_| code == ROBOMATA_OK));
                    code
                }
                2 | 3 => {
                    let mut rules = ptr::null_mut();
                    let code = robomata_rules_new(self.robots(second), data, length, &raw mut rules);
                    self.rules.extend(Some(rules).filter(|_| code == ROBOMATA_OK));
                    code
                }
                4 => robomata_check(self.rules(second), data, length, &raw mut verdict),
                5 => robomata_check_any_text(self.rules(second), data, length, &raw mut verdict),
                6 => self.check_batch(&text, second),
                7 => robomata_explain(self.rules(second), data, length, &raw mut out),
                8 => robomata_summary(self.robots(second), data, length, &raw mut out),
                9 => robomata_changes(
                    self.robots(second),
                    self.robots(second / 16),
                    data,
                    length,
                    &raw mut out,
                ),
                10 => robomata_lint_within(data, length, u32::from(second % 6), limit, &raw mut out),
                11 => {
                    let url = self.text(second / 16);
                    robomata_permissions(
                        self.robots(second % 16),
                        data,
                        length,
                        url.as_ptr(),
                        url.len(),
                        NOW,
                        &raw mut out,
                    )
                }
                12 => self.open(&text),
                13 => robomata_bundle_summary(self.bundle.map_or(ptr::null(), |bundle| bundle), &raw mut out),
                14 => {
                    if !self.robots.is_empty() {
                        robomata_robots_free(self.robots.swap_remove(usize::from(first) % self.robots.len()));
                    }
                    ROBOMATA_OK
                }
                _ => {
                    if !self.rules.is_empty() {
                        robomata_rules_free(self.rules.swap_remove(usize::from(first) % self.rules.len()));
                    }
                    ROBOMATA_OK
                }
            }
        };
        assert_ne!(code, ROBOMATA_ERROR_INTERNAL, "{}", last_error());
        if code == ROBOMATA_OK {
            // SAFETY: the library returned the text, if there is one.
            unsafe {
                read(out);
                robomata_text_free(out);
            }
        } else {
            assert!(out.is_null() && verdict == untouched, "a call that fails writes to none of its outputs");
            assert!(!last_error().is_empty(), "a call that fails says why");
        }
        if verdict != untouched {
            assert!(verdict.verdict <= ROBOMATA_UNKNOWN && verdict.reserved == 0, "{verdict:?}");
        }
    }

    /// URLs in one buffer, with the right offsets or with others.
    fn check_batch(&self, text: &[u8], second: u8) -> i32 {
        let rules = self.rules(second);
        let mut offsets = vec![0_u32];
        for item in items(text, 16) {
            let end = offsets.last().copied().unwrap_or(0) + u32::try_from(item.len()).unwrap_or(0);
            offsets.push(end.min(u32::try_from(text.len()).unwrap_or(0)));
        }
        if second & 0x80 > 0 {
            let at = usize::from(second & 7) % offsets.len();
            offsets[at] = offsets[at].wrapping_sub(u32::from(second & 0x38));
        }
        let offsets = offsets.into_boxed_slice();
        let count = offsets.len() - 1;
        let mut verdicts = vec![RobomataVerdict::default(); count].into_boxed_slice();
        // SAFETY: there are as many offsets and places as the function expects, and the text is as long as it says.
        let code = unsafe {
            robomata_check_batch(
                rules,
                text.as_ptr(),
                text.len(),
                offsets.as_ptr(),
                count,
                verdicts.as_mut_ptr(),
            )
        };
        if code == ROBOMATA_OK {
            for (index, verdict) in verdicts.iter().enumerate() {
                let url: Box<[u8]> = text[offsets[index] as usize..offsets[index + 1] as usize].into();
                let mut alone = RobomataVerdict::default();
                // SAFETY: as above.
                let code = unsafe { robomata_check(rules, url.as_ptr(), url.len(), &raw mut alone) };
                assert!(code == ROBOMATA_OK && alone == *verdict, "the same verdict alone and among others");
            }
        }
        code
    }

    /// Opens the text as a bundle, from a file.
    fn open(&mut self, text: &[u8]) -> i32 {
        if self.bundle.is_some() {
            return ROBOMATA_OK;
        }
        let path = file::write("x.bundle", text);
        let path = path.to_str().expect("the name of a temporary folder is a text").as_bytes();
        let mut bundle = ptr::null_mut();
        // SAFETY: the path is as long as it says.
        let code = unsafe { robomata_bundle_open(path.as_ptr(), path.len(), &raw mut bundle) };
        self.bundle = Some(bundle).filter(|_| code == ROBOMATA_OK);
        code
    }
}

/// Reads all of a text: it is UTF-8.
unsafe fn read(text: *const RobomataText) {
    // SAFETY: the caller promises that the library returned the text.
    let bytes = unsafe {
        let data = robomata_text_data(text);
        if data.is_null() {
            return;
        }
        std::slice::from_raw_parts(data, robomata_text_length(text))
    };
    let text = std::str::from_utf8(bytes).expect("texts are UTF-8");
    assert!(text.starts_with(['{', '[']) && text.ends_with(['}', ']']), "JSON");
}

fn last_error() -> String {
    let (mut text, mut length) = (ptr::null(), 0);
    // SAFETY: both can be written, and the text is copied before the next call.
    unsafe {
        robomata_last_error(&raw mut text, &raw mut length);
        String::from_utf8_lossy(std::slice::from_raw_parts(text, length)).into_owned()
    }
}
