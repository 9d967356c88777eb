//! Selects benchmarks.

use crate::candidates::{self, Candidates, ListOptions};
use crate::difficulty_table::{current_rows, table_digest};
use crate::entries::check_divisions;
use crate::error::At;
use crate::readiness::Freshness;
use crate::seed::read_seed;
use crate::{StepError, index};
use agon_domain::{BenchmarkPath, Digest, Track};
use agon_edition::Standing;
use agon_rulebook::{FamilyRule, GeneratorName, Rulebook, SelectionPolicy, SelectionRules};
use agon_select::{Chosen, FamilyCut, Reason, Selection};
use agon_store::{Competition, write_whole};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The inputs of a selection besides the library, the rules and the seed. The options are written into the
/// selection's file, so that it can be drawn again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SelectOptions {
    /// A seed that replaces the competition's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u32>,
    /// A file that lists the benchmarks that are new this year.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<PathBuf>,
    /// The families that are new this year.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub new_families: Vec<String>,
    /// The results of earlier years, one file per year.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<PathBuf>,
    /// A table of difficulties.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difficulty: Option<PathBuf>,
    /// A file that lists benchmarks of unknown status that a solver of this year solved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settled: Option<PathBuf>,
    /// A file that lists benchmarks to exclude.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exclude: Option<PathBuf>,
    /// A random number generator that replaces the rulebook's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generator: Option<GeneratorName>,
    /// The size of heats into which each division is divided at random.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heats: Option<usize>,
}

impl SelectOptions {
    fn files(&self) -> impl Iterator<Item = &PathBuf> {
        let single = [&self.new, &self.difficulty, &self.settled, &self.exclude];
        single.into_iter().flatten().chain(&self.results)
    }

    /// The options with absolute paths, so that the selection can be drawn again from another directory.
    fn absolute(&self) -> Self {
        let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
        Self {
            new: self.new.as_ref().map(absolute),
            difficulty: self.difficulty.as_ref().map(absolute),
            settled: self.settled.as_ref().map(absolute),
            exclude: self.exclude.as_ref().map(absolute),
            results: self.results.iter().map(absolute).collect(),
            ..self.clone()
        }
    }
}

/// A selection, and the malformed lines of its input files.
#[derive(Debug)]
pub struct Selected {
    /// The decision on every benchmark, with the reason.
    pub selection: Selection,
    /// The lines that were skipped, each with the reason.
    pub left_out: Vec<String>,
}

impl Selected {
    /// The logics without a selected benchmark, each with the most frequent reason and the number of benchmarks that it
    /// applies to.
    pub fn without_any(&self) -> Vec<(&str, String, usize)> {
        let mut logics: BTreeMap<&str, BTreeMap<String, usize>> = BTreeMap::new();
        let mut chosen: BTreeMap<&str, usize> = BTreeMap::new();
        // Benchmarks in the other part of the library do not belong to the track.
        for choice in self.selection.choices.iter().filter(|choice| choice.reason != Reason::WrongPart) {
            *chosen.entry(&choice.logic).or_default() += usize::from(choice.reason.is_in());
            *logics.entry(&choice.logic).or_default().entry(choice.reason.to_string()).or_default() += 1;
        }
        let empty = logics.into_iter().filter(|(logic, _)| chosen[logic] == 0);
        empty
            .filter_map(|(logic, reasons)| {
                let (reason, count) = reasons.into_iter().max_by_key(|(_, count)| *count)?;
                Some((logic, reason, count))
            })
            .collect()
    }
}

/// The selection rules of a track.
pub fn selection_rules(rulebook: &Rulebook, track: Track) -> Result<&SelectionRules, StepError> {
    rulebook.selection.get(&track).ok_or_else(|| {
        let tracks = rulebook.selection.keys().map(|track| track.name()).collect::<Vec<_>>().join(", ");
        StepError::Usage(format!(
            "the rulebook '{}' has selection rules only for {tracks}; add rules for the {track} track under \
             [rules.selection.{track}] in agon.toml",
            rulebook.name
        ))
    })
}

