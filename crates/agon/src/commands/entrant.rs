//! `agon entrant`

use super::batch::program_digest;
use crate::cli::{EntrantCommand, Format};
use crate::failure::{NO, Usage};
use crate::hosts;
use crate::print::print_rows;
use agon_contain::Host;
use agon_dispatch::{contained, converse, job, work_folder};
use agon_domain::{Entrant, Limits, Time, Track};
use agon_entrant::{
    Catalogue, Details, Finding, REFERENCE, Recipe, check, fetch, fetched, home, installed, make_readable, open,
    tree_digest, write_reference,
};
use agon_store::Competition;
use anyhow::Context;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub fn run(folder: &Path, command: &EntrantCommand) -> anyhow::Result<ExitCode> {
    match command {
        EntrantCommand::Fetch { names } => fetch_all(names),
        EntrantCommand::Add { source, name, version, team, kind, magic, configuration } => {
            let details = Details {
                name: name.clone(),
                version: version.clone(),
                team: team.clone(),
                kind: *kind,
                magic: *magic,
                configuration: configuration.clone(),
            };
            let entrant = enter(&Competition::open(folder)?, &Source::find(source)?, &details)?;
            say!("{} {} of {} is entered", entrant.name, entrant.version, entrant.team);
            if entrant.magic.is_none() {
                say!("it has no magic number, which the rules ask for (R19-4.9): give one with --magic");
            }
            Ok(ExitCode::SUCCESS)
        }
        EntrantCommand::Remove { name } => {
            if !Competition::open(folder)?.withdraw(name)? {
                return Err(Usage(format!("no entrant is called '{name}'; 'agon entrant list' names them")).into());
            }
            say!("{name} is no longer entered");
            Ok(ExitCode::SUCCESS)
        }
        EntrantCommand::List { available: true, format } => available(*format),
        EntrantCommand::List { available: false, format } => list(&Competition::open(folder)?, *format),
        EntrantCommand::Check { sources, format } => check_all(folder, sources, *format),
    }
}

/// Where an entrant comes from.
pub enum Source {
    Files(PathBuf),
    Installed(agon_entrant::Installed),
    /// The reference solver's program.
    Reference(PathBuf),
}

impl Source {
    /// A path, else a fetched solver, else one of this machine.
    pub fn find(words: &str) -> anyhow::Result<Self> {
        if words == REFERENCE {
            let program = std::env::current_exe()?.with_file_name(REFERENCE);
            if !program.is_file() {
                anyhow::bail!("{} is not there; 'cargo build' makes it beside agon", program.display());
            }
            return Ok(Self::Reference(program));
        }
        let path = Path::new(words);
        if path.exists() || words.contains('/') {
            return Ok(Self::Files(path.to_owned()));
        }
        if let Some(recipe) = Catalogue::built_in().get(words)
            && let Some(folder) = fetched(recipe, &home()?)
        {
            return Ok(Self::Files(folder));
        }
        let found = on_this_machine().into_iter().find(|solver| solver.name == words);
        let nothing = format!(
            "'{words}' is no file or folder, no fetched solver and no known solver on this machine; \
             'agon entrant list --available' shows what can be had"
        );
        Ok(Self::Installed(found.ok_or(Usage(nothing))?))
    }

    /// Brings the files into an empty folder and reads what they say.
    pub fn open(&self, details: &Details, into: &Path) -> anyhow::Result<Entrant> {
        match self {
            Self::Files(path) => Ok(open(path, details, into)?),
            Self::Installed(solver) => {
                let folder = tempfile::tempdir()?;
                solver.write_folder(folder.path()).with_context(|| solver.program.display().to_string())?;
                Ok(open(folder.path(), details, into)?)
            }
            Self::Reference(program) => {
                let folder = tempfile::tempdir()?;
                write_reference(program, folder.path()).with_context(|| program.display().to_string())?;
                Ok(open(folder.path(), details, into)?)
            }
        }
    }
}

/// The known solvers on the search path.
pub fn on_this_machine() -> Vec<agon_entrant::Installed> {
    installed(&std::env::var_os("PATH").unwrap_or_default())
}

/// Puts the files into the competition's archive and the description among its entrants.
pub fn enter(competition: &Competition, source: &Source, details: &Details) -> anyhow::Result<Entrant> {
    let archives = competition.folder().join("archives");
    std::fs::create_dir_all(&archives).with_context(|| archives.display().to_string())?;
    let draft = tempfile::Builder::new().prefix(".draft-").tempdir_in(&archives)?;
    let files = draft.path().join("files");
    std::fs::create_dir(&files)?;
    let mut entrant = source.open(details, &files)?;
    make_readable(&files)?;
    let digest = tree_digest(&files)?;
    let place = competition.entrant_folder(&digest);
    if tree_digest(&place).ok() != Some(digest) {
        // Not there yet, or not what it was.
        let replaced = if place.exists() { std::fs::remove_dir_all(&place) } else { Ok(()) };
        replaced.and_then(|()| std::fs::rename(&files, &place)).with_context(|| place.display().to_string())?;
    }
    entrant.digest = Some(digest);
    entrant.program_digest = program_digest(&entrant)?;
    competition.enter(&entrant)?;
    Ok(entrant)
}

