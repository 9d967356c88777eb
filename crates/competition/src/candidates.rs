//! The candidates of a selection, from a competition's library or from files.

use crate::StepError;
use crate::error::At;
use crate::past_runs::past_runs;
use crate::select::SelectOptions;
use agon_domain::{BenchmarkPath, Category, RowError, Status, bottom_directory};
use agon_import::{read_difficulties, read_facts};
use agon_library::{Difficulty, Library, Record, Row2014, UNSOLVED_2014_S, read_table_2014, records};
use agon_rulebook::{FamilyRule, Rulebook, SelectionPolicy, SelectionRules};
use agon_select::{
    Candidate, FamilyCut, Input, NewBenchmarks, Past, is_tool_format, read_list, read_paths, read_tool_input,
};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};

/// The input of a selection, and the malformed lines that were skipped, each with the reason.
pub(crate) struct Candidates {
    pub(crate) input: Input,
    pub(crate) left_out: Vec<String>,
}

/// Metadata for benchmarks that are only listed by path.
#[derive(Clone, Debug, Default)]
pub struct ListOptions {
    /// A table of the statuses and numbers of assertions.
    pub facts: Option<PathBuf>,
    /// The status of all listed benchmarks.
    pub status: Option<Status>,
}

/// Reads candidates from a list of paths, a table of 2014 or input of the 2012 tool.
pub(crate) fn of_files(
    families: FamilyRule,
    rules: &SelectionRules,
    file: &Path,
    list: &ListOptions,
    options: &SelectOptions,
) -> Result<Candidates, StepError> {
    let mut reader = SideFiles { left_out: vec![] };
    let text = read(file)?;
    let mut candidates = if is_tool_format(&text) {
        reader.take(file, read_tool_input(&text, families))
    } else if is_table_2014(&text) {
        reader.take(file, of_table_2014(&text, families))
    } else {
        reader.take(file, read_list(&text, families))
    };
    if let Some(file) = &list.facts {
        let (facts, errors) = read_facts(file)?;
        reader.left_out.extend(errors.iter().map(ToString::to_string));
        for candidate in &mut candidates {
            if let Some(facts) = facts.get(&candidate.path) {
                (candidate.status, candidate.asserts) = (facts.status, Some(facts.asserts));
            }
        }
    }
    if let Some(status) = list.status {
        candidates.iter_mut().for_each(|candidate| candidate.status = status);
    }
    let mut input = reader.rest(rules, candidates, options)?;
    add_new_families(&mut input, &options.new_families)?;
    Ok(Candidates { input, left_out: reader.left_out })
}

/// The candidates in a competition's library.
pub(crate) fn of_library(
    rulebook: &Rulebook,
    rules: &SelectionRules,
    library: &Library,
    nominated: &HashSet<BenchmarkPath>,
    cuts: Vec<FamilyCut>,
    options: &SelectOptions,
) -> Result<Candidates, StepError> {
    let candidates = library.iter().map(|entry| {
        let benchmark = &entry.benchmark;
        let family = rulebook.family.of(&benchmark.path.0);
        Candidate {
            path: benchmark.path.clone(),
            logic: benchmark.logic.0.clone(),
            family: family.to_owned(),
            status: benchmark.status(),
            asserts: Some(benchmark.asserts),
            queries: Some(benchmark.statuses.len() as u64),
            category: benchmark.category,
            difficulty: benchmark.difficulty,
            is_trivial: false,
            past: Past::Unknown,
            nominated: nominated.contains(&benchmark.path),
            excluded: None,
            id: None,
        }
    });
    let mut candidates: Vec<Candidate> = candidates.collect();
    if matches!(rules.policy, SelectionPolicy::Cells(_)) {
        // This policy requires the members of a division and of a family to be consecutive.
        let key = |candidate: &Candidate| (candidate.logic.clone(), candidate.family.clone(), candidate.path.clone());
        candidates.sort_by_cached_key(key);
    }
    let mut reader = SideFiles { left_out: vec![] };
    let mut input = reader.rest(rules, candidates, options)?;
    input.cuts = cuts;
    add_new_families(&mut input, &options.new_families)?;
    Ok(Candidates { input, left_out: reader.left_out })
}

