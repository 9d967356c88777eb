//! Prepares the selected benchmarks for solvers.

use crate::entries::check_divisions;
use crate::error::{At, Blame};
use crate::observer::{Tell, Work};
use crate::readiness::Freshness;
use crate::run::needs_statuses;
use crate::select::{Written, selection};
use crate::{Event, Interrupts, Observer, StepError, parallel};
use agon_domain::{BenchmarkPath, Digest, Logic, Prepared, Track};
use agon_library::{Library, read_pinned};
use agon_rulebook::{Divisions, Patterns, Placement};
use agon_select::Chosen;
use agon_smtlib::{
    Checker, Commands, Dialect, KeptTerms, Position, Rules, is_version_1, read_script, separation_classes,
};
use agon_store::{Competition, Store, write_again};
use std::path::Path;

/// The version of preparation. Increment it when the prepared bytes change, so that benchmarks are prepared again.
const PREPARATION: &str = "3";

/// The result of preparing.
#[derive(Clone, Debug)]
pub struct Preparation {
    /// The prepared benchmarks.
    pub prepared: Vec<Prepared>,
    /// The benchmarks that cannot be prepared, each with the reason. If there are any, nothing was recorded.
    pub refused: Vec<String>,
}

/// Prepares every selected benchmark of a track and records the files that solvers will get. They are
/// scrambled with the seed of the selection (R08-2.18, R19-5.5). Rejects an outdated
/// selection, and files with commands that the track does not allow.
pub fn prepare(
    competition: &Competition,
    track: Track,
    interrupts: &Interrupts,
    observer: &mut Observer<'_>,
) -> Result<Preparation, StepError> {
    check_divisions(competition, track)?;
    let written = selection(competition, track)?;
    if let Freshness::Stale(why) = written.freshness(competition, track)? {
        let message = format!("the selection of the {track} track is out of date: {why}; run 'agon select' again");
        return Err(StepError::Missing(message));
    }
    let basis = basis(competition, &written);
    let Chosen { seed, benchmarks: chosen } = written.chosen;
    let scrambling = competition.rulebook().scrambling;
    let library = competition.library()?;
    let needs_statuses = needs_statuses(competition, track)?;
    let make = |(): &mut (), (path, _): &(BenchmarkPath, Option<usize>)| -> Result<Made, StepError> {
        if interrupts.is_set() {
            return Err(StepError::Interrupted);
        }
        let entry = library.get(path).ok_or_else(|| {
            StepError::Missing(format!("{path} is selected but not in the library; run 'agon select' again"))
        })?;
        let file = entry.file();
        let script = read_pinned(&file, entry.benchmark.digest)?;
        if let Some(problem) = not_allowed(track, &script) {
            return Ok(Made::Refused(format!("{}:{problem}", file.display())));
        }
        let is_old = is_version_1(&script);
        let (placements, misplaced) = match placements(competition, track, &entry.benchmark.logic, &script, &file) {
            Ok(placed) => placed,
            Err(problem) => return Ok(Made::Refused(format!("{}: {problem}", file.display()))),
        };
        let mut made = vec![];
        for placement in &placements {
            let ready = match placement.patterns {
                Patterns::Keep => agon_scramble::prepare(&script, track, scrambling, seed),
                Patterns::Remove => agon_scramble::prepare_without_patterns(&script, track, scrambling, seed),
            };
            let ready = ready.during(file.display())?;
            let mut bytes = ready.bytes;
            if needs_statuses {
                // Under these rules a run depends on the statuses, so a corrected status must change the digest of the
                // file.
                let statuses = Library::statuses_text(&entry.benchmark.statuses);
                let mark = format!("; statuses {}\n", Digest::of(statuses.as_bytes()));
                bytes.splice(0..0, mark.into_bytes());
            }
            if placements.len() > 1 {
                // Each division runs its own copy, which must have its own digest even if the rest is the same.
                bytes.splice(0..0, format!("; division {}\n", placement.logic).into_bytes());
            }
            let digest = Digest::of(&bytes);
            // Syncing is not necessary: the file can be recreated, and its digest is checked before each run.
            let place = competition.prepared_with_extension(track, &digest, if is_old { "smt" } else { "smt2" });
            write_again(&place, &bytes).at(&place)?;
            if !ready.names.is_empty() {
                let file = competition.names_file(track, &entry.benchmark.digest);
                write_again(&file, &ready.names.to_table()).at(&file)?;
            }
            let (logic, status) = (placement.logic.clone(), entry.benchmark.status());
            made.push(Prepared { benchmark: path.clone(), track, logic, digest, status });
        }
        let statuses = if track.is_incremental() { entry.benchmark.statuses.clone() } else { vec![] };
        Ok(Made::Ready(made, statuses, misplaced))
    };
    observer.start(Work::Prepare, Some(track), chosen.len());
    let mut made = Preparation { prepared: Vec::with_capacity(chosen.len()), refused: vec![] };
    let mut statuses = vec![];
    let done = |_: &_, result: Result<Made, StepError>| {
        match result {
            Ok(Made::Ready(prepared, of_queries, misplaced)) => {
                misplaced.into_iter().for_each(|note| observer.note(note));
                for one in prepared {
                    made.prepared.push(one);
                    statuses.push(of_queries.clone());
                }
            }
            Ok(Made::Refused(why)) => made.refused.push(why),
            Err(error) if matches!(error.root(), StepError::Scramble(_)) => made.refused.push(error.to_string()),
            Err(error) => return Err(error),
        }
        observer(Event::Advanced);
        Ok(())
    };
    let all = parallel::in_order(&chosen, parallel::threads(), || (), make, done);
    observer(Event::Finished);
    all?;
    if made.refused.is_empty() {
        competition.store()?.set_prepared(track, &made.prepared, &statuses, &basis)?;
    }
    Ok(made)
}

