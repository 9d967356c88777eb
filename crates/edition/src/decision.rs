//! The decisions of a competition's organizers.

use agon_domain::{BenchmarkPath, Digest, EntrantName, Status, Track};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The name of an organizer, or of somebody who appeals.
pub type Person = String;

/// Something that is published on a day of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Publication {
    /// The checksums of the submitted archives, after the first deadline (R08-1.3, R08-2.8).
    Checksums,
    /// The selected benchmarks with the reasons, when the runs start (R08-4.7, R19-6.8).
    Selection,
    /// The results.
    Results,
    /// The submitted archives, after the competition (R08-2.9, R19-5.2).
    Submissions,
}

impl Publication {
    /// The name in commands and files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Checksums => "checksums",
            Self::Selection => "selection",
            Self::Results => "results",
            Self::Submissions => "submissions",
        }
    }
}

impl fmt::Display for Publication {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// One decision. Its reason is part of the log's entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "decision", rename_all = "kebab-case")]
pub enum Decision {
    /// Removes a benchmark from the results, without drawing the others again (R19-8.1).
    RemoveBenchmark {
        /// The benchmark.
        benchmark: BenchmarkPath,
        /// The track; `None` means all tracks.
        track: Option<Track>,
    },
    /// Cuts a family to a size before the selection, so that it is not over-represented (R19-6.4).
    CutFamily {
        /// The directory of the family, as a path in the library.
        family: String,
        /// The number of benchmarks that stay eligible.
        to: usize,
        /// The track; `None` means all tracks.
        track: Option<Track>,
    },
    /// Records that somebody doubts the status of a benchmark (SL19-18, SL19-27).
    ChallengeStatus {
        /// The benchmark.
        benchmark: BenchmarkPath,
        /// The status that the challenger claims.
        claimed: Status,
    },
    /// Settles a challenge: from now on, this status counts instead of that in the library (SL19-18).
    SettleStatus {
        /// The benchmark.
        benchmark: BenchmarkPath,
        /// The status that is right.
        status: Status,
    },
    /// Accepts a submitted solver.
    Accept {
        /// The solver.
        entrant: EntrantName,
    },
    /// Refuses a submitted solver (R08-2.20, R19-4.12).
    Refuse {
        /// The solver.
        entrant: EntrantName,
    },
    /// Withdraws a solver: it is no longer run, and its results do not count.
    Withdraw {
        /// The solver.
        entrant: EntrantName,
    },
    /// Disqualifies a solver: its results are shown, but it has no rank (R08-4.24, R19-6.9).
    Disqualify {
        /// The solver.
        entrant: EntrantName,
    },
    /// Bans a team or a solver from later editions (R08-4.24).
    Ban {
        /// The team or solver.
        subject: String,
    },
    /// Records an appeal against a decision.
    Appeal {
        /// The number of the entry that is appealed.
        against: u64,
        /// The person or team that appeals.
        from: Person,
    },
    /// Answers an appeal.
    Answer {
        /// The number of the appeal's entry.
        appeal: u64,
    },
    /// Recognizes an outstanding contribution that no score expresses (R19-7.11).
    Recognize {
        /// The person, team or solver.
        subject: String,
    },
    /// Takes a step outside its window in the calendar.
    Override {
        /// The step.
        step: String,
    },
    /// Freezes the versions and magic numbers of the entrants for a round (R08-2.33, R19-4.16).
    Freeze {
        /// The name of the round.
        round: String,
        /// The digest of the list of frozen entrants.
        list: Digest,
    },
    /// Starts a round, such as the final of SL-COMP: every pair runs again (SL19-7).
    StartRound {
        /// The name of the round.
        round: String,
    },
    /// Records that a team accepts the results of its solver in a round (SL19-7).
    AcceptResults {
        /// The solver.
        entrant: EntrantName,
        /// The name of the round.
        round: String,
    },
    /// Publishes something, with the digest of what was published.
    Publish {
        /// What is published.
        what: Publication,
        /// The digest of the list of its files.
        list: Digest,
    },
    /// Revokes an earlier decision.
    Revoke {
        /// The number of the entry that no longer holds.
        entry: u64,
    },
    /// Records anything else that readers of the results should know.
    Note {
        /// What it is about.
        subject: String,
    },
}

impl Decision {
    /// The earlier entry that this decision refers to.
    pub(crate) fn refers_to(&self) -> Option<u64> {
        match self {
            Self::Appeal { against: entry, .. } | Self::Answer { appeal: entry } | Self::Revoke { entry } => {
                Some(*entry)
            }
            _ => None,
        }
    }
}

/// The decision as a phrase, such as `removes QF_BV/a.smt2 from the results`.
impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RemoveBenchmark { benchmark, track: None } => write!(f, "removes {benchmark} from the results"),
            Self::RemoveBenchmark { benchmark, track: Some(track) } => {
                write!(f, "removes {benchmark} from the results of the {track} track")
            }
            Self::CutFamily { family, to, track } => {
                let of = track.map_or(String::new(), |track| format!(" in the {track} track"));
                write!(f, "cuts the family {family} to {to} benchmarks{of}")
            }
            Self::ChallengeStatus { benchmark, claimed } => {
                write!(f, "challenge: the status of {benchmark} should be {claimed}")
            }
            Self::SettleStatus { benchmark, status } => write!(f, "settles the status of {benchmark}: {status}"),
            Self::Accept { entrant } => write!(f, "accepts {entrant}"),
            Self::Refuse { entrant } => write!(f, "refuses {entrant}"),
            Self::Withdraw { entrant } => write!(f, "withdraws {entrant}"),
            Self::Disqualify { entrant } => write!(f, "disqualifies {entrant}"),
            Self::Ban { subject } => write!(f, "bans {subject} from later editions"),
            Self::Appeal { against, from } => write!(f, "{from} appeals against decision {against}"),
            Self::Answer { appeal } => write!(f, "answers appeal {appeal}"),
            Self::Recognize { subject } => write!(f, "recognizes {subject}"),
            Self::Override { step } => write!(f, "takes the step '{step}' outside its window"),
            Self::Freeze { round, list } => write!(f, "freezes the entrants of the {round} round: {}", list.short()),
            Self::StartRound { round } => write!(f, "starts the {round} round"),
            Self::AcceptResults { entrant, round } => {
                write!(f, "accepts the results of {entrant} in the {round} round")
            }
            Self::Publish { what, list } => write!(f, "publishes the {what}: {}", list.short()),
            Self::Revoke { entry } => write!(f, "revokes decision {entry}"),
            Self::Note { subject } => write!(f, "note on {subject}"),
        }
    }
}
