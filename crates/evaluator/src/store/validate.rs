//! What must hold before octets are trusted to be a store: no look-up may leave them or fail to end, and every program
//! must be safe to walk.

use std::ops::Range;

use robomata_automaton::ProgramRef;
use robomata_protocol::{Crawler, Dialect};
use xxhash_rust::xxh3::Xxh3;

use super::image::{
    CHECKSUM_AT, FIRST_PROGRAM, HEADER, LABEL, Meta, OpenError, SECTIONS, SITE_FIXED, Sections, VERSION,
    index_of, u32_at, u64_at,
};

fn ensure(holds: bool, expected: &'static str) -> Result<(), OpenError> {
    if holds { Ok(()) } else { Err(OpenError::Invalid(expected)) }
}

/// Finds the sections and checks all that they hold.
pub(super) fn validate(octets: &[u8]) -> Result<(Sections, Meta), OpenError> {
    ensure(octets.len() >= HEADER && octets.starts_with(LABEL), "the label 'robomata' at the start")?;
    ensure(u32_at(octets, 2) == VERSION, "a bundle of version 1")?;
    let [meta, slots, sites, names, index, programs] = find_sections(octets)?;
    ensure(checksum(octets) == u64_at(&octets[CHECKSUM_AT..], 0), "octets that agree with their checksum")?;
    let meta = read_meta(&octets[meta])?;
    let crawlers = u32_at(octets, 3) as usize;
    ensure(meta.crawlers.len() == crawlers, "as many crawlers as the header says")?;

    let sections = Sections { crawlers, slots, sites, names, index, programs };
    let program_count = validate_programs(octets, &sections)?;
    let site_count = validate_sites(octets, &sections, program_count)?;
    validate_slots(&octets[sections.slots.clone()], site_count)?;
    Ok((sections, meta))
}

/// The checksum that a bundle should carry.
pub(super) fn checksum(octets: &[u8]) -> u64 {
    let mut hasher = Xxh3::new();
    hasher.update(&octets[..CHECKSUM_AT]);
    hasher.update(&octets[HEADER..]);
    hasher.digest()
}

fn find_sections(octets: &[u8]) -> Result<[Range<usize>; SECTIONS], OpenError> {
    let mut sections: [Range<usize>; SECTIONS] = Default::default();
    let mut at = HEADER;
    for (number, section) in sections.iter_mut().enumerate() {
        let field = &octets[16 + number * 16..];
        let (offset, length) = (u64_at(field, 0), u64_at(field, 1));
        let end = offset.checked_add(length).filter(|&end| end <= octets.len() as u64);
        ensure(offset == at as u64, "sections one behind the other")?;
        let end = index_of(end.ok_or(OpenError::Invalid("a file as long as its sections"))?);
        *section = at..end;
        at = end;
    }
    ensure(at == octets.len(), "a file as long as its sections")?;
    Ok(sections)
}

fn read_meta(meta: &[u8]) -> Result<Meta, OpenError> {
    let text = std::str::from_utf8(meta).map_err(|_| OpenError::Invalid("a description in UTF-8"))?;
    let mut lines = text.lines();
    let dialect: Option<Dialect> = lines.next().and_then(|name| name.parse().ok());
    let dialect = dialect.ok_or(OpenError::Invalid("the name of a dialect that this version knows"))?;
    let crawlers = lines.map(Crawler::new).collect();
    Ok(Meta { dialect, crawlers })
}

fn validate_programs(octets: &[u8], sections: &Sections) -> Result<usize, OpenError> {
    let index = &octets[sections.index.clone()];
    ensure(index.len().is_multiple_of(8) && !index.is_empty(), "a whole index of programs")?;
    let programs = &octets[sections.programs.clone()];
    let mut start = 0;
    ensure(u64_at(index, 0) == 0, "programs from the section's start on")?;
    for number in 1..index.len() / 8 {
        let end = u64_at(index, number);
        ensure(end >= start && end <= programs.len() as u64, "programs one behind the other")?;
        ProgramRef::from_octets(&programs[index_of(start)..index_of(end)])?;
        start = end;
    }
    ensure(start == programs.len() as u64, "programs up to the section's end")?;
    Ok(index.len() / 8 - 1)
}

fn validate_sites(octets: &[u8], sections: &Sections, program_count: usize) -> Result<usize, OpenError> {
    let size = SITE_FIXED + 4 * sections.crawlers;
    let sites = &octets[sections.sites.clone()];
    ensure(sites.len().is_multiple_of(size), "whole sites")?;
    for site in sites.chunks_exact(size) {
        let length = u64::from(u32_at(&site[8..], 0));
        let end = u64_at(site, 0).checked_add(length);
        ensure(end.is_some_and(|end| end <= sections.names.len() as u64), "site names within their section")?;
        for crawler in 0..sections.crawlers {
            let decider = u32_at(&site[SITE_FIXED..], crawler);
            let exists = (decider as usize) < program_count + FIRST_PROGRAM as usize;
            ensure(exists, "sites whose programs exist")?;
        }
    }
    Ok(sites.len() / size)
}

fn validate_slots(slots: &[u8], site_count: usize) -> Result<(), OpenError> {
    ensure(slots.len().is_multiple_of(8) && (slots.len() / 8).is_power_of_two(), "a power of two of slots")?;
    let mut free = false;
    for slot in 0..slots.len() / 8 {
        let slot = u64_at(slots, slot);
        free |= slot == 0;
        let number = slot & 0xFFFF_FFFF;
        ensure(slot == 0 || (1..=site_count as u64).contains(&number), "slots whose sites exist")?;
    }
    ensure(free, "a free slot, where look-ups end")
}
