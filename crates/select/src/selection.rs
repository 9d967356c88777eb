//! The selection for a track, with the reason for each decision (R08-4.14).

use crate::candidate::{Candidate, NewBenchmarks};
use crate::cells::cells;
use crate::cut::{FamilyCut, cut};
use crate::eligibility::eligible;
use crate::generator::Generator;
use crate::hard::hard;
use crate::heats::heats;
use crate::most_queries::most_queries;
use crate::quintiles::quintiles;
use crate::reason::Reason;
use crate::share::share;
use agon_domain::{BenchmarkPath, Status, Track};
use agon_rulebook::{GeneratorName, SelectionPolicy, SelectionRules};
use std::collections::{BTreeMap, HashSet};

/// The decision on one benchmark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The path of the benchmark.
    pub path: BenchmarkPath,
    /// The logic or division of the benchmark.
    pub logic: String,
    /// The number that identifies the benchmark in the lists of old editions.
    pub id: Option<String>,
    /// The reason for selecting it or not.
    pub reason: Reason,
    /// The heat, from 1, if the division is run in heats.
    pub heat: Option<usize>,
}

/// The selection for a track, with the reason for each decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The track that the benchmarks are selected for.
    pub track: Track,
    /// The seed of the random number generator.
    pub seed: u32,
    /// One decision per candidate, in input order.
    pub choices: Vec<Choice>,
    /// The indices of the selected benchmarks, in the order in which they were drawn.
    pub order: Vec<usize>,
}

const COLUMNS: [&str; 5] = ["benchmark", "logic", "selected", "reason", "heat"];

/// The selected benchmarks, as read from a selection's table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// The seed of the selection.
    pub seed: u32,
    /// The selected benchmarks, with their heats.
    pub benchmarks: Vec<(BenchmarkPath, Option<usize>)>,
}

impl Selection {
    /// The selected benchmarks.
    pub fn chosen(&self) -> impl Iterator<Item = &Choice> {
        self.choices.iter().filter(|choice| choice.reason.is_in())
    }

    /// The selection as a tab-separated table: a comment with the seed, a header, and one line per benchmark with `in`
    /// or `out` and the reason.
    pub fn to_table(&self) -> Vec<u8> {
        let seed = format!("# seed {}\n", self.seed);
        let mut writer = csv::WriterBuilder::new().delimiter(b'\t').from_writer(seed.into_bytes());
        let mut write = |row: [&str; 5]| writer.write_record(row).expect("writing to memory cannot fail");
        write(COLUMNS);
        for Choice { path, logic, reason, heat, .. } in &self.choices {
            let heat = heat.map_or(String::new(), |heat| heat.to_string());
            write([&path.0, logic, if reason.is_in() { "in" } else { "out" }, &reason.to_string(), &heat]);
        }
        writer.into_inner().expect("writing to memory cannot fail")
    }

    /// Divides the selected benchmarks of each division at random into heats of this size.
    pub fn divide_into_heats(&mut self, generator: GeneratorName, size: usize) {
        let mut divisions: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, choice) in self.choices.iter().enumerate().filter(|(_, choice)| choice.reason.is_in()) {
            divisions.entry(choice.logic.clone()).or_default().push(at);
        }
        // Another seed, so that heats do not reuse the random numbers of the selection.
        let mut random = Generator::new(generator, self.seed.wrapping_add(1));
        for (_, members) in divisions {
            for (at, heat) in members.iter().zip(heats(members.len(), size, &mut random)) {
                self.choices[*at].heat = Some(heat + 1);
            }
        }
    }
}

