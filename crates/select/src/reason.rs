//! The reasons for selecting a benchmark or not.

use agon_domain::Category;
use std::fmt;

/// The reason for selecting a benchmark ("in") or not ("out").
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// In: all eligible benchmarks are selected.
    Everything,
    /// In: its logic is small enough to be selected completely (R19-6.6).
    WholeLogic,
    /// In: drawn as the representative of its new family (R19-6.7).
    NewFamily,
    /// In: the benchmark is new this year.
    New,
    /// In: drawn from the rest of its logic (R19-6.6).
    Drawn,
    /// In: a solver of this year solved it, although its status is unknown.
    Settled,
    /// In: all checks are selected (R08-4.15).
    Check,
    /// In: drawn from its cell, for this category (R08-4.19).
    DrawnFromCell(Category),
    /// In: among the benchmarks with the most queries; it has this many (A11-16).
    MostQueries(u64),
    /// In: drawn from this fifth by difficulty; the first is the hardest.
    DrawnFromFifth(usize),
    /// In: drawn from the benchmarks that earlier solvers solved late.
    Hard,
    /// In: drawn from the benchmarks that no earlier solver solved.
    Unsolved,
    /// Out: an earlier solver solved it quickly.
    NotHard,
    /// Out: no results of earlier solvers are known.
    NoEarlierRun,
    /// Out: it was not nominated for the track (R19-5.24).
    NotNominated,
    /// Out: not drawn.
    NotDrawn,
    /// Out: its family exceeds the limit, and the benchmark was removed from the pool at random (R08-4.16).
    FamilyFull,
    /// Out: enough others have more queries; it has this many (A11-16).
    FewerQueries(u64),
    /// Out: it is an incremental benchmark and the track is not incremental, or the reverse.
    WrongPart,
    /// Out: it does not have exactly one `check-sat` (R19-5.16).
    NotOneQuery,
    /// Out: its status is unknown (R08-4.13, D14-1).
    UnknownStatus,
    /// Out: the track requires another status.
    WrongStatus,
    /// Out: it has only this many assertions (R19-6.2).
    FewAsserts(u64),
    /// Out: all earlier runs solved it within the edition's bound for trivial benchmarks (R19-6.5, D14-2).
    Trivial,
    /// Out: its logic is not in the track.
    WrongLogic,
    /// Out: it has no category (R08-4.9).
    NoCategory,
    /// Out: it has no difficulty (R08-4.10).
    NoDifficulty,
    /// Out: the organizers excluded it, for this reason (R19-6.4).
    Excluded(String),
}

impl Reason {
    /// Whether the benchmark is run.
    pub const fn is_in(&self) -> bool {
        matches!(
            self,
            Self::Everything
                | Self::WholeLogic
                | Self::NewFamily
                | Self::New
                | Self::Drawn
                | Self::Settled
                | Self::Check
                | Self::DrawnFromCell(_)
                | Self::MostQueries(_)
                | Self::DrawnFromFifth(_)
                | Self::Hard
                | Self::Unsolved
        )
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Everything => f.write_str("all eligible benchmarks are selected"),
            Self::WholeLogic => f.write_str("whole logic selected"),
            Self::NewFamily => f.write_str("drawn for its new family"),
            Self::New => f.write_str("new this year"),
            Self::Drawn => f.write_str("drawn"),
            Self::Settled => f.write_str("settled by a solver of this year"),
            Self::Check => f.write_str("a check"),
            Self::DrawnFromCell(category) => write!(f, "drawn from its cell ({})", category.name()),
            Self::MostQueries(queries) => write!(f, "among those with the most queries: {queries}"),
            Self::DrawnFromFifth(fifth) => write!(f, "drawn from fifth {fifth} by difficulty"),
            Self::Hard => f.write_str("drawn: earlier solvers solved it late"),
            Self::Unsolved => f.write_str("drawn: no earlier solver solved it"),
            Self::NotHard => f.write_str("an earlier solver solved it quickly"),
            Self::NoEarlierRun => f.write_str("no earlier results show whether it is hard; pass them with --results"),
            Self::NotNominated => f.write_str("not nominated for this track"),
            Self::NotDrawn => f.write_str("not drawn"),
            Self::FamilyFull => f.write_str("its family is over the limit; removed at random"),
            Self::FewerQueries(queries) => write!(f, "fewer queries than others: {queries}"),
            Self::WrongPart => f.write_str("in the other part of the library"),
            Self::NotOneQuery => f.write_str("does not have exactly one check-sat"),
            Self::UnknownStatus => f.write_str("its status is unknown"),
            Self::WrongStatus => f.write_str("the track requires another status"),
            Self::FewAsserts(asserts) => write!(f, "too few assertions: {asserts}"),
            Self::Trivial => f.write_str("trivial: all earlier runs solved it quickly"),
            Self::WrongLogic => f.write_str("its logic is not in the track"),
            Self::NoCategory => f.write_str("it has no category"),
            Self::NoDifficulty => f.write_str("it has no difficulty"),
            Self::Excluded(why) => write!(f, "excluded: {why}"),
        }
    }
}
