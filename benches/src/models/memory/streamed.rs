//! A store of more sites than a corpus in memory could have. The collection is generated during the build of the store.

use anyhow::{Context as _, Result, ensure};
use robomata_corpus::Spec;
use robomata_engine::{PolicyStore, Site};
use robomata_reference::Reference;

use super::{child_command, parts_of, resident_bytes};
use crate::corpus::{CorpusName, generated};
use crate::definition::Definition;
use crate::engines::{STORE, Setting, site_of, store_of_spec};
use crate::results::Sample;

/// The argument of a child in place of a file.
pub(super) const FROM: &str = "generated:";

/// The profile of a definition whose corpus is never in memory.
pub(super) fn profile(definition: &Definition) -> Result<Option<String>> {
    Ok(match definition.corpus_name()? {
        CorpusName::Generated(profile) if profile.starts_with("sites-") => Some(profile),
        _ => None,
    })
}

pub(super) fn run(definition: &Definition, profile: &str) -> Result<Vec<Sample>> {
    let sites = usize::try_from(generated::spec(profile)?.sites)?;
    let mut command = child_command(definition, STORE);
    let output = command.arg("--from").arg(format!("{FROM}{profile}")).output()?;
    ensure!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout)?;
    let mut columns = text.trim().splitn(3, '\t');
    let mut column = || columns.next().context("expected three columns from the child");
    let (store, resident, note) = (column()?.parse::<f64>()?, column()?.parse::<f64>().ok(), column()?);
    let sample = |measure: &str, bytes: f64| Sample {
        engine: STORE.to_owned(),
        measure: measure.to_owned(),
        unit: "bytes/site",
        items: sites,
        values: vec![bytes / sites.max(1) as f64],
        note: note.to_owned(),
    };
    let resident = resident.map(|bytes| sample("resident", bytes));
    Ok([sample("store", store)].into_iter().chain(resident).collect())
}

/// The child process: prints the size of the store, its memory growth, and a note.
pub(super) fn child(profile: &str, setting: &Setting) -> Result<()> {
    let spec = generated::spec(profile)?;
    let before = resident_bytes("self");
    let store = store_of_spec(&spec, setting);
    let after = resident_bytes("self");
    let grown = before.zip(after).map(|(before, after)| after.saturating_sub(before).to_string());
    let verified = verify(&store, &spec, setting)?;
    let note = format!("{}; {verified} answers verified", parts_of(&store));
    println!("{}\t{}\t{note}", store.bytes().len(), grown.as_deref().unwrap_or("-"));
    Ok(())
}

/// Compares the answers for some URLs of some sites with the reference. Returns their number.
fn verify(store: &PolicyStore, spec: &Spec, setting: &Setting) -> Result<usize> {
    const SITES: u64 = 2_000;
    const URLS: u64 = 5;
    let crawler = setting.crawler();
    let mut checker = store.checker(&crawler)?;
    let (mut body, mut url, mut verified) = (Vec::new(), Vec::new(), 0);
    for number in (0..spec.sites).step_by(usize::try_from(spec.sites.div_ceil(SITES))?) {
        body.clear();
        spec.body(spec.policy_of(number), &mut body);
        let reference = Reference::new(&body, None, &crawler, setting.dialect);
        let site = site_of(spec, number);
        for n in 0..URLS {
            url.clear();
            spec.url(number, n, &mut url);
            // Some URLs use the other scheme of the same host, which has no policy here.
            if Site::of_url(&url).is_ok_and(|of| of == site) {
                let (found, right) = (checker.check(&url), reference.judge(&url));
                ensure!(found.as_str() == right.as_str(), "{}: {found:?}", String::from_utf8_lossy(&url));
                verified += 1;
            }
        }
    }
    Ok(verified)
}