/// An error in a selection's table.
#[derive(Debug, thiserror::Error)]
pub enum ChosenError {
    /// The first line has no seed.
    #[error("line 1 must be '# seed' and a number")]
    Seed,
    /// The header has unexpected columns.
    #[error("line 2 must be {columns}", columns = COLUMNS.join(", "))]
    Columns,
    /// A line is malformed.
    #[error(transparent)]
    Table(#[from] csv::Error),
    /// The heat is not a number.
    #[error("line {0}: the heat '{1}' is not a number")]
    Heat(usize, String),
    /// The third column is neither `in` nor `out`.
    #[error("line {0}: the third column must be 'in' or 'out'")]
    Selected(usize),
}

impl Chosen {
    /// Parses a table that [`Selection::to_table`] wrote.
    pub fn read(table: &[u8]) -> Result<Self, ChosenError> {
        let line = table.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let seed = str::from_utf8(line).ok().and_then(|line| line.strip_prefix("# seed ")?.trim().parse().ok());
        let seed = seed.ok_or(ChosenError::Seed)?;
        let mut reader = csv::ReaderBuilder::new().delimiter(b'\t').comment(Some(b'#')).from_reader(table);
        if reader.headers()?.iter().ne(COLUMNS) {
            return Err(ChosenError::Columns);
        }
        let mut benchmarks = vec![];
        for (at, row) in reader.records().enumerate() {
            let row = row?;
            let heat = match &row[4] {
                "" => None,
                word => Some(word.parse().map_err(|_| ChosenError::Heat(at + 3, word.to_owned()))?),
            };
            match &row[2] {
                "in" => benchmarks.push((BenchmarkPath(row[0].to_owned()), heat)),
                "out" => {}
                _ => return Err(ChosenError::Selected(at + 3)),
            }
        }
        Ok(Self { seed, benchmarks })
    }
}

/// The benchmarks to select from.
#[derive(Clone, Debug, Default)]
pub struct Input {
    /// All benchmarks.
    pub candidates: Vec<Candidate>,
    /// The benchmarks that are new this year.
    pub new: NewBenchmarks,
    /// Benchmarks of unknown status for which a solver of this year gave the answer that the track requires.
    pub settled: HashSet<BenchmarkPath>,
    /// The families that are cut to a size (R19-6.4).
    pub cuts: Vec<FamilyCut>,
}

/// Selects the benchmarks of a track. The result depends only on the input, the rules and the seed.
pub fn select(rules: &SelectionRules, track: Track, input: Input, seed: u32) -> Selection {
    let candidates = &input.candidates;
    let mut reasons: Vec<Option<Reason>> = vec![None; candidates.len()];
    let mut order = vec![];
    let mut eligible = eligible(rules, track, candidates, &mut reasons);
    cut(&input.cuts, rules.generator, seed, candidates, &mut eligible, &mut reasons);
    let mut random = Generator::new(rules.generator, seed);
    let mut decide = |at: usize, reason: Reason| {
        if reason.is_in() {
            order.push(at);
        }
        reasons[at] = Some(reason);
    };
    match &rules.policy {
        SelectionPolicy::Everything => eligible.into_iter().for_each(|at| decide(at, Reason::Everything)),
        SelectionPolicy::Share(share_rules) => {
            share(share_rules, candidates, &eligible, &input.new, &mut random, &mut decide);
        }
        SelectionPolicy::Cells(cell_rules) => cells(cell_rules, candidates, &eligible, &mut random, &mut decide),
        SelectionPolicy::MostQueries { most } => most_queries(*most, candidates, &eligible, &mut decide),
        SelectionPolicy::Quintiles(quintile_rules) => {
            quintiles(quintile_rules, candidates, &eligible, &mut random, &mut decide);
        }
        SelectionPolicy::Hard(hard_rules) => hard(hard_rules, candidates, &eligible, &mut random, &mut decide),
    }
    // Benchmarks of unknown status that a solver has settled are added to the draw, not taken from its share.
    if matches!(&rules.policy, SelectionPolicy::Share(share) if share.add_solved) {
        for (at, candidate) in candidates.iter().enumerate() {
            let could_be = matches!(reasons[at], Some(Reason::UnknownStatus | Reason::WrongStatus));
            let has_asserts = candidate.asserts.is_none_or(|asserts| asserts >= rules.eligible.least_asserts);
            let is_open = could_be && has_asserts && candidate.status == Status::Unknown;
            if is_open && input.settled.contains(&candidate.path) {
                reasons[at] = Some(Reason::Settled);
                order.push(at);
            }
        }
    }
    // To reproduce an edition that drew from all logics, the others are removed here, after consuming random numbers.
    if rules.eligible.logics_cut_after_draw {
        order.retain(|at| rules.eligible.logics.contains(&candidates[*at].logic));
    }
    let cut = |logic: &String, reason: Reason| {
        let is_cut = rules.eligible.logics_cut_after_draw && !rules.eligible.logics.contains(logic);
        if is_cut && reason.is_in() { Reason::WrongLogic } else { reason }
    };
    let choices = input.candidates.into_iter().zip(reasons).map(|(candidate, reason)| Choice {
        reason: cut(&candidate.logic, reason.unwrap_or(Reason::NotDrawn)),
        path: candidate.path,
        logic: candidate.logic,
        id: candidate.id,
        heat: None,
    });
    Selection { track, seed, choices: choices.collect(), order }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_domain::Category;
    use agon_rulebook::FamilyRule;
    use agon_rulebook::Rulebook;

    fn rules(edition: &str, track: Track) -> SelectionRules {
        Rulebook::named(edition).unwrap().selection.remove(&track).unwrap()
    }

    fn library(logic: &str, families: usize, each: usize) -> Input {
        let paths = (0..families * each).map(|at| format!("{logic}/f{}/b{:04}.smt2", at / each, at % each));
        let candidates = paths
            .map(|path| Candidate { status: Status::Sat, ..Candidate::at(&path, FamilyRule::BottomDirectory) })
            .collect();
        Input { candidates, ..Input::default() }
    }

    fn reason_of(selection: &Selection, path: &str) -> Reason {
        selection.choices.iter().find(|choice| choice.path.0 == path).unwrap().reason.clone()
    }

    #[test]
    fn r19_6_7_every_new_family_is_in() {
        let mut input = library("QF_BV", 400, 2);
        let new: Vec<BenchmarkPath> = (100..130).map(|at| BenchmarkPath(format!("QF_BV/f{at}/b0001.smt2"))).collect();
        let listed = new.iter().map(|path| ("QF_BV".to_owned(), path.family().to_owned(), path.clone()));
        input.new = NewBenchmarks::of(listed.clone().chain(listed));
        let selection = select(&rules("smtcomp-2019", Track::SingleQuery), Track::SingleQuery, input.clone(), 3);
        assert_eq!(selection.chosen().count(), 400);
        for path in &new {
            assert_eq!(reason_of(&selection, &path.0), Reason::NewFamily);
        }
    }

    #[test]
    fn r19_6_7_a_new_family_with_ineligible_members_is_in_under_every_seed() {
        let mut input = library("QF_BV", 700, 2);
        let members = [0, 1].map(|at| BenchmarkPath(format!("QF_BV/f100/b000{at}.smt2")));
        input.new =
            NewBenchmarks::of(members.iter().map(|path| ("QF_BV".to_owned(), path.family().to_owned(), path.clone())));
        let out = input.candidates.iter_mut().find(|candidate| candidate.path == members[0]).unwrap();
        out.is_trivial = true;
        for seed in 0..40 {
            let rules = rules("smtcomp-2019", Track::SingleQuery);
            let selection = select(&rules, Track::SingleQuery, input.clone(), seed);
            assert_eq!(reason_of(&selection, &members[1].0), Reason::NewFamily, "seed {seed}");
        }
    }

    #[test]
    fn r19_6_5_r19_6_4_trivial_and_excluded_benchmarks_are_out() {
        let mut input = library("QF_BV", 1, 4);
        input.candidates[1].is_trivial = true;
        input.candidates[2].excluded = Some("no set-logic".into());
        let selection = select(&rules("smtcomp-2019", Track::SingleQuery), Track::SingleQuery, input.clone(), 3);
        let reasons: Vec<&Reason> = selection.choices.iter().map(|choice| &choice.reason).collect();
        let excluded = Reason::Excluded("no set-logic".into());
        assert_eq!(reasons, [&Reason::WholeLogic, &Reason::Trivial, &excluded, &Reason::WholeLogic]);
    }

    #[test]
    fn r19_5_16_benchmarks_with_several_queries_are_out_of_single_query() {
        let mut input = library("QF_BV", 1, 4);
        input.candidates[1].queries = Some(2);
        input.candidates[2].path = BenchmarkPath("incremental/QF_BV/f0/b.smt2".into());
        let of = |track| {
            let selection = select(&rules("smtcomp-2019", track), track, input.clone(), 3);
            selection.choices.into_iter().map(|choice| choice.reason).collect::<Vec<_>>()
        };
        let (whole, other) = (Reason::WholeLogic, Reason::WrongPart);
        assert_eq!(of(Track::SingleQuery), [whole.clone(), Reason::NotOneQuery, other, whole.clone()]);
        assert_eq!(of(Track::Incremental), [whole.clone(), whole.clone(), whole.clone(), whole]);
    }

    #[test]
    fn r19_6_2_benchmarks_with_one_assertion_are_out_of_unsat_core() {
        let mut input = library("QF_BV", 1, 3);
        for (candidate, asserts) in input.candidates.iter_mut().zip([1, 2, 3]) {
            (candidate.status, candidate.asserts) = (Status::Unsat, Some(asserts));
        }
        input.candidates[2].status = Status::Sat;
        let selection = select(&rules("smtcomp-2019", Track::UnsatCore), Track::UnsatCore, input.clone(), 3);
        let reasons: Vec<&Reason> = selection.choices.iter().map(|choice| &choice.reason).collect();
        assert_eq!(reasons, [&Reason::FewAsserts(1), &Reason::WholeLogic, &Reason::WrongStatus]);
    }

    #[test]
    fn the_order_of_the_input_does_not_matter_since_2019() {
        let mut input = library("QF_BV", 10, 70);
        let rules = rules("smtcomp-2019", Track::SingleQuery);
        let one = select(&rules, Track::SingleQuery, input.clone(), 3);
        input.candidates.reverse();
        let mut other = select(&rules, Track::SingleQuery, input.clone(), 3);
        other.choices.reverse();
        assert_eq!(one.choices, other.choices);
        assert_ne!(one.choices, select(&rules, Track::SingleQuery, library("QF_BV", 10, 70), 4).choices);
    }

    #[test]
    fn r08_4_13_unknown_statuses_are_out_and_r08_4_15_checks_are_in() {
        let mut input = library("QF_UF", 1, 4);
        for (candidate, status) in
            input.candidates.iter_mut().zip([Status::Unknown, Status::Sat, Status::Unknown, Status::Sat])
        {
            (candidate.status, candidate.difficulty) = (status, Some(1.0));
        }
        input.candidates[0].category = Some(Category::Industrial);
        input.candidates[1].category = Some(Category::Check);
        input.candidates[2].category = Some(Category::Check);
        let selection = select(&rules("smtcomp-2008", Track::SingleQuery), Track::SingleQuery, input.clone(), 1);
        let reasons: Vec<&Reason> = selection.choices.iter().map(|choice| &choice.reason).collect();
        assert_eq!(reasons, [&Reason::UnknownStatus, &Reason::Check, &Reason::UnknownStatus, &Reason::NoCategory]);
        // The tool of 2012 selects checks whatever their status.
        let selection = select(&rules("smtcomp-2012", Track::SingleQuery), Track::SingleQuery, input.clone(), 1);
        assert_eq!(selection.choices[2].reason, Reason::Check);
    }

    #[test]
    fn a11_16_benchmarks_with_the_most_queries_are_selected() {
        let mut input = library("QF_UF", 1, 4);
        for (candidate, queries) in input.candidates.iter_mut().zip([3, 9, 5, 9]) {
            candidate.queries = Some(queries);
        }
        let mut rules = rules("smtcomp-2011-application", Track::Incremental);
        let all = select(&rules, Track::Incremental, input.clone(), 1);
        assert!(all.choices.iter().all(|choice| choice.reason == Reason::Everything));
        rules.policy = SelectionPolicy::MostQueries { most: 2 };
        let some = select(&rules, Track::Incremental, input.clone(), 1);
        let reasons: Vec<&Reason> = some.choices.iter().map(|choice| &choice.reason).collect();
        let (nine, few) = (Reason::MostQueries(9), [Reason::FewerQueries(3), Reason::FewerQueries(5)]);
        assert_eq!(reasons, [&few[0], &nine, &few[1], &nine]);
    }

    #[test]
    fn d14_1_d14_2_unknown_statuses_and_trivial_benchmarks_are_out() {
        let mut input = library("QF_UF", 1, 1000);
        input.candidates[0].status = Status::Unknown;
        input.candidates[1].is_trivial = true;
        let rules = rules("smtcomp-2014", Track::SingleQuery);
        let selection = select(&rules, Track::SingleQuery, input.clone(), 1);
        assert_eq!(selection.choices[0].reason, Reason::UnknownStatus);
        assert_eq!(selection.choices[1].reason, Reason::Trivial);
        // Trivial benchmarks stay if fewer than 300 others would be left.
        input.candidates.truncate(300);
        let selection = select(&rules, Track::SingleQuery, input, 1);
        assert_eq!(selection.choices[1].reason, Reason::Everything);
    }

    #[test]
    fn d14_3_hard_and_industrial_benchmarks_are_preferred() {
        let mut input = library("QF_UF", 1, 1000);
        for (at, candidate) in input.candidates.iter_mut().enumerate() {
            candidate.difficulty = Some(at as f64);
            candidate.category = Some(if at % 2 == 0 { Category::Industrial } else { Category::Crafted });
        }
        let mut rules = rules("smtcomp-2014", Track::SingleQuery);
        let all = select(&rules, Track::SingleQuery, input.clone(), 1);
        assert_eq!(all.chosen().count(), 1000);
        let SelectionPolicy::Quintiles(quintiles) = &mut rules.policy else { panic!() };
        quintiles.most = 100;
        let some = select(&rules, Track::SingleQuery, input.clone(), 1);
        let of_fifth =
            |fifth| some.choices.iter().filter(|choice| choice.reason == Reason::DrawnFromFifth(fifth)).count();
        assert_eq!([1, 2, 3, 4, 5].map(of_fifth), [40, 20, 15, 15, 10]);
        let is_industrial = |at: &&usize| input.candidates[**at].category == Some(Category::Industrial);
        assert_eq!(some.order.iter().filter(is_industrial).count(), 34 + 17 + 12 + 12 + 8);
    }

    #[test]
    fn benchmarks_that_a_solver_settled_are_added_since_2022() {
        let mut input = library("QF_BV", 1, 3);
        input.candidates[1].status = Status::Unknown;
        input.candidates[2].status = Status::Unknown;
        input.settled.insert(input.candidates[2].path.clone());
        let of = |edition| {
            let selection = select(&rules(edition, Track::ModelValidation), Track::ModelValidation, input.clone(), 1);
            selection.choices.into_iter().map(|choice| choice.reason).collect::<Vec<_>>()
        };
        assert_eq!(of("smtcomp-2022"), [Reason::WholeLogic, Reason::WrongStatus, Reason::Settled]);
        assert_eq!(of("smtcomp-2021"), [Reason::WholeLogic, Reason::WrongStatus, Reason::WrongStatus]);
        // The unsat-core track still requires two assertions (R19-6.2).
        input.candidates[2].asserts = Some(1);
        let cores = select(&rules("smtcomp-2022", Track::UnsatCore), Track::UnsatCore, input.clone(), 1);
        assert_eq!(cores.choices[2].reason, Reason::WrongStatus);
    }

    #[test]
    fn sl19_18_every_edition_selects_and_its_table_round_trips() {
        let mut input = library("QF_BV", 3, 2);
        input.candidates[0].status = Status::Unknown;
        for edition in Rulebook::names() {
            for (track, rules) in Rulebook::named(edition).unwrap().selection {
                let mut selection = select(&rules, track, input.clone(), 7);
                assert_eq!(selection.chosen().count(), selection.order.len(), "{edition} {track}");
                selection.divide_into_heats(rules.generator, 2);
                let chosen = Chosen::read(&selection.to_table()).unwrap();
                assert_eq!(chosen.seed, 7);
                assert_eq!(chosen.benchmarks.len(), selection.order.len(), "{edition} {track}");
                assert!(chosen.benchmarks.iter().all(|(_, heat)| heat.is_some()));
            }
        }
        let sl = select(&rules("slcomp-2019", Track::SingleQuery), Track::SingleQuery, input.clone(), 7);
        assert_eq!(sl.chosen().count(), 5);
        for broken in [
            "",
            "# seed x
",
            "# seed 1
a	b
",
            "# seed 1
benchmark	logic	selected	reason	heat
x	y	maybe		
",
        ] {
            assert!(Chosen::read(broken.as_bytes()).is_err(), "{broken}");
        }
    }
}
