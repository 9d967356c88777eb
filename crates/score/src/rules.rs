//! The rules that results are scored by: the text of an edition's rules, or the rules that its published results
//! follow.

use agon_domain::{ClaimRules, Division, InvalidModels, Limits, Logic, ScoreKind, Severity, Track};
use agon_rulebook::{
    Counting, Deviation, ErrorSide, FamilyRule, Logarithm, OverallRules, RankingOrder, Rulebook, TimeRule, TrackRules,
};
use std::collections::BTreeSet;

/// The rules of one track. Deviations from the text are resolved into policies here, and nowhere else.
#[derive(Clone, Debug)]
pub struct Rules<'a> {
    /// The rulebook that the rules are from.
    pub rulebook: &'a Rulebook,
    /// The track.
    pub track: Track,
    /// The rulebook's rules for the track.
    pub track_rules: &'a TrackRules,
    /// How claims are judged.
    pub claims: ClaimRules,
    pub(crate) counting: Counting,
    pub(crate) time: TimeRule,
    /// Which runs' time is added up in the incremental track.
    pub(crate) time_of_queries: TimeRule,
    pub(crate) caps: TimeCaps,
    pub(crate) memout_time: MemoutTime,
    pub(crate) errors_by: ErrorSide,
    pub(crate) filtered_ends: FilteredRuns,
    pub(crate) filtered_unsolved: FilteredRuns,
    pub(crate) late: LateRuns,
    pub(crate) sequential_counts: SequentialCounts,
    pub(crate) unsolved_queries: UnsolvedQueries,
    pub(crate) soundness: SoundnessScope,
    pub(crate) rows: SolverRows,
    pub(crate) family: FamilyRule,
    pub(crate) order: RankingOrder,
    pub(crate) point_ties: PointTies,
    pub(crate) rounding: Rounding,
    pub(crate) contest: Contest,
    pub(crate) lead: LeadScope,
    pub(crate) contribution: ContributionRule,
    pub(crate) scores: Vec<ScoreKind>,
    is_experimental: bool,
    pub(crate) overall: Option<OverallRules>,
}

/// How the times of a run that reaches or exceeds a limit are capped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimeCaps {
    /// Wall and CPU time are capped, each at its own limit.
    Each,
    /// If the time that a ranking compares is over the limit, both times are the limit.
    Both,
    /// As measured, except for the CPU time of the sequential ranking.
    Measured,
}

/// The time of a run over the memory limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemoutTime {
    Measured,
    /// The time limit, for wall and CPU time.
    Limit,
}

/// Whether the sat and unsat rankings count runs on benchmarks that are not part of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FilteredRuns {
    LeftOut,
    Counted,
}

/// How the 24-second ranking counts runs over its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LateRuns {
    Unsolved,
    /// As if they did not exist. A solver without other runs has no row.
    Absent,
}

/// Which ranking the sequential one takes its solved runs and timeouts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SequentialCounts {
    Own,
    OfParallel,
}

/// What the column "unsolved" counts in the incremental track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnsolvedQueries {
    Queries,
    EveryRun,
}

/// Where a solver must be free of errors for its answers to count in disagreements (R19-7.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SoundnessScope {
    Division,
    Track,
}

/// Which solvers have a row in a division.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SolverRows {
    /// All that entered, even without runs or if all their benchmarks were removed.
    Entered,
    /// Only those with runs that count, as in some published tables.
    WithRuns,
}

/// How a tie on points is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PointTies {
    /// The average time of correct answers (R08-5.5).
    AverageTime,
    /// The sum of the times.
    TotalTime,
}

/// How weighted scores are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rounding {
    Exact,
    Hundredths,
}

/// Which divisions have winners.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contest {
    /// Competitive divisions (R19-6.1).
    Competitive,
    Any,
}

/// Which solver a lead is measured against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LeadScope {
    /// The next solver of another team (R19-7.9).
    Teams,
    /// The next solver of any team.
    Solvers,
}

/// How the virtual best solver is composed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ContributionRule {
    /// As in the text of the rules.
    Text,
    /// As in the published results from 2019 to 2023.
    Runs,
    /// As in the published results since 2024.
    Solved,
}

/// The rulebook has no such track.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the rulebook '{0}' has no {1} track; it has {2}")]
pub struct NoSuchTrack(String, Track, String);

