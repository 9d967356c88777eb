//! `agon demo`: a small, real competition: init, entries, and `agon go`.

use super::go::finish;
use super::library;
use crate::cli::DemoOptions;
use crate::failure::{NO, Usage};
use crate::machine::{confinement, machine_for_pairs};
use crate::opened::open_competition;
use crate::progress::observer;
use agon_competition::{
    GoOptions, IndexOptions, JudgeOptions, RunOptions, Source, Step, StepError, check_entrant, enter, index,
    on_this_machine,
};
use agon_domain::Track;
use agon_entrant::{Catalogue, Details, FetchError, REFERENCE, fetch, home};
use agon_store::Competition;
use anyhow::Context;
use std::path::Path;
use std::process::ExitCode;

/// The opening value of the NYSE Composite Index on 3 June 2019, which seeded SMT-COMP 2019.
const INDEX: &str = "12888.51";

/// The tracks of the demo.
const TRACKS: [Track; 4] = [Track::SingleQuery, Track::Incremental, Track::UnsatCore, Track::ModelValidation];

/// The logics of the pack that are in the model-validation track.
const MODEL_LOGICS: [&str; 11] =
    ["QF_UF", "QF_BV", "QF_IDL", "QF_LRA", "QF_LIA", "QF_UFLIA", "QF_NRA", "QF_AX", "QF_ABV", "QF_FP", "QF_SLIA"];

/// The solvers of the demo, unless others are named.
const SOLVERS: [&str; 4] = ["z3", "cvc5", "yices", "bitwuzla"];

pub fn run(options: &DemoOptions) -> anyhow::Result<ExitCode> {
    machine_for_pairs()?;
    let directory = options.directory.as_path();
    let competition = open(directory, options.wall)?;
    let pack = directory.join("pack");
    let files = library::generate(&pack, &[], &[])?;
    say!("{files} benchmarks generated in {}", pack.display());
    library::tell(&index(&competition, &pack, &IndexOptions::default(), &mut observer())?);
    enter_solvers(&competition, options)?;
    let go = GoOptions {
        tracks: TRACKS.to_vec(),
        until: Step::Report,
        index: Some(INDEX.parse().map_err(|error: agon_select::MalformedIndex| Usage(error.to_string()))?),
        run: RunOptions { slots: options.slots, ..RunOptions::default() },
        judge: JudgeOptions { panel_wall_s: options.wall, ..JudgeOptions::default() },
        to: None,
    };
    finish(&competition, &go).map(|code| {
        // The review is printed; the demo itself has succeeded.
        if code == ExitCode::from(NO) { ExitCode::SUCCESS } else { code }
    })
}

/// Opens the demo's competition, or creates it if an earlier call has not.
fn open(directory: &Path, wall: f64) -> anyhow::Result<Competition> {
    if directory.join("agon.toml").exists() {
        say!("continuing with {}", directory.display());
        return Ok(open_competition(directory)?);
    }
    let is_empty = std::fs::read_dir(directory).map_or(true, |mut items| items.next().is_none());
    if !is_empty {
        return Err(Usage(format!(
            "{} is not empty and not a competition; name another directory",
            directory.display()
        ))
        .into());
    }
    if !(0.1..=31_536_000.0).contains(&wall) {
        return Err(Usage("--wall must be from 0.1 seconds to a year".into()).into());
    }
    // Small limits, and divisions are run even with a single solver.
    let mut rules = String::from("run_non_competitive = true\n");
    for track in TRACKS {
        rules.push_str(&format!(
            "[tracks.{track}.limits]\n\
             wall_s = {wall:?}\nmemory_bytes = 2_147_483_648\ncores = 1\noutput_bytes = 16_777_216\n"
        ));
    }
    // A few cores and models of every logic; the rules of 2019 had models of one logic only.
    rules.push_str(&format!(
        "[selection.unsat-core.policy.share]\nat_least = 2\npercent = 1\n\
         [selection.model-validation.policy.share]\nat_least = 2\npercent = 1\n\
         [selection.model-validation.eligible]\nlogics = {MODEL_LOGICS:?}\n"
    ));
    let rules = toml::from_str(&rules).context("the demo's own rules")?;
    Ok(Competition::init(directory, "smtcomp-2019", "Agon demo", rules, confinement())?)
}

/// Enters solvers that can be fetched, or else those on this machine. Entrants from an earlier call are kept.
fn enter_solvers(competition: &Competition, options: &DemoOptions) -> anyhow::Result<()> {
    let is_entered = |name: &str| -> anyhow::Result<bool> {
        Ok(competition.entrants()?.iter().any(|entrant| entrant.name.as_str() == name))
    };
    let named: Vec<&str> = options.solvers.iter().map(String::as_str).collect();
    let wanted = if named.is_empty() { &SOLVERS[..] } else { &named[..] };
    let mut missing = vec![];
    for name in wanted {
        if machine_for_pairs()?.is_stopped() {
            return Err(StepError::Interrupted.into());
        }
        if is_entered(name)? {
            continue;
        }
        match bring(name, options.offline) {
            Ok(source) => missing.extend(enter_checked(competition, &source)?),
            Err(error) => missing.push(format!("{name}: {error:#}")),
        }
    }
    if !missing.is_empty() && named.is_empty() {
        for solver in on_this_machine() {
            if !is_entered(solver.name)? {
                missing.extend(enter_checked(competition, &Source::Installed(solver))?);
            }
        }
    }
    if named.is_empty() && !is_entered(REFERENCE)? {
        match Source::find(REFERENCE) {
            Ok(source) => missing.extend(enter_checked(competition, &source)?),
            Err(error) => missing.push(format!("{REFERENCE}: {error:#}")),
        }
    }
    for reason in &missing {
        say!("not entered: {reason}");
    }
    let entrants = competition.entrants()?;
    if entrants.is_empty() {
        anyhow::bail!(
            "there is no solver to run. 'agon entrant fetch z3 cvc5' downloads some (with a network and Python 3 with \
             pip); on Debian, 'apt-get install z3 cvc5' installs some; or enter your own with 'agon entrant add -C {} \
             ARCHIVE'; then start the demo again",
            competition.directory().display()
        );
    }
    let names: Vec<String> = entrants.iter().map(|entrant| format!("{} {}", entrant.name, entrant.version)).collect();
    say!("solvers: {}", names.join(", "));
    Ok(())
}

/// Enters a solver and tries it. If it does not work here, withdraws it and returns the problem.
fn enter_checked(competition: &Competition, source: &Source) -> anyhow::Result<Option<String>> {
    let entrant = enter(competition, source, &Details::default())?;
    let checked = check_entrant(competition, &entrant, machine_for_pairs()?, &mut observer())?;
    let problem = checked.problem();
    if problem.is_some() {
        competition.withdraw(&entrant.name)?;
    }
    Ok(problem.map(|problem| format!("{}: it {problem}", entrant.name)))
}

/// A fetched solver, fetched now if necessary, or the one of that name on this machine.
fn bring(name: &str, offline: bool) -> anyhow::Result<Source> {
    let catalogue = Catalogue::built_in();
    let fetched = match catalogue.get(name) {
        Some(recipe) if !offline => {
            say!("solver {name}: {} from {}", recipe.version, recipe.origin());
            fetch(recipe, &home()?).map(Source::Files)
        }
        _ => return Ok(Source::find(name)?),
    };
    fetched.or_else(|error: FetchError| Source::find(name).map_err(|_| error.into()))
}
