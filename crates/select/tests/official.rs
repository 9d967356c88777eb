//! Recomputes published selections and seeds. The inputs are in the shared data.

use agon_domain::{BenchmarkPath, EntrantKind, Track};
use agon_library::PastRun;
use agon_rulebook::{FamilyRule, GeneratorName, Rulebook, SelectionPolicy, SelectionRules};
use agon_select::{
    CRandom, Contribution, Input, NewBenchmarks, SeedLedger, Selection, read_list, read_paths, read_tool_input, select,
};
use agon_testkit::{shared, table, unpacked};
use std::collections::HashSet;
use std::fs;
use std::path::Path;

fn rules(edition: &str, track: Track) -> SelectionRules {
    let rules = Rulebook::named(edition).unwrap().selection.remove(&track).unwrap();
    rules.with_generator(GeneratorName::Python)
}

/// The input of the organizers' script: all benchmarks, the new ones, facts, and the results of the previous year.
fn input(directory: &Path, all: &str, new: &str, facts: Option<&str>, earlier: Option<&str>) -> Input {
    let text = |name: &str| unpacked(&directory.join(name));
    let (mut candidates, errors) = read_list(&text(all), FamilyRule::BottomDirectory);
    assert!(errors.is_empty(), "{errors:?}");
    let listed = read_paths(&text(new)).0.into_iter().map(|path| {
        let path = BenchmarkPath(path);
        let logic = path.0.split('/').next().unwrap_or_default().to_owned();
        (logic, path.family().to_owned(), path)
    });
    let new = NewBenchmarks::of(listed);
    if let Some(facts) = facts {
        let (facts, errors) = agon_import::read_facts(&directory.join(facts)).unwrap();
        assert!(errors.is_empty(), "{:?}", &errors[..1]);
        for candidate in &mut candidates {
            if let Some(facts) = facts.get(&candidate.path) {
                (candidate.status, candidate.asserts) = (facts.status, Some(facts.asserts));
            }
        }
    }
    if let Some(earlier) = earlier {
        let results = agon_import::read(&[directory.join(earlier)]).unwrap().past_runs();
        let past = |run: &agon_score::Run| PastRun {
            benchmark: BenchmarkPath(results.benchmark_of(run).name.to_string()),
            solver: results.solver_of(run).name.clone(),
            answer: run.claim.answer,
            status: results.benchmark_of(run).status,
            cpu_s: run.cpu.as_secs_f64(),
        };
        let runs: Vec<PastRun> = results.runs.iter().map(past).collect();
        let records = agon_library::records(&runs, None, &HashSet::new());
        for candidate in &mut candidates {
            candidate.is_trivial =
                records.get(&candidate.path).is_some_and(|record| record.is_solved_by_all_within(1.0));
        }
    }
    Input { candidates, new, ..Input::default() }
}

#[track_caller]
fn assert_list(selection: &Selection, part: &str, file: &Path, count: usize) {
    let mut chosen: Vec<String> = selection.chosen().map(|choice| format!("/{part}/{}", choice.path)).collect();
    chosen.sort_by(|a, b| a.split('/').nth(2).cmp(&b.split('/').nth(2)).then_with(|| a.cmp(b)));
    let expected = unpacked(file);
    let expected: Vec<&str> = expected.lines().collect();
    assert_eq!(expected.len(), count);
    let differing = chosen.iter().zip(&expected).filter(|(a, b)| a != *b).count();
    assert!(chosen == expected, "{}: {} chosen, {differing} differ", file.display(), chosen.len());
}