impl<'a> Rules<'a> {
    /// The rules of a track: the text of the rulebook, changed by these deviations.
    pub fn new(rulebook: &'a Rulebook, track: Track, deviations: &BTreeSet<Deviation>) -> Result<Self, NoSuchTrack> {
        let track_rules = rulebook.tracks.get(&track).ok_or_else(|| {
            let known: Vec<&str> = rulebook.tracks.keys().map(|track| track.name()).collect();
            NoSuchTrack(rulebook.name.clone(), track, known.join(", "))
        })?;
        let scoring = &track_rules.scoring;
        let has = |deviation: Deviation| deviations.contains(&deviation);
        let counted_if = |deviation| if has(deviation) { FilteredRuns::Counted } else { FilteredRuns::LeftOut };
        let is_absent = has(Deviation::RunsOverTheLimitAreAbsent);
        let time = match scoring.time {
            _ if has(Deviation::OnlyAnswersTakeTime) => TimeRule::Answered,
            // The published results of 2023 add up solved runs only, with clamped times.
            TimeRule::Ended if has(Deviation::BothTimesClamped) => TimeRule::Solved,
            TimeRule::Solved if has(Deviation::WrongAnswersTakeTime) => TimeRule::Answered,
            as_written => as_written,
        };
        let podium = has(Deviation::PodiumByPoints);
        let weighed = |rules: OverallRules| {
            let logarithm = if has(Deviation::WeighedMedals) { Logarithm::Ten } else { rules.logarithm };
            OverallRules { logarithm, ..rules }
        };
        Ok(Self {
            rulebook,
            track,
            track_rules,
            claims: claim_rules(deviations),
            counting: if has(Deviation::OnlyEndedCount) { Counting::Exited } else { scoring.counts },
            time,
            time_of_queries: if has(Deviation::AllRunsTakeTime) { TimeRule::All } else { time },
            caps: if has(Deviation::BothTimesClamped) {
                TimeCaps::Both
            } else if has(Deviation::TimesAsMeasured) {
                TimeCaps::Measured
            } else {
                TimeCaps::Each
            },
            memout_time: if has(Deviation::MemoutTakesTheLimit) { MemoutTime::Limit } else { MemoutTime::Measured },
            errors_by: if has(Deviation::ErrorsByStatus) { ErrorSide::Status } else { scoring.errors_by },
            filtered_ends: counted_if(Deviation::FilteredRunsCount),
            filtered_unsolved: counted_if(Deviation::FilteredUnsolved),
            late: if is_absent { LateRuns::Absent } else { LateRuns::Unsolved },
            sequential_counts: if is_absent { SequentialCounts::OfParallel } else { SequentialCounts::Own },
            unsolved_queries: if is_absent { UnsolvedQueries::EveryRun } else { UnsolvedQueries::Queries },
            soundness: if has(Deviation::UnsoundInOneUnsoundInAll) {
                SoundnessScope::Track
            } else {
                SoundnessScope::Division
            },
            rows: if has(Deviation::UnsoundInOneUnsoundInAll) || is_absent {
                SolverRows::WithRuns
            } else {
                SolverRows::Entered
            },
            family: if has(Deviation::BottomDirectories) { FamilyRule::BottomDirectory } else { rulebook.family },
            order: if podium { RankingOrder::Points { sat: 1, unsat: 10 } } else { scoring.order },
            point_ties: if podium { PointTies::TotalTime } else { PointTies::AverageTime },
            rounding: if has(Deviation::RoundedOrder) { Rounding::Hundredths } else { Rounding::Exact },
            contest: if has(Deviation::WinnersWithoutContest) { Contest::Any } else { Contest::Competitive },
            lead: if has(Deviation::LeadsWithinTeams) { LeadScope::Solvers } else { LeadScope::Teams },
            contribution: if has(Deviation::ContributionOfSolved) {
                ContributionRule::Solved
            } else if has(Deviation::ContributionByRuns) {
                ContributionRule::Runs
            } else {
                ContributionRule::Text
            },
            scores: if has(Deviation::ChallengeHasAllRankings) && track == Track::IndustryChallenge {
                ScoreKind::ALL.to_vec()
            } else {
                track_rules.scores.clone()
            },
            is_experimental: track_rules.experimental && !has(Deviation::ExperimentalTrackIsRecognized),
            overall: scoring.overall.map(weighed),
        })
    }

    /// Whether no solver is recognized for a division (R19-3.6).
    pub(crate) fn is_experimental(&self, track: Track, division: &Division) -> bool {
        self.is_experimental || self.rulebook.is_experimental(track, division)
    }
}

impl Rules<'_> {
    /// The limits of the runs in a logic (R08-3.6).
    pub fn limits_of(&self, logic: &Logic) -> Limits {
        self.rulebook.ladder(self.track, logic).last().copied().unwrap_or(self.track_rules.limits)
    }
}

/// How claims are judged, given these deviations from the text.
fn claim_rules(deviations: &BTreeSet<Deviation>) -> ClaimRules {
    let ignored_if =
        |deviation: Deviation| if deviations.contains(&deviation) { Severity::Ignored } else { Severity::Error };
    ClaimRules {
        failures: if deviations.contains(&Deviation::FailuresAreWrong) { Severity::Error } else { Severity::Ignored },
        sat_with_core: ignored_if(Deviation::SatIsNoCore),
        unsat_with_model: ignored_if(Deviation::UnsatIsNoModel),
        cut_off_models: ignored_if(Deviation::CutOffModelsForgiven),
        invalid_models: if deviations.contains(&Deviation::InvalidOnlyAfterSat) {
            InvalidModels::AfterSat
        } else {
            InvalidModels::Always
        },
    }
}