enum Made {
    /// A benchmark as prepared for each of its divisions, the statuses of its queries in the incremental track, and a
    /// note if its directory is that of another division.
    Ready(Vec<Prepared>, Vec<agon_domain::Status>, Option<String>),
    Refused(String),
}

/// The divisions that a benchmark is in. Where the rules define them by content, a separation-logic problem is
/// classified (SL19-16); the second result is a note if the problem is in the directory of a division that it does not fit.
fn placements(
    competition: &Competition,
    track: Track,
    logic: &Logic,
    script: &[u8],
    file: &Path,
) -> Result<(Vec<Placement>, Option<String>), String> {
    let none = Divisions::default();
    let divisions = competition.rulebook().divisions.get(&track).unwrap_or(&none);
    if !divisions.need_content() {
        return Ok((divisions.placements(logic, None), None));
    }
    let mut checker = Checker::new(Rules::default());
    let summary =
        read_script(script, &mut checker, KeptTerms::OfCommand, |_, _, _| {}).map_err(|error| error.to_string())?;
    match summary.divisions.first() {
        Some(class) => {
            let directories = || file.components().filter_map(|part| part.as_os_str().to_str());
            let of_directory = separation_classes().find(|known| directories().any(|name| name == *known));
            let misplaced = of_directory.filter(|known| !summary.divisions.contains(known)).map(|known| {
                format!(
                    "{}: the directory is that of {known}, but by its content the problem is in {class}",
                    file.display()
                )
            });
            Ok((divisions.placements(logic, Some(class)), misplaced))
        }
        None if summary.dialect == Dialect::Sl => {
            Err("the problem fits into no division of SL-COMP; 'agon check --track separation' shows its content"
                .into())
        }
        None => Ok((divisions.placements(logic, None), None)),
    }
}

/// A digest that identifies what the prepared benchmarks are made from.
fn basis(competition: &Competition, written: &Written) -> Digest {
    let rules = competition.rulebook();
    let divisions = serde_json::to_string(&rules.divisions).unwrap_or_default();
    let made_by = format!("{PREPARATION} {:?} {divisions} {}", rules.scrambling, written.digest());
    Digest::of(made_by.as_bytes())
}

/// Whether the prepared benchmarks of a track match its selection.
pub(crate) fn freshness(
    competition: &Competition,
    written: &Written,
    track: Track,
    store: &Store,
) -> Result<Freshness, StepError> {
    Ok(match store.prepared_basis(track)? {
        None => Freshness::Missing,
        Some(known) if known == basis(competition, written) => Freshness::Current,
        Some(_) => Freshness::Stale("the selection has changed since they were prepared".into()),
    })
}

/// The first command of a script that a track does not allow (R19-5.16, R19-5.18), as `line:column: message`. Commands
/// that only query the solver are allowed, since the scrambler drops them; the others would change the problem.
fn not_allowed(track: Track, script: &[u8]) -> Option<String> {
    if is_version_1(script) {
        return None;
    }
    let is_allowed = |name: &[u8]| match name {
        b"check-sat-assuming" | b"reset" | b"reset-assertions" => false,
        b"push" | b"pop" => track.is_incremental(),
        _ => true,
    };
    let command = Commands::new(script).map_while(Result::ok).find(|command| !is_allowed(command.name))?;
    let Position { line, column, .. } = Position::START.after(&script[..command.place.start]);
    let name = String::from_utf8_lossy(command.name);
    Some(format!("{line}:{column}: '{name}' is not allowed in the {track} track"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r19_5_18_disallowed_commands_are_found() {
        let script = b"(set-logic QF_UF)\n(push 1)\n  (check-sat-assuming (p))";
        assert_eq!(
            not_allowed(Track::SingleQuery, script).unwrap(),
            "2:1: 'push' is not allowed in the single-query track"
        );
        assert!(not_allowed(Track::Incremental, script).unwrap().starts_with("3:3: 'check-sat-assuming'"));
        assert_eq!(not_allowed(Track::SingleQuery, b"(set-logic QF_UF)(echo \"push\")(check-sat)"), None);
    }
}