#[test]
fn r19_6_7_the_incremental_selection_of_2019_is_reproduced() {
    let Some(directory) = shared("data/selection/2019") else { return };
    let input = input(
        &directory.join("input"),
        "SMT-LIB_incremental_benchmarks_all_no_challenge.txt.xz",
        "SMT-LIB_incremental_benchmarks_new_no_challenge.txt.xz",
        None,
        Some("2018_Application_Track.csv.xz"),
    );
    let selection = select(&rules("smtcomp-2019", Track::Incremental), Track::Incremental, input.clone(), 912_681_576);
    let list = directory.join("final/benchmark_selection_incremental_2019.txt.xz");
    assert_list(&selection, "incremental", &list, 7567);
    // The generator of the rules draws as many benchmarks, but different ones.
    let by_rules = Rulebook::named("smtcomp-2019").unwrap().selection.remove(&Track::Incremental).unwrap();
    let other = select(&by_rules, Track::Incremental, input.clone(), 912_681_576);
    assert_eq!(other.chosen().count(), 7567);
    assert_ne!(other.choices, selection.choices);
}

#[test]
fn r19_5_28_the_model_validation_selection_of_2019_is_reproduced() {
    let Some(directory) = shared("data/selection/2019") else { return };
    let mut input = input(
        &directory.join("input"),
        "SMT-LIB_non_incremental_benchmarks_sat.txt.xz",
        "SMT-LIB_non_incremental_benchmarks_new_sat.txt.xz",
        None,
        None,
    );
    for candidate in &mut input.candidates {
        candidate.status = agon_domain::Status::Sat;
    }
    let rules = rules("smtcomp-2019", Track::ModelValidation);
    let selection = select(&rules, Track::ModelValidation, input.clone(), 912_681_576);
    let list = directory.join("final/benchmark_selection_model_validation_2019.txt.xz");
    assert_list(&selection, "non-incremental", &list, 7191);
}

#[test]
fn r19_6_2_the_unsat_core_selection_of_2019_is_reproduced() {
    let Some(directory) = shared("data/selection/2019") else { return };
    let mut input = input(
        &directory.join("input"),
        "SMT-LIB_non_incremental_benchmarks_unsat.txt.xz",
        "SMT-LIB_non_incremental_benchmarks_new_unsat.txt.xz",
        Some("SMT-LIB_non_incremental_status_asserts.csv.xz"),
        None,
    );
    for candidate in &mut input.candidates {
        candidate.status = agon_domain::Status::Unsat;
    }
    let selection = select(&rules("smtcomp-2019", Track::UnsatCore), Track::UnsatCore, input.clone(), 912_681_576);
    let list = directory.join("final/benchmark_selection_unsat_core_2019.txt.xz");
    assert_list(&selection, "non-incremental", &list, 44_341);
}

#[test]
fn r19_6_6_the_selections_of_2020_are_reproduced() {
    let Some(directory) = shared("data/selection/2020") else { return };
    let incremental = input(
        &directory.join("input"),
        "SMT-LIB_incremental_benchmarks_all_filtered.txt.xz",
        "SMT-LIB_incremental_benchmarks_new_filtered.txt.xz",
        None,
        None,
    );
    let selection = select(&rules("smtcomp-2020", Track::Incremental), Track::Incremental, incremental, 332_349_782);
    assert_list(&selection, "incremental", &directory.join("final/benchmark_selection_incremental.txt.xz"), 10_296);
    let all = input(
        &directory.join("input"),
        "SMT-LIB_non_incremental_benchmarks_all.txt.xz",
        "SMT-LIB_non_incremental_benchmarks_new.txt.xz",
        Some("SMT-LIB_non_incremental_benchmarks_all_assertions.csv.xz"),
        None,
    );
    for (track, list, count) in [
        (Track::ModelValidation, "final/benchmark_selection_model_validation.txt.xz", 8284),
        (Track::UnsatCore, "final/benchmark_selection_unsat_core.txt.xz", 44_539),
    ] {
        let selection = select(&rules("smtcomp-2020", track), track, all.clone(), 332_349_782);
        assert_list(&selection, "non-incremental", &directory.join(list), count);
    }
}