/// Selects from files, without a competition.
pub fn select_from_files(
    families: FamilyRule,
    rules: &SelectionRules,
    track: Track,
    benchmarks: &Path,
    list: &ListOptions,
    options: &SelectOptions,
) -> Result<Selected, StepError> {
    let seed = options.seed.ok_or_else(|| StepError::Usage("--rules and --benchmarks require --seed".into()))?;
    let rules = rules.clone().with_generator(options.generator.unwrap_or(rules.generator));
    let Candidates { input, left_out } = candidates::of_files(families, &rules, benchmarks, list, options)?;
    Ok(Selected { selection: drawn(&rules, track, input, seed, options), left_out })
}

/// Selects the benchmarks of a track by the competition's rules and seed, and writes the selection with the reason for
/// each decision (R19-6.6, R19-6.7).
pub fn select(competition: &Competition, track: Track, options: &SelectOptions) -> Result<Selected, StepError> {
    check_divisions(competition, track)?;
    let directory = competition.directory().display();
    let rules = selection_rules(competition.rulebook(), track)?;
    let rules = rules.clone().with_generator(options.generator.unwrap_or(rules.generator));
    let seed = match options.seed {
        Some(seed) => seed,
        None => match read_seed(competition)? {
            Some(ledger) => ledger.seed(),
            None => {
                let message = format!("{directory} has no seed yet; draw it with 'agon seed --index VALUE'");
                return Err(StepError::Missing(message));
            }
        },
    };
    let library = index::library_of(competition)?;
    let nominated = competition.nominations()?.into_iter().map(|nomination| nomination.benchmark).collect();
    let Candidates { mut input, left_out } = candidates::of_library(
        competition.rulebook(),
        &rules,
        &library,
        &nominated,
        family_cuts(competition, track)?,
        options,
    )?;
    if matches!(rules.policy, SelectionPolicy::Quintiles(_)) && options.difficulty.is_none() {
        candidates::add_difficulties(&mut input, current_rows(competition)?);
    }
    let selection = drawn(&rules, track, input, seed, options);
    let options = options.absolute();
    let mut table = selection.to_table();
    let basis = basis(competition, track, seed, &options)?;
    let written = json(&options);
    table.extend(format!("{OPTIONS}{written}\n{BASIS}{basis}\n").as_bytes());
    let file = competition.selection_file(track);
    write_whole(&file, &table).at(&file)?;
    Ok(Selected { selection, left_out })
}

/// The families that decisions cut in a track (R19-6.4).
fn family_cuts(competition: &Competition, track: Track) -> Result<Vec<FamilyCut>, StepError> {
    let log = competition.log()?;
    let cut = |cut: &agon_edition::Cut<'_>| FamilyCut {
        directory: cut.family.to_owned(),
        to: cut.to,
        why: format!(
            "its family was cut to {} benchmarks (decision {}: {})",
            cut.to, cut.entry.number, cut.entry.reason
        ),
    };
    Ok(Standing::of(&log).cuts(track).map(cut).collect())
}

fn drawn(
    rules: &SelectionRules,
    track: Track,
    input: agon_select::Input,
    seed: u32,
    options: &SelectOptions,
) -> Selection {
    let mut selection = agon_select::select(rules, track, input, seed);
    if let Some(size) = options.heats {
        selection.divide_into_heats(rules.generator, size);
    }
    selection
}

/// The prefix of the line with the options of a selection, at the end of its file.
const OPTIONS: &str = "# options ";

/// The prefix of the line with the basis of a selection, at the end of its file.
const BASIS: &str = "# basis ";

