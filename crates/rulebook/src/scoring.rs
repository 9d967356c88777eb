//! How runs become scores, and scores become rankings.

use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// The scoring rules of one track. Missing fields default to the rules of 2019.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ScoringRules {
    /// The criteria that order a ranking.
    pub order: RankingOrder,
    /// The number of wrong answers in one division that disqualifies a solver in all of them (R08-5.4); 0 means never.
    pub disqualified_at: u64,
    /// Whether a solver that wraps others must be ahead of them, or of last year's winner if they are older, to stay in
    /// a division (R08-2.25, R08-2.28).
    pub wrappers_must_be_ahead: bool,
    /// Which answers count.
    pub counts: Counting,
    /// Which runs contribute to the sum of times.
    pub time: TimeRule,
    /// Whether an error counts in the sat or in the unsat ranking.
    pub errors_by: ErrorSide,
    /// Whether a wrong answer to one query cancels the points of the others.
    pub wrong_query_cancels: bool,
    /// The weight of a benchmark.
    pub weights: Weights,
    /// Whether benchmarks of unknown status are removed when sound solvers disagree on them (R19-7.6).
    pub removes_disagreements: bool,
    /// Whether a solver with errors can win.
    pub errors_can_win: bool,
    /// The percentage by which a derived solver must be better than its base to win (10 since 2026). They are compared
    /// by PAR-2 score: time, with twice the limit for each unsolved benchmark.
    pub derived_margin_percent: u64,
    /// Whether the best open-source solver is named besides the winner (R08-5.3).
    pub open_source_winner: bool,
    /// Whether there are recognitions as in 2019: biggest lead and largest contribution (R19-3.7).
    pub recognitions: bool,
    /// The score over all divisions, if there is one.
    pub overall: Option<OverallRules>,
}

impl Default for ScoringRules {
    fn default() -> Self {
        Self {
            order: RankingOrder::ErrorsFirst,
            disqualified_at: 0,
            wrappers_must_be_ahead: false,
            counts: Counting::Answered,
            time: TimeRule::All,
            errors_by: ErrorSide::Status,
            wrong_query_cancels: true,
            weights: Weights::None,
            removes_disagreements: true,
            errors_can_win: true,
            derived_margin_percent: 0,
            open_source_winner: false,
            recognitions: true,
            overall: None,
        }
    }
}

/// The criteria that order a ranking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum RankingOrder {
    /// Fewest errors, then most correct results, then least time (R19-7.7, SL19-24).
    ErrorsFirst,
    /// Most points: one per correct result, minus a penalty per wrong `sat` or `unsat` (R08-5.1); then least average
    /// CPU time of correct results (R08-5.5).
    Points {
        /// The penalty for a wrong `sat`.
        sat: u64,
        /// The penalty for a wrong `unsat`.
        unsat: u64,
    },
    /// Most correct queries, then least time; errors are not compared (A11-9).
    Queries,
}

/// Which answers count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counting {
    /// Answers given within the limit, however the process ends (R19-7.3).
    Answered,
    /// Answers of processes that ended within the time limit (R08-3.9, 2015).
    Ended,
    /// Answers of processes that exited by themselves, within all limits.
    Exited,
}

/// Which runs contribute to the sum of times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimeRule {
    /// All runs (2015 to 2022).
    All,
    /// Runs with a correct or a wrong answer.
    Answered,
    /// Runs with a correct result (2012, SL19-24).
    Solved,
    /// Runs with a correct result whose process ended within the time limit (since 2023).
    Ended,
    /// Runs with a correct result; every other run takes the limit (unsat cores of 2012).
    LimitUnlessSolved,
}

/// Whether an error counts in the sat or in the unsat ranking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorSide {
    /// In the ranking of the benchmark's status: a wrong `sat` is an error in the unsat ranking (2019, 2020).
    Status,
    /// In the ranking of the answer: a wrong `sat` is an error in the sat ranking (since 2021).
    Answer,
}

/// The weight of a benchmark in its division.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weights {
    /// All benchmarks have the same weight.
    None,
    /// (1 + ln F) / F, where F is the size of the benchmark's family (2016 to 2018).
    Families,
    /// For each correct query, one over the number of queries (A11-14, a proposal).
    Queries,
}

