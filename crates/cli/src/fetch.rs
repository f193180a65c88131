//! Arguments that describe how a robots.txt was fetched, and the time of the evaluation.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use robomata_engine::lifecycle::{Terms, Unreachable};
use robomata_engine::policy::lifecycle::LifeCycleRules;
use robomata_engine::{Config, Dialect, FetchStatus, Moment};
use robomata_formats::Timestamp;
use robomata_jobs::fetch::{Fetch, unknown_hops};
use robomata_jobs::{HeaderFile, JobError, RobotsFile};

use crate::args::{fetch_status, usage_error};
use crate::console::Console;

/// Seconds.
const DAY: i64 = 86_400;

/// The fetch of the robots.txt.
#[derive(Args, Debug)]
#[command(next_help_heading = "How the robots.txt was fetched")]
pub(crate) struct FetchArguments {
    /// The outcome of the fetch [default: that of the status line in --robots-headers, or else 200; an empty robots.txt
    /// needs one of them]
    #[arg(long, value_name = "CODE|network-failure|too-many-redirects", value_parser = fetch_status)]
    status: Option<FetchStatus>,
    /// When the fetch ended: an RFC 3339 time or a date [default: --now]
    #[arg(long, value_name = "TIME")]
    fetched: Option<Timestamp>,
    /// Evaluate as of this time [default: the current time]
    #[arg(long, value_name = "TIME")]
    now: Option<Timestamp>,
    /// The number of redirects that were followed; more than five are too many before a 4xx or another redirect, and under
    /// google and koster1996 before anything [default: those in --robots-headers, or else 0]
    #[arg(long, value_name = "N")]
    redirects: Option<u16>,
    /// The status line and the headers of the response to the fetch, one per line, as curl -D writes them: after those of the
    /// redirects that were followed. Without a status line, --status is required
    #[arg(long, value_name = "FILE|-")]
    robots_headers: Option<PathBuf>,
    /// The last robots.txt that was fetched successfully, used while the site fails
    #[arg(long, value_name = "FILE|-", requires = "last_good_fetched")]
    last_good: Option<PathBuf>,
    /// When --last-good was fetched
    #[arg(long, value_name = "TIME", requires = "last_good")]
    last_good_fetched: Option<Timestamp>,
    /// When the first of the consecutive failed fetches ended [default: --fetched]
    #[arg(long, value_name = "TIME")]
    failing_since: Option<Timestamp>,
    /// What applies while the robots.txt is unreachable: the rules of --last-good (RFC 9309, 2.4) or complete disallow
    /// (2.3.1.4; google and koster1996 leave no choice)
    #[arg(long, value_parser = unreachable_parser(), default_value = Unreachable::default().as_str())]
    unreachable: Unreachable,
}

pub(crate) fn unreachable_parser() -> impl TypedValueParser<Value = Unreachable> {
    PossibleValuesParser::new(Unreachable::ALL.map(Unreachable::as_str)).map(|name| {
        let named = |choice: &Unreachable| choice.as_str() == name;
        Unreachable::ALL.into_iter().find(named).expect("one of the possible values")
    })
}

/// Refuses a choice that `dialect` does not leave.
pub(crate) fn refuse_choice(name: &str, choice: Unreachable, dialect: Dialect) -> anyhow::Result<()> {
    if choice == Unreachable::default() || LifeCycleRules::of(Terms::from(dialect)).leaves_choice() {
        return Ok(());
    }
    let message = format!(
        "--unreachable: the dialect '{dialect}' says what applies while a robots.txt is unreachable, so '{}' has no effect \
         (leave it out)",
        choice.as_str()
    );
    Err(usage_error(name, &message))
}

pub(crate) fn moment(time: Timestamp) -> Moment {
    Moment::from_seconds(time.seconds())
}

impl FetchArguments {
    /// Returns the time of the evaluation. Nothing else reads the clock.
    pub(crate) fn now(&self) -> Moment {
        self.now.map_or_else(clock, moment)
    }