/// A digest that identifies everything that a selection is drawn from.
fn basis(competition: &Competition, track: Track, seed: u32, options: &SelectOptions) -> Result<Digest, StepError> {
    let rules = selection_rules(competition.rulebook(), track)?;
    let mut parts = vec![
        index::digest(competition)?.to_string(),
        json(rules),
        json(&competition.rulebook().family),
        seed.to_string(),
        json(options),
    ];
    if matches!(rules.policy, SelectionPolicy::Quintiles(_)) && options.difficulty.is_none() {
        parts.push(table_digest(competition)?.to_string());
    }
    let cuts = family_cuts(competition, track)?;
    parts.extend(cuts.iter().map(|cut| format!("{cut:?}")));
    if rules.eligible.nominated {
        parts.push(json(&competition.nominations()?));
    }
    for file in options.files() {
        parts.push(Digest::of(&fs::read(file).at(file)?).to_string());
    }
    Ok(Digest::of(parts.join("\n").as_bytes()))
}

fn json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// A selection as read from its file.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    /// The selected benchmarks, and the seed.
    pub(crate) chosen: Chosen,
    /// The options it was drawn with; `None` if it was written by hand.
    pub(crate) options: Option<SelectOptions>,
    basis: Option<String>,
    digest: Digest,
}

impl Written {
    /// The digest of the selection's file.
    pub(crate) fn digest(&self) -> Digest {
        self.digest
    }

    /// The heats of the benchmarks; empty if the competition is not run in heats.
    pub(crate) fn heats(&self) -> impl Iterator<Item = (&BenchmarkPath, usize)> {
        self.chosen.benchmarks.iter().filter_map(|(path, heat)| Some((path, (*heat)?)))
    }

    /// Whether the selection is up to date.
    pub(crate) fn freshness(&self, competition: &Competition, track: Track) -> Result<Freshness, StepError> {
        let used = self.chosen.seed;
        let own_seed = self.options.as_ref().and_then(|options| options.seed);
        if own_seed.is_none() {
            match read_seed(competition) {
                Ok(Some(ledger)) if ledger.seed() != used => {
                    let now = ledger.seed();
                    return Ok(Freshness::Stale(format!("it was drawn with seed {used}, but the seed is now {now}")));
                }
                Err(error) => return Ok(Freshness::Stale(error.to_string())),
                Ok(_) => {}
            }
        }
        let (Some(known), Some(options)) = (&self.basis, &self.options) else {
            // A selection that was written by hand cannot be drawn again, so it counts as current.
            return Ok(Freshness::Current);
        };
        match basis(competition, track, used, options) {
            Ok(now) if now.to_string() == *known => Ok(Freshness::Current),
            Ok(_) => Ok(Freshness::Stale("the library or the selection rules have changed since it was drawn".into())),
            Err(StepError::Io(file, error)) => {
                Ok(Freshness::Stale(format!("a file that it was drawn from is missing ({}: {error})", file.display())))
            }
            Err(error) => Err(error),
        }
    }
}

/// Reads the selection of a track, if there is one.
pub(crate) fn read_selection(competition: &Competition, track: Track) -> Result<Option<Written>, StepError> {
    let file = competition.selection_file(track);
    if !file.exists() {
        return Ok(None);
    }
    let table = fs::read(&file).at(&file)?;
    let malformed = |error: String| {
        StepError::Missing(format!("{}: {error}; run 'agon select --track {track}' to write it again", file.display()))
    };
    let chosen = Chosen::read(&table).map_err(|error| malformed(error.to_string()))?;
    let text = String::from_utf8_lossy(&table);
    let last = |start: &str| text.lines().rev().take(2).find_map(|line| line.strip_prefix(start));
    let options = last(OPTIONS).map(serde_json::from_str).transpose();
    let options = options.map_err(|error| malformed(format!("the line '{OPTIONS}…' is malformed: {error}")))?;
    Ok(Some(Written { chosen, options, basis: last(BASIS).map(str::to_owned), digest: Digest::of(&table) }))
}

/// Reads the selection of a track. Returns an error if nothing was selected yet.
pub(crate) fn selection(competition: &Competition, track: Track) -> Result<Written, StepError> {
    read_selection(competition, track)?.ok_or_else(|| {
        let file = competition.selection_file(track);
        StepError::Missing(format!("{} does not exist; run 'agon select --track {track}'", file.display()))
    })
}