/// The score over all divisions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OverallRules {
    /// The base of the logarithm: the weight of a division is the logarithm of its size.
    pub logarithm: Logarithm,
    /// The penalty for errors.
    pub errors: OverallErrors,
}

/// The base of the logarithm that weights divisions by size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Logarithm {
    /// To the base e.
    Natural,
    /// To the base 10.
    Ten,
    /// No logarithm: all divisions have the same weight.
    None,
}

/// The penalty for errors in the score over all divisions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum OverallErrors {
    /// Errors are summed up separately and compared first (2014).
    Apart,
    /// Each error in a division costs one point, and correct results in that division count nothing (2015, 2016).
    EachOne,
    /// A division with errors costs this many points in total, and correct results in that division count nothing (4 in
    /// 2017 and 2018, 2 since 2025).
    Any(f64),
}

/// A difference between the organizers' scripts and the text of the rules, needed to reproduce their published results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Deviation {
    /// A run that exceeds the limit in the time that a ranking compares gets the limit for both of its times.
    BothTimesClamped,
    /// Times are not clamped: a killed run measures slightly over the limit. The CPU time of the sequential ranking is
    /// an exception.
    TimesAsMeasured,
    /// A run over the memory limit gets the time limit for both of its times.
    MemoutTakesTheLimit,
    /// A solver with an error in any division does not count in disagreements in any division.
    UnsoundInOneUnsoundInAll,
    /// The sat and unsat rankings count timeouts of the runs that they exclude, and count those benchmarks as
    /// abstained.
    FilteredRunsCount,
    /// The sat and unsat rankings count the runs that they exclude as unsolved.
    FilteredUnsolved,
    /// In the unsat-core track, `sat` is not an error.
    SatIsNoCore,
    /// In the model-validation track, `unsat` is not an error.
    UnsatIsNoModel,
    /// An invalid model is an error only after `sat`.
    InvalidOnlyAfterSat,
    /// An invalid model is not an error if the output ends where the answer or the model should begin.
    CutOffModelsForgiven,
    /// Answers of processes that did not exit by themselves do not count.
    OnlyEndedCount,
    /// Only runs with an answer contribute to the sum of times.
    OnlyAnswersTakeTime,
    /// In the score over all divisions, the weight of a division is the decimal logarithm of its size.
    WeighedMedals,
    /// A division has a winner even if it is not competitive.
    WinnersWithoutContest,
    /// In the tables of the cloud track, a failure on a benchmark of known status is a wrong answer.
    FailuresAreWrong,
    /// A lead is measured between solvers, even of the same team.
    LeadsWithinTeams,
    /// The virtual best solver takes time and result from one run; benchmarks with the same name in two logics are one
    /// benchmark; a benchmark that only one solver ran is not lost without that solver; and weights are relative to the
    /// ranked divisions.
    ContributionByRuns,
    /// An error counts in the ranking of the benchmark's status, contrary to the text (since 2024).
    ErrorsByStatus,
    /// All sound solvers of a division have an entry, competing or not; benchmarks that no other solver solves cost no
    /// time; and weights are shares of the solved runs (since 2024).
    ContributionOfSolved,
    /// Families are the bottom directories.
    BottomDirectories,
    /// Errors and correct results are compared after rounding to two decimals.
    RoundedOrder,
    /// In the incremental track, unsolved runs contribute to the sum of times, contrary to the text.
    AllRunsTakeTime,
    /// The displayed time includes that of wrong answers.
    WrongAnswersTakeTime,
    /// The ranking is by points: one per correct result, minus one per wrong `sat` and minus ten per wrong `unsat`.
    PodiumByPoints,
    /// Runs longer than 24 seconds are absent from the 24-second ranking, and so are solvers without other runs; the
    /// sequential ranking shows the solved runs and timeouts of the parallel one; and in the incremental track every
    /// run counts as unsolved (since 2024).
    RunsOverTheLimitAreAbsent,
    /// The industry challenge has a 24-second, a sat and an unsat ranking too, which the text has only for single
    /// queries (2019).
    ChallengeHasAllRankings,
    /// Solvers are recognized in a track that the rules call experimental (2019).
    ExperimentalTrackIsRecognized,
}