/// The ids of the benchmarks that Agon selects from input of the 2012 tool, in the order in which the tool prints them.
fn tool(edition: &str, text: &str, seed: u32) -> Vec<String> {
    let mut rulebook = Rulebook::named(edition).unwrap();
    let (candidates, errors) = read_tool_input(text, rulebook.family);
    assert!(errors.is_empty(), "{errors:?}");
    let mut rules = rulebook.selection.remove(&Track::SingleQuery).unwrap();
    // The tool selects checks of unknown status, which the rules of 2008 exclude.
    let SelectionPolicy::Cells(cells) = &mut rules.policy else { panic!("{edition} has cells") };
    cells.unknown_checks = true;
    let input = Input { candidates, ..Input::default() };
    let selection = select(&rules, Track::SingleQuery, input, seed);
    selection.order.iter().map(|at| selection.choices[*at].id.clone().unwrap()).collect()
}

#[test]
fn r08_4_16_to_4_20_selections_equal_those_of_the_tool_of_2012() {
    let Some(directory) = shared("data/selection/tool-2008-2012") else { return };
    let mut compared = 0;
    for row in table(&directory.join("INDEX.tsv")) {
        let (input, output) = (directory.join(&row["input"]), directory.join(&row["output"]));
        let (Ok(input), Ok(output)) = (fs::read_to_string(input), fs::read_to_string(output)) else { continue };
        let edition = format!("smtcomp-{}", row["scheme"]);
        let chosen = tool(&edition, &input, row["seed"].parse().unwrap());
        assert_eq!(chosen, output.lines().collect::<Vec<_>>(), "{} {} {}", row["scheme"], row["case"], row["seed"]);
        compared += 1;
    }
    assert!(compared >= 40, "{compared}");
}

#[test]
fn selections_from_the_eligible_benchmarks_of_2012_are_reproduced() {
    let Some(directory) = shared("data/selection/official-2007-2012") else { return };
    let input = unpacked(&directory.join("smtcomp2012-eligible.txt.bz2"));
    for seed in [1, 12345, 600_830_695, 97_892_241] {
        let output = fs::read_to_string(directory.join(format!("smtcomp2012-eligible.seed{seed}.out.txt"))).unwrap();
        assert_eq!(tool("smtcomp-2012", &input, seed), output.lines().collect::<Vec<_>>(), "seed {seed}");
    }
}

#[test]
fn r08_4_21_published_seeds_are_reproduced() {
    let Some(directory) = shared("data/random") else { return };
    let numbers = table(&directory.join("magic-numbers.tsv"));
    let mut recomputed = 0;
    for row in table(&directory.join("seeds.tsv")) {
        let Ok(seed) = row["competition_seed"].parse::<u32>() else { continue };
        let contributions = numbers.iter().filter(|number| number["year"] == row["year"]).map(|number| Contribution {
            entrant: number["entrant"].clone(),
            magic: Some(number["number"].parse().unwrap()),
            kind: if number["use"] == "counted" { EntrantKind::Competing } else { EntrantKind::Organizer },
        });
        let rules = Rulebook::named(&format!("smtcomp-{}", row["year"])).unwrap().seed.as_published();
        let index = if row["nyse_open"].is_empty() { "0" } else { &row["nyse_open"] };
        let ledger = SeedLedger::new(&rules, contributions.collect(), index.parse().unwrap());
        assert_eq!(ledger.seed(), seed, "{}\n{ledger}", row["year"]);
        recomputed += 1;
    }
    assert_eq!(recomputed, 14);
}

#[test]
fn random_numbers_equal_those_of_the_c_library() {
    let Some(directory) = shared("data/random") else { return };
    for row in table(&directory.join("random-vectors.tsv")) {
        let (Ok(seed), Ok(index)) = (row["seed"].parse(), row["index"].parse::<usize>()) else { continue };
        let mut random = CRandom::new(seed);
        let number = (0..=index).map(|_| random.next_number()).last().unwrap();
        assert_eq!(number.to_string(), row["value"], "seed {seed}, index {index}");
    }
}