    /// Returns the files that are read.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = &PathBuf> {
        self.last_good.iter().chain(&self.robots_headers)
    }

    /// Checks that no attempt was made more than a day after `now`. Clocks differ by less.
    fn require_past(&self, name: &str, now: Moment) -> anyhow::Result<()> {
        let times = [
            ("--fetched", self.fetched),
            ("--failing-since", self.failing_since),
            ("--last-good-fetched", self.last_good_fetched),
        ];
        let mut times = times.into_iter().map(|(option, time)| (option, time.map(moment)));
        let latest = Moment::from_seconds(now.seconds().saturating_add(DAY));
        match times.find_map(|(option, time)| Some((option, time.filter(|&time| time > latest)?))) {
            Some((option, time)) => {
                let message = format!(
                    "{option}: expected a time up to a day after --now, {now}, found {time} (check both)"
                );
                Err(usage_error(name, &message))
            }
            None => Ok(()),
        }
    }

    /// Checks that an empty robots.txt was fetched: a fetch that failed leaves no bytes, too.
    fn require_fetched(&self, robots: &RobotsFile) -> Result<(), JobError> {
        if self.status.is_some() || self.robots_headers.is_some() {
            return Ok(());
        }
        robots.require_bytes("if it is empty, add --status 200")
    }

    /// Reads the copy of an earlier fetch.
    fn read_last_good(&self, path: &Path, config: &Config) -> Result<RobotsFile, JobError> {
        let copy = RobotsFile::read_robots(path)?;
        copy.require_bytes("--last-good needs the file of a fetch that succeeded")?;
        copy.report_kind(config, &mut Console::quiet());
        Ok(copy)
    }

    /// Reads the description of the fetch of `robots` for sub-command `name`. Returns none if the arguments do not describe it.
    pub(crate) fn read(
        &self,
        name: &str,
        robots: &RobotsFile,
        config: &Config,
    ) -> anyhow::Result<Option<Fetch>> {
        refuse_choice(name, self.unreachable, config.dialect())?;
        self.require_fetched(robots)?;
        let is_described = self.status.is_some()
            || self.fetched.is_some()
            || self.redirects.is_some()
            || self.robots_headers.is_some()
            || self.last_good.is_some()
            || self.failing_since.is_some();
        if !is_described {
            return Ok(None);
        }
        let is_answered = self.status.is_some() || self.robots_headers.is_some();
        if !is_answered && (self.last_good.is_some() || self.failing_since.is_some()) {
            let message = "--last-good and --failing-since describe a fetch that failed (add its --status)";
            return Err(usage_error(name, message));
        }
        let now = self.now();
        self.require_past(name, now)?;
        let last_good = match (&self.last_good, self.last_good_fetched) {
            (Some(path), Some(fetched)) => Some((self.read_last_good(path, config)?, moment(fetched))),
            _ => None,
        };
        let headers = self.robots_headers.as_deref().map(HeaderFile::read).transpose()?;
        let answered = match &headers {
            Some(headers) => headers.head.status,
            None => self.status.or(Some(FetchStatus::Code(200))),
        };
        let status = match (self.status, answered) {
            (Some(given), Some(answered)) if given != answered => {
                let message =
                    "--status differs from the status line in --robots-headers (leave --status out)";
                return Err(usage_error(name, message));
            }
            (Some(status), _) | (None, Some(status)) => status,
            (None, None) => {
                let message =
                    "--robots-headers has no status line, and the fetch may have failed (add --status)";
                return Err(usage_error(name, message));
            }
        };
        if let (Some(headers), FetchStatus::Code(200..=299)) = (&headers, status) {
            robots.require_whole(headers)?;
        }
        let followed = headers.as_ref().filter(|headers| headers.head.status.is_some());
        let hops = match (followed.map(|headers| &headers.head.hops), self.redirects.map(usize::from)) {
            (Some(hops), Some(given)) if given != hops.len() => {
                let message = format!(
                    "--redirects differs from the number in --robots-headers, which is {} (leave --redirects out)",
                    hops.len()
                );
                return Err(usage_error(name, &message));
            }
            (Some(hops), _) => hops.clone(),
            (None, given) => unknown_hops(given.unwrap_or(0)),
        };
        Ok(Some(Fetch {
            hops,
            headers: headers.iter().flat_map(HeaderFile::fields).map(owned).collect(),
            fetched: self.fetched.map_or(now, moment),
            failing_since: self.failing_since.map(moment),
            last_good,
            unreachable: self.unreachable,
            ..Fetch::new(status, now)
        }))
    }
}

fn owned((name, value): (&str, &str)) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

fn clock() -> Moment {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Moment::from_seconds(i64::try_from(since.as_secs()).unwrap_or(i64::MAX))
}