/// Reads the files besides the list of benchmarks, and collects their malformed lines.
struct SideFiles {
    left_out: Vec<String>,
}

impl SideFiles {
    /// Collects the malformed lines of a file, and returns the rest of what was read.
    fn take<T, E: Display>(&mut self, file: &Path, (read, errors): (T, Vec<E>)) -> T {
        self.left_out.extend(errors.iter().map(|error| format!("{}: {error}", file.display())));
        read
    }

    /// Reads the files that the options name and completes the candidates: trivial ones by earlier results,
    /// difficulties, exclusions, and the lists of new and settled benchmarks.
    fn rest(
        &mut self,
        rules: &SelectionRules,
        mut candidates: Vec<Candidate>,
        options: &SelectOptions,
    ) -> Result<Input, StepError> {
        let mut years = vec![];
        for file in &options.results {
            let (runs, errors) = past_runs(file)?;
            self.left_out.extend(errors);
            years.push(records(&runs, None, &HashSet::new()));
        }
        if let Some(file) = &options.difficulty {
            let (difficulties, errors) = read_difficulties(file)?;
            self.left_out.extend(errors.iter().map(ToString::to_string));
            for candidate in &mut candidates {
                let path = BenchmarkPath::from_logic(&candidate.path.0);
                let known = path.and_then(|path| difficulties.get(&path).copied());
                candidate.difficulty = known.or(candidate.difficulty);
            }
        }
        let mut excluded = match &options.exclude {
            Some(file) => exclusions(&read(file)?),
            None => HashMap::new(),
        };
        let is_known_of = !years.is_empty() || !excluded.is_empty();
        for candidate in candidates.iter_mut().filter(|_| is_known_of) {
            let key = BenchmarkPath::from_logic(&candidate.path.0).unwrap_or_else(|| candidate.path.clone());
            let is_trivial = |year: &BTreeMap<BenchmarkPath, Record>| {
                year.get(&key)
                    .and_then(Record::slowest_of_all_s)
                    .is_some_and(|slowest| rules.eligible.is_trivial(slowest))
            };
            candidate.is_trivial |= years.iter().any(is_trivial);
            candidate.past = past(years.iter().filter_map(|year| year.get(&key)));
            candidate.excluded = excluded.remove(&key);
        }
        for path in excluded.keys() {
            self.left_out.push(format!("{path} is in the list of exclusions, but is not among the benchmarks"));
        }
        // Paths in lists start with the logic; in libraries they have a part before it.
        let has_lists = options.new.is_some() || options.settled.is_some();
        let by_key: HashMap<BenchmarkPath, &Candidate> = candidates
            .iter()
            .filter(|_| has_lists)
            .filter_map(|candidate| Some((BenchmarkPath::from_logic(&candidate.path.0)?, candidate)))
            .collect();
        let part = candidates.first().and_then(|candidate| candidate.path.part());
        // Returns logic, family and path, even of listed benchmarks that are not candidates.
        let mut listed = |file: &Path| -> Result<Vec<(String, String, BenchmarkPath)>, StepError> {
            let paths = self.take(file, read_paths(&read(file)?));
            Ok(paths
                .into_iter()
                .map(|path| match by_key.get(&BenchmarkPath(path.clone())) {
                    Some(candidate) => (candidate.logic.clone(), candidate.family.clone(), candidate.path.clone()),
                    None => {
                        let logic = path.split('/').next().unwrap_or_default().to_owned();
                        let path = BenchmarkPath(part.map_or(path.clone(), |part| format!("{part}/{path}")));
                        (logic, bottom_directory(&path.0).to_owned(), path)
                    }
                })
                .collect())
        };
        let new = options.new.as_deref().map(&mut listed).transpose()?.unwrap_or_default();
        let settled = options.settled.as_deref().map(&mut listed).transpose()?.unwrap_or_default();
        let new = NewBenchmarks::of(new);
        let settled = settled.into_iter().map(|(_, _, path)| path).collect();
        Ok(Input { candidates, new, settled, cuts: vec![] })
    }
}

