//! Usages: what a crawler may do with a resource.

use std::fmt;
use std::str::FromStr;

/// A use of a resource that a site can permit or prohibit.
///
/// The first fourteen and [`Usage::Other`] come from ACAP 1.0 (part 1, section 2.5). The others come from today's
/// vocabularies. Table U of `crates/PERMISSIONS.md` maps the words of each vocabulary to usages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Usage {
    /// To fetch it.
    Crawl,
    /// To follow the links found in it.
    Follow,
    /// To make index entries for it.
    Index,
    /// To keep a copy of it.
    Preserve,
    /// To show it in any way. A statement about this usage also covers the eight that follow, unless they are named
    /// themselves.
    Present,
    /// To show the original, fetched when it is shown.
    PresentOriginal,
    /// To show a copy of the version that was crawled last.
    PresentCurrentcopy,
    /// To show a copy of an older version.
    PresentOldcopy,
    /// To show a snippet of the version that was crawled last.
    PresentSnippet,
    /// To show a thumbnail of the version that was crawled last.
    PresentThumbnail,
    /// To show a snippet of an older version.
    PresentOldsnippet,
    /// To show a thumbnail of an older version.
    PresentOldthumbnail,
    /// To show a link to it.
    PresentLink,
    /// To index the images on it (`noimageindex`).
    IndexImages,
    /// To build a search index and give results with links and short excerpts (Content-Signal, Content-Usage).
    Search,
    /// To feed it to a model that answers questions, without training the model (Content-Signal, Content-Usage).
    AiInput,
    /// The same inside a search application (Content-Usage).
    AiInputInSearch,
    /// To train or tune a model on it (Content-Signal, Content-Usage, DisallowAITraining, `noai`).
    AiTrain,
    /// To train or tune a model on the images in it (`noimageai`).
    AiTrainImages,
    /// To train or tune a model of a search application on it (Content-Usage).
    AiTrainInSearch,
    /// To mine text and data (TDMRep).
    Tdm,
    /// Every usage without a statement of its own.
    Other,
}

impl Usage {
    /// Every usage, in the order in which outputs list them.
    pub const ALL: [Usage; 22] = [
        Usage::Crawl,
        Usage::Follow,
        Usage::Index,
        Usage::Preserve,
        Usage::Present,
        Usage::PresentOriginal,
        Usage::PresentCurrentcopy,
        Usage::PresentOldcopy,
        Usage::PresentSnippet,
        Usage::PresentThumbnail,
        Usage::PresentOldsnippet,
        Usage::PresentOldthumbnail,
        Usage::PresentLink,
        Usage::IndexImages,
        Usage::Search,
        Usage::AiInput,
        Usage::AiInputInSearch,
        Usage::AiTrain,
        Usage::AiTrainImages,
        Usage::AiTrainInSearch,
        Usage::Tdm,
        Usage::Other,
    ];

    /// The usage's name. The usages of ACAP have the standard's names.
    pub const fn as_str(self) -> &'static str {
        match self {
            Usage::Crawl => "crawl",
            Usage::Follow => "follow",
            Usage::Index => "index",
            Usage::Preserve => "preserve",
            Usage::Present => "present",
            Usage::PresentOriginal => "present-original",
            Usage::PresentCurrentcopy => "present-currentcopy",
            Usage::PresentOldcopy => "present-oldcopy",
            Usage::PresentSnippet => "present-snippet",
            Usage::PresentThumbnail => "present-thumbnail",
            Usage::PresentOldsnippet => "present-oldsnippet",
            Usage::PresentOldthumbnail => "present-oldthumbnail",
            Usage::PresentLink => "present-link",
            Usage::IndexImages => "index-images",
            Usage::Search => "search",
            Usage::AiInput => "ai-input",
            Usage::AiInputInSearch => "ai-input-in-search",
            Usage::AiTrain => "ai-train",
            Usage::AiTrainImages => "ai-train-images",
            Usage::AiTrainInSearch => "ai-train-in-search",
            Usage::Tdm => "tdm",
            Usage::Other => "other",
        }
    }

    /// Whether it is one of the eight usages that ACAP derives from [`Usage::Present`] (part 1, 2.5.5.1).
    pub const fn is_derived_from_present(self) -> bool {
        matches!(
            self,
            Usage::PresentOriginal
                | Usage::PresentCurrentcopy
                | Usage::PresentOldcopy
                | Usage::PresentSnippet
                | Usage::PresentThumbnail
                | Usage::PresentOldsnippet
                | Usage::PresentOldthumbnail
                | Usage::PresentLink
        )
    }

    /// The AI usage that includes this one: a statement about it is also about this one (`crates/PERMISSIONS.md`, U).
    pub const fn including(self) -> Option<Usage> {
        match self {
            Usage::AiInputInSearch => Some(Usage::AiInput),
            Usage::AiTrainImages | Usage::AiTrainInSearch => Some(Usage::AiTrain),
            _ => None,
        }
    }

    /// Whether ACAP has a name for it (part 1, 2.5).
    pub const fn is_acap(self) -> bool {
        !matches!(
            self,
            Usage::IndexImages
                | Usage::Search
                | Usage::AiInput
                | Usage::AiInputInSearch
                | Usage::AiTrain
                | Usage::AiTrainImages
                | Usage::AiTrainInSearch
                | Usage::Tdm
        )
    }
}

/// No usage has this name; the `Display` text lists the valid names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownUsage(String);

impl fmt::Display for UnknownUsage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown usage '{}': expected one of", self.0)?;
        for usage in Usage::ALL {
            write!(f, " {usage}")?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownUsage {}

impl FromStr for Usage {
    type Err = UnknownUsage;

    /// The usage with this name, in any case. The derived usages may omit `present-`.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let is_named = |usage: &Usage| {
            let own = usage.as_str();
            let short = own.strip_prefix("present-").unwrap_or(own);
            own.eq_ignore_ascii_case(name) || short.eq_ignore_ascii_case(name)
        };
        Usage::ALL.into_iter().find(is_named).ok_or_else(|| UnknownUsage(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_short_ones_are_accepted_and_errors_list_the_names() {
        for usage in Usage::ALL {
            assert_eq!(usage.as_str().parse(), Ok(usage));
        }
        assert_eq!("Snippet".parse(), Ok(Usage::PresentSnippet));
        let error = "print".parse::<Usage>().unwrap_err().to_string();
        assert!(error.starts_with("unknown usage 'print': expected one of crawl follow"), "{error}");
    }
}
