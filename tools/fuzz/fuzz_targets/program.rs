//! Programs, unions, sets of patterns and statement programs from arbitrary bytes: they are refused, or every walk stays
//! in bounds and ends.

#![no_main]

use libfuzzer_sys::fuzz_target;
use robomata_engine::Dialect;
use robomata_engine::automaton::{
    PatternSetRef, ProgramRef, Scratch, SelectedRules, UnionProgram, UnionScratch, Validator,
    compare_programs, idle_rules,
};
use robomata_permissions::{StatementProgramRef, StatementScratch};

// The last byte chooses what the bytes are taken for. It is at the end, so that seeds are programs and one byte.
fuzz_target!(|data: &[u8]| {
    let Some((&kind, bytes)) = data.split_last() else { return };
    let mut validator = Validator::new();
    // A second validation with the same memory must not see what the first one left.
    match kind % 4 {
        0 => {
            let is_valid = validator.validate(bytes).is_ok();
            assert_eq!(validator.validate(bytes).is_ok(), is_valid, "validated twice");
            match ProgramRef::from_bytes(bytes) {
                Ok(program) => walk(program),
                Err(_) => assert!(!is_valid, "validated and refused"),
            }
        }
        1 => {
            if UnionProgram::validate(bytes, &mut validator).is_ok() {
                walk_union(bytes);
            }
        }
        2 => {
            if let Ok(set) = PatternSetRef::from_bytes(bytes, &mut validator) {
                let mut scratch = Scratch::new();
                for text in texts(bytes) {
                    set.each_match(text, &mut scratch, |number| {
                        assert!(number < set.len(), "a pattern that exists")
                    });
                }
                let _ = set.shapes(Dialect::default());
            }
        }
        _ => {
            if StatementProgramRef::validate(bytes, &mut validator).is_ok() {
                let program = StatementProgramRef::from_raw(bytes).expect("a valid program is one");
                let (mut scratch, mut statements) = (Scratch::new(), StatementScratch::default());
                for text in texts(bytes) {
                    let _ = program.verdict(text, &mut scratch, &mut statements);
                    let _ = program.tdmrep(text, &mut scratch, &mut statements);
                }
                let _ = program.shapes(Dialect::default());
            }
        }
    }
});

/// Texts that any program is walked with: usual ones, and the bytes of the program, which contain its patterns.
fn texts(bytes: &[u8]) -> [&[u8]; 6] {
    let half = bytes.len() / 2;
    [
        b"",
        b"/",
        b"/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/b.gif?c=d",
        bytes,
        &bytes[half..],
        &bytes[..half],
    ]
}

fn walk(program: ProgramRef<'_>) {
    let mut scratch = Scratch::new();
    for text in texts(program.bytes()) {
        let verdict = program.verdict(text, &mut scratch);
        assert_eq!(program.prepare().verdict(text, &mut scratch), verdict, "prepared");
        let ranks = program.matching_ranks(text, &mut scratch);
        assert!(ranks.iter().all(|&rank| rank <= program.rule_count()), "ranks that exist");
        assert!(program.steps(text, &mut scratch) < 1 << 40, "a walk ends");
    }
    let _ = (format!("{program:?}"), program.drawing(None, 2_000).to_string());
    for dialect in Dialect::ALL {
        if let Ok(rules) = program.rules(dialect) {
            let _ = idle_rules(program, &rules, dialect);
            let _ = compare_programs(program, program, dialect, &Default::default());
        }
    }
}

fn walk_union(bytes: &[u8]) {
    let union = UnionProgram::find(bytes).expect("a valid union is one");
    let groups = [&[][..], &[0], &[0, 1, 2, 3], &[1, 7, 1_000_000]].map(|numbers: &[u32]| {
        let mut groups = Vec::new();
        numbers.iter().for_each(|&number| UnionProgram::push_group(number, &mut groups));
        groups
    });
    let (mut scratch, mut union_scratch) = (Scratch::new(), UnionScratch::default());
    let selections: Vec<SelectedRules<'_>> =
        groups.iter().map(|groups| union.select(groups).expect("groups are numbers")).collect();
    for text in texts(bytes) {
        let alone: Vec<_> = selections.iter().map(|rules| rules.verdict(text, &mut scratch)).collect();
        let selection = |index: usize| selections.get(index);
        let together: Vec<_> =
            SelectedRules::verdicts(&selection, text, &mut scratch, &mut union_scratch).collect();
        // What a compiler did not make can be walked, but its answers mean nothing.
        assert_eq!(alone.len(), together.len(), "a verdict for each selection");
    }
    for rules in &selections {
        let _ = rules.program(Dialect::default());
    }
}