impl Deviation {
    /// All deviations.
    pub const ALL: [Self; 27] = [
        Self::BothTimesClamped,
        Self::TimesAsMeasured,
        Self::MemoutTakesTheLimit,
        Self::UnsoundInOneUnsoundInAll,
        Self::FilteredRunsCount,
        Self::FilteredUnsolved,
        Self::SatIsNoCore,
        Self::UnsatIsNoModel,
        Self::InvalidOnlyAfterSat,
        Self::CutOffModelsForgiven,
        Self::OnlyEndedCount,
        Self::OnlyAnswersTakeTime,
        Self::WeighedMedals,
        Self::WinnersWithoutContest,
        Self::FailuresAreWrong,
        Self::LeadsWithinTeams,
        Self::ContributionByRuns,
        Self::ErrorsByStatus,
        Self::ContributionOfSolved,
        Self::BottomDirectories,
        Self::RoundedOrder,
        Self::AllRunsTakeTime,
        Self::WrongAnswersTakeTime,
        Self::PodiumByPoints,
        Self::RunsOverTheLimitAreAbsent,
        Self::ChallengeHasAllRankings,
        Self::ExperimentalTrackIsRecognized,
    ];

    /// The deviation's name in rulebooks and options.
    pub const fn name(self) -> &'static str {
        match self {
            Self::BothTimesClamped => "both-times-clamped",
            Self::TimesAsMeasured => "times-as-measured",
            Self::MemoutTakesTheLimit => "memout-takes-the-limit",
            Self::UnsoundInOneUnsoundInAll => "unsound-in-one-unsound-in-all",
            Self::FilteredRunsCount => "filtered-runs-count",
            Self::FilteredUnsolved => "filtered-unsolved",
            Self::SatIsNoCore => "sat-is-no-core",
            Self::UnsatIsNoModel => "unsat-is-no-model",
            Self::InvalidOnlyAfterSat => "invalid-only-after-sat",
            Self::CutOffModelsForgiven => "cut-off-models-forgiven",
            Self::OnlyEndedCount => "only-ended-count",
            Self::OnlyAnswersTakeTime => "only-answers-take-time",
            Self::WeighedMedals => "weighed-medals",
            Self::WinnersWithoutContest => "winners-without-contest",
            Self::FailuresAreWrong => "failures-are-wrong",
            Self::LeadsWithinTeams => "leads-within-teams",
            Self::ContributionByRuns => "contribution-by-runs",
            Self::ErrorsByStatus => "errors-by-status",
            Self::ContributionOfSolved => "contribution-of-solved",
            Self::BottomDirectories => "bottom-directories",
            Self::RoundedOrder => "rounded-order",
            Self::AllRunsTakeTime => "all-runs-take-time",
            Self::WrongAnswersTakeTime => "wrong-answers-take-time",
            Self::PodiumByPoints => "podium-by-points",
            Self::RunsOverTheLimitAreAbsent => "runs-over-the-limit-are-absent",
            Self::ChallengeHasAllRankings => "challenge-has-all-rankings",
            Self::ExperimentalTrackIsRecognized => "experimental-track-is-recognized",
        }
    }
}

/// The error for an unknown deviation name.
#[derive(Debug, thiserror::Error)]
#[error("unknown deviation '{0}'; the deviations are {all}", all = Deviation::ALL.map(Deviation::name).join(", "))]
pub struct UnknownDeviation(String);

impl FromStr for Deviation {
    type Err = UnknownDeviation;

    fn from_str(word: &str) -> Result<Self, UnknownDeviation> {
        Self::ALL.into_iter().find(|one| one.name() == word).ok_or_else(|| UnknownDeviation(word.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_rulebooks_use() {
        for deviation in Deviation::ALL {
            let word = toml::Value::String(deviation.name().to_owned());
            assert_eq!(word.try_into::<Deviation>().unwrap(), deviation);
        }
    }
}
