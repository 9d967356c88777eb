//! Where `agon select` takes its benchmarks from: a competition's library, or files.

use crate::cli::SelectOptions;
use crate::failure::Usage;
use agon_domain::{BenchmarkPath, Category, Status};
use agon_library::{Difficulty, Library, read_runs, read_table_2014, records};
use agon_rulebook::{Rulebook, SelectionRules};
use agon_select::{Candidate, Input, NewBenchmarks, add_facts, is_tool_format, read_list, read_paths, read_tool_input};
use anyhow::Context;
use std::collections::{HashMap, HashSet};
use std::fmt::Display;
use std::fs;
use std::path::Path;

/// The benchmarks of files, and how many lines of them make no sense.
pub fn of_files(rules: &SelectionRules, file: &Path, options: &SelectOptions) -> anyhow::Result<(Input, usize)> {
    let mut reader = Reader { broken: 0 };
    let text = read(file)?;
    let mut candidates = if is_tool_format(&text) {
        reader.take(file, read_tool_input(&text))
    } else if is_table_2014(&text) {
        reader.take(file, of_table_2014(&text))
    } else {
        reader.take(file, read_list(&text))
    };
    if let Some(status) = options.status {
        candidates.iter_mut().for_each(|candidate| candidate.status = status);
    }
    if let Some(file) = &options.facts {
        let status = options.status;
        let errors = add_facts(&mut candidates, &read(file)?);
        reader.take(file, ((), errors));
        if let Some(status) = status {
            candidates.iter_mut().for_each(|candidate| candidate.status = status);
        }
    }
    let input = reader.rest(rules, candidates, options)?;
    Ok((input, reader.broken))
}

/// The benchmarks of a competition's library, and how many lines of the files beside it make no sense.
pub fn of_library(
    rulebook: &Rulebook,
    rules: &SelectionRules,
    library: &Library,
    options: &SelectOptions,
) -> anyhow::Result<(Input, usize)> {
    let candidates = library.iter().map(|entry| {
        let benchmark = &entry.benchmark;
        let family = rulebook.family.of(&benchmark.path);
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
            excluded: None,
            id: None,
        }
    });
    let mut reader = Reader { broken: 0 };
    let mut input = reader.rest(rules, candidates.collect(), options)?;
    add_new_families(&mut input, &options.new_families)?;
    Ok((input, reader.broken))
}

/// Reads the files beside the list of benchmarks, counting the lines that make no sense.
struct Reader {
    broken: usize,
}

impl Reader {
    fn take<T, E: Display>(&mut self, file: &Path, (read, errors): (T, Vec<E>)) -> T {
        for error in &errors {
            say!("left out: {}: {error}", file.display());
        }
        self.broken += errors.len();
        read
    }

    fn rest(
        &mut self,
        rules: &SelectionRules,
        mut candidates: Vec<Candidate>,
        options: &SelectOptions,
    ) -> anyhow::Result<Input> {
        let mut runs = vec![];
        for file in &options.results {
            runs.extend(self.take(file, read_runs(read(file)?.as_bytes())));
        }
        let records = records(&runs, None, &HashSet::new());
        let excluded = match &options.exclude {
            Some(file) => exclusions(&read(file)?),
            None => HashMap::new(),
        };
        let is_known_of = !records.is_empty() || !excluded.is_empty();
        for candidate in candidates.iter_mut().filter(|_| is_known_of) {
            let key = BenchmarkPath::from_logic(&candidate.path.0).unwrap_or_else(|| candidate.path.clone());
            let is_trivial = || records.get(&key).is_some_and(|record| record.is_trivial(rules.eligible.trivial_s));
            candidate.is_trivial |= is_trivial();
            candidate.excluded = excluded.get(&key.0).cloned();
        }
        // Lists name benchmarks from their logic on; libraries have a part before it.
        let has_lists = options.new.is_some() || options.settled.is_some();
        let by_key: HashMap<String, &BenchmarkPath> = candidates
            .iter()
            .filter(|_| has_lists)
            .filter_map(|candidate| Some((BenchmarkPath::from_logic(&candidate.path.0)?.0, &candidate.path)))
            .collect();
        let mut listed = |file: &Path| -> anyhow::Result<Vec<BenchmarkPath>> {
            let paths = self.take(file, read_paths(&read(file)?));
            Ok(paths
                .into_iter()
                .map(|path| by_key.get(&path).map_or(BenchmarkPath(path), |path| (*path).clone()))
                .collect())
        };
        let new = options.new.as_deref().map(&mut listed).transpose()?.unwrap_or_default();
        let settled = options.settled.as_deref().map(&mut listed).transpose()?.unwrap_or_default();
        let new = NewBenchmarks::of(new.into_iter().map(|path| (path.family().to_owned(), path)));
        Ok(Input { candidates, new, settled: settled.into_iter().collect() })
    }
}

fn read(file: &Path) -> anyhow::Result<String> {
    let bytes = fs::read(file).with_context(|| file.display().to_string())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Paths from their logic on, each with the reason behind a tab, or none.
fn exclusions(text: &str) -> HashMap<String, String> {
    let line = |line: &str| {
        let (path, reason) = line.split_once('\t').unwrap_or((line, "named in the list of exclusions"));
        Some((BenchmarkPath::from_logic(path.trim())?.0, reason.trim().to_owned()))
    };
    text.lines().filter_map(line).collect()
}

/// Whether a text is a difficulty table of 2014: seven columns, of which the second says how difficult it is.
fn is_table_2014(text: &str) -> bool {
    let mut fields = text.lines().next().unwrap_or_default().splitn(7, ' ');
    let second = fields.nth(1).unwrap_or_default();
    let is_difficulty = ["trivial", "unknown"].contains(&second) || second.parse::<f64>().is_ok();
    is_difficulty && fields.count() == 5
}

fn of_table_2014(text: &str) -> (Vec<Candidate>, Vec<agon_library::RowError>) {
    let (rows, errors) = read_table_2014(text);
    let candidates = rows.into_iter().map(|row| Candidate {
        logic: row.logic.clone(),
        status: row.expected.parse().unwrap_or(Status::Unknown),
        category: row.category.parse::<Category>().ok(),
        is_trivial: row.difficulty == Difficulty::Trivial,
        difficulty: row.difficulty.seconds(),
        ..Candidate::at(&row.path)
    });
    (candidates.collect(), errors)
}

/// Marks whole families as new.
fn add_new_families(input: &mut Input, families: &[String]) -> anyhow::Result<()> {
    for family in families {
        let mut members: Vec<BenchmarkPath> = input
            .candidates
            .iter()
            .filter(|candidate| candidate.family == *family)
            .map(|candidate| candidate.path.clone())
            .collect();
        if members.is_empty() {
            let example = input.candidates.first().map_or("", |candidate| &candidate.family);
            let message = format!("no family '{family}' is in the library; name its folder, as in {example}");
            return Err(Usage(message).into());
        }
        members.sort_unstable();
        input.new.families.push((family.clone(), members));
    }
    Ok(())
}