fn fetch_all(names: &[String]) -> anyhow::Result<ExitCode> {
    let catalogue = Catalogue::built_in();
    let wanted: Vec<&Recipe> = if names.is_empty() {
        catalogue.iter().filter(|recipe| recipe.is_current()).collect()
    } else {
        names.iter().map(|name| recipe(&catalogue, name)).collect::<Result<_, _>>()?
    };
    let store = home()?;
    for recipe in wanted {
        let there = fetched(recipe, &store).is_some();
        if !there {
            say!("fetching {} {} from {} …", recipe.name, recipe.version, recipe.origin());
        }
        let folder = fetch(recipe, &store)?;
        say!(
            "{} {} ({}) {} {}",
            recipe.name,
            recipe.version,
            recipe.licence,
            if there { "was already in" } else { "is in" },
            folder.display()
        );
    }
    Ok(ExitCode::SUCCESS)
}

fn recipe<'a>(catalogue: &'a Catalogue, name: &str) -> Result<&'a Recipe, Usage> {
    catalogue.get(name).ok_or_else(|| {
        let all = catalogue.iter().map(|recipe| recipe.name.as_str()).collect::<Vec<_>>().join(", ");
        Usage(format!("no solver '{name}' is known; there are: {all}. 'agon entrant add' takes any other"))
    })
}

fn available(format: Format) -> anyhow::Result<ExitCode> {
    let catalogue = Catalogue::built_in();
    let known = catalogue.iter().map(|recipe| {
        let here = home().ok().and_then(|store| fetched(recipe, &store));
        let place = here.map_or_else(|| format!("fetch from {}", recipe.origin()), |_| "fetched".into());
        json!({"name": recipe.name, "version": recipe.version, "team": recipe.team, "licence": recipe.licence, "where": place})
    });
    let here = on_this_machine().into_iter().map(
        |solver| json!({"name": solver.name, "version": null, "team": null, "licence": null, "where": solver.program}),
    );
    print_rows(known.chain(here).collect(), &["name", "version", "team", "licence", "where"], format)?;
    Ok(ExitCode::SUCCESS)
}

fn list(competition: &Competition, format: Format) -> anyhow::Result<ExitCode> {
    let rows = competition.entrants()?.into_iter().map(|entrant| {
        let tracks = entrant.commands.keys().map(|track| track.name()).collect::<Vec<_>>().join(", ");
        let divisions = entrant.divisions.get(&Track::SingleQuery).map_or_else(
            || "all".to_owned(),
            |logics| logics.iter().map(|logic| logic.0.as_str()).collect::<Vec<_>>().join(" "),
        );
        json!({"name": entrant.name, "version": entrant.version, "team": entrant.team, "kind": entrant.kind,
               "magic": entrant.magic, "tracks": tracks, "divisions": divisions, "sha256": entrant.digest})
    });
    print_rows(rows.collect(), &["name", "version", "team", "kind", "magic", "tracks"], format)?;
    Ok(ExitCode::SUCCESS)
}

fn check_all(folder: &Path, sources: &[String], format: Format) -> anyhow::Result<ExitCode> {
    let host = hosts::this_machine()?;
    let mut checked: Vec<(String, Vec<Finding>)> = vec![];
    if sources.is_empty() {
        let competition = Competition::open(folder)?;
        for entrant in competition.entrants()? {
            let files = entrant.digest.map(|digest| competition.entrant_folder(&digest)).unwrap_or_default();
            checked.push((entrant.name.to_string(), findings(&host, &entrant, &files)?));
        }
    }
    for source in sources {
        let files = tempfile::tempdir()?;
        let place = files.path().join("files");
        std::fs::create_dir(&place)?;
        let entrant = Source::find(source)?.open(&Details::default(), &place)?;
        checked.push((entrant.name.to_string(), findings(&host, &entrant, &place)?));
    }
    let rows = checked.iter().flat_map(|(name, findings)| {
        findings.iter().map(move |finding| {
            json!({"entrant": name, "track": finding.track, "tried": finding.what, "ok": finding.problem.is_none(),
                   "problem": finding.problem.as_deref().unwrap_or("none")})
        })
    });
    print_rows(rows.collect(), &["entrant", "track", "tried", "problem"], format)?;
    let any = checked.iter().any(|(_, findings)| findings.iter().any(|finding| finding.problem.is_some()));
    Ok(ExitCode::from(if any { NO } else { 0 }))
}

/// The first thing that is wrong with an entrant of this competition, if anything is.
pub fn problem(competition: &Competition, entrant: &Entrant) -> anyhow::Result<Option<String>> {
    let files = entrant.digest.map(|digest| competition.entrant_folder(&digest)).unwrap_or_default();
    Ok(findings(&hosts::this_machine()?, entrant, &files)?.into_iter().find_map(|finding| finding.problem))
}

/// The year whose rules incremental runs are tried by.
const TRIED_AS: u16 = 2019;

/// Tries an entrant whose files are in this folder, as a run of a competition would.
fn findings(host: &Host, entrant: &Entrant, files: &Path) -> anyhow::Result<Vec<Finding>> {
    let benchmarks = tempfile::tempdir()?;
    let files = std::path::absolute(files)?;
    let limits = Limits::new(Time::from_secs(20), 4 << 30, 1);
    let findings = check(entrant, benchmarks.path(), |track, benchmark| {
        let command = entrant.commands.get(&track).cloned().unwrap_or_default();
        let work = work_folder(host, &files, entrant.start_in.as_deref())?;
        let mut job = job(&command, &files, &work, benchmark, &limits);
        if track == Track::Incremental {
            job.shown.retain(|path| path != benchmark);
            return Ok(converse(host, &job, &limits, &std::fs::read(benchmark)?, TRIED_AS));
        }
        Ok(host.run(&job, &contained(&limits)))
    });
    findings.with_context(|| format!("{} could not be tried", entrant.name))
}