/// What the solvers of all years achieved on a benchmark.
fn past<'a>(years: impl Iterator<Item = &'a Record>) -> Past {
    let runs: Vec<&Record> = years.filter(|record| record.total > 0).collect();
    match runs.iter().filter_map(|record| record.fastest_s()).min_by(f64::total_cmp) {
        Some(seconds) => Past::Solved(seconds),
        None if runs.is_empty() => Past::Unknown,
        None => Past::Unsolved,
    }
}

fn read(file: &Path) -> Result<String, StepError> {
    let bytes = fs::read(file).at(file)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Parses a list of exclusions: one path per line, optionally followed by a tab and the reason. A path without a logic
/// is used unchanged.
fn exclusions(text: &str) -> HashMap<BenchmarkPath, String> {
    let line = |line: &str| {
        let (path, reason) = line.split_once('\t').unwrap_or((line, "in the list of exclusions"));
        let path = BenchmarkPath::from_logic(path.trim()).unwrap_or_else(|| BenchmarkPath(path.trim().to_owned()));
        (path, reason.trim().to_owned())
    };
    text.lines().filter(|text| !text.trim().is_empty()).map(line).collect()
}

/// Whether a text is a difficulty table of 2014: seven columns, of which the second is the difficulty.
fn is_table_2014(text: &str) -> bool {
    let mut fields = text.lines().next().unwrap_or_default().splitn(7, ' ');
    let second = fields.nth(1).unwrap_or_default();
    let is_difficulty = ["trivial", "unknown"].contains(&second) || second.parse::<f64>().is_ok();
    is_difficulty && fields.count() == 5
}

fn of_table_2014(text: &str, families: FamilyRule) -> (Vec<Candidate>, Vec<RowError>) {
    let (rows, errors) = read_table_2014(text);
    let candidates = rows.into_iter().map(|row| of_row_2014(row, families));
    (candidates.collect(), errors)
}

fn of_row_2014(row: Row2014, families: FamilyRule) -> Candidate {
    Candidate {
        status: row.expected.parse().unwrap_or(Status::Unknown),
        category: row.category.parse::<Category>().ok(),
        is_trivial: row.difficulty == Difficulty::Trivial,
        // 1500 and 1600 both mean that no solver solved it (D14-9).
        difficulty: if row.difficulty.is_unsolved() { Some(UNSOLVED_2014_S) } else { row.difficulty.seconds() },
        ..Candidate { logic: row.logic, ..Candidate::at(&row.path, families) }
    }
}

/// Takes difficulties, expected results and trivial benchmarks from the difficulty table of the competition (D14-1 to
/// D14-3).
pub(crate) fn add_difficulties(input: &mut Input, rows: Option<Vec<Row2014>>) {
    let rows: HashMap<String, Candidate> = rows
        .into_iter()
        .flatten()
        .map(|row| (format!("non-incremental/{}", row.path), of_row_2014(row, FamilyRule::BottomDirectory)))
        .collect();
    for candidate in &mut input.candidates {
        if let Some(row) = rows.get(&candidate.path.0) {
            (candidate.status, candidate.difficulty, candidate.is_trivial) =
                (row.status, row.difficulty, row.is_trivial);
        }
    }
}

/// Marks whole families as new.
fn add_new_families(input: &mut Input, families: &[String]) -> Result<(), StepError> {
    let mut listed = vec![];
    for name in families {
        let before = listed.len();
        let members = input.candidates.iter().filter(|candidate| candidate.family == *name);
        listed.extend(members.map(|member| (member.logic.clone(), name.clone(), member.path.clone())));
        if listed.len() == before {
            let example = input.candidates.first().map_or("", |candidate| &candidate.family);
            let message = format!("there is no family '{name}' in the library; name its directory, such as {example}");
            return Err(StepError::Usage(message));
        }
    }
    input.new.families.extend(NewBenchmarks::of(listed).families);
    Ok(())
}
