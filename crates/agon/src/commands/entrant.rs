//! `agon entrant`

use crate::cli::{Algorithm, EntrantCommand, Format};
use crate::failure::{NO, Usage};
use crate::machine::machine;
use crate::opened::open_competition;
use crate::print::print_rows;
use crate::progress::observer;
use agon_competition::{
    Checked, Plan, Source, check_entrant, check_source, counted, enter, entry_shortfalls, entry_states,
    on_this_machine, printable, repeated_because, withdraw,
};
use agon_domain::{Track, did_you_mean};
use agon_edition::{Need, Shortfall};
use agon_entrant::{Catalogue, Details, Recipe, Release, fetch, fetched, home, releases};
use agon_store::Competition;
use serde_json::json;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub fn run(directory: &Path, command: &EntrantCommand) -> anyhow::Result<ExitCode> {
    match command {
        EntrantCommand::Fetch { names } => fetch_all(names),
        EntrantCommand::Add { source, name, version, team, kind, magic, recipe, configuration, command } => {
            let details = Details {
                name: name.clone(),
                version: version.clone(),
                team: team.clone(),
                kind: *kind,
                magic: *magic,
                recipe: recipe.as_deref().map(release).transpose()?,
                configuration: configuration.clone(),
                commands: command.clone(),
            };
            add(&open_competition(directory)?, source, &details)
        }
        EntrantCommand::Remove { name } => {
            let competition = open_competition(directory)?;
            withdraw(&competition, name)?;
            say!("{name} is no longer entered; its outcomes stay on record and do not count");
            consequences(&competition)?;
            Ok(ExitCode::SUCCESS)
        }
        EntrantCommand::List { available: true, format } => available(*format),
        EntrantCommand::List { available: false, format } => list(&open_competition(directory)?, *format),
        EntrantCommand::Checksums { algorithm } => checksums(&open_competition(directory)?, *algorithm),
        EntrantCommand::Check { sources, format } => check_all(directory, sources, *format),
    }
}

fn add(competition: &Competition, source: &str, details: &Details) -> anyhow::Result<ExitCode> {
    let entrant = enter(competition, &Source::find(source)?, details)?;
    say!("{} {} of {} is entered", entrant.name, entrant.version, entrant.team);
    let found = entry_shortfalls(competition)?;
    let (must, should): (Vec<_>, Vec<_>) = found
        .iter()
        .filter(|shortfall| shortfall.entrant == entrant.name)
        .partition(|shortfall| shortfall.need == Need::Required);
    if !must.is_empty() {
        say!("the rules require before the entrants are frozen:");
        must.iter().for_each(|shortfall| say!("  {}: {}", shortfall.field, shortfall.message));
    }
    if !should.is_empty() {
        let fields: Vec<&str> = should.iter().map(|shortfall| shortfall.field).collect();
        say!("the rules recommend: {}", fields.join(", "));
    }
    consequences(competition)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints, for every prepared track, how many pairs are to be run after a change of the entrants, and why recorded
/// pairs are run again.
fn consequences(competition: &Competition) -> anyhow::Result<()> {
    let mut store = competition.store()?;
    for track in competition.rulebook().tracks.keys().copied() {
        if store.prepared(track)?.is_empty() {
            continue;
        }
        Plan::refresh(competition, track, &mut store)?;
        let progress = store.progress(track)?;
        if progress.done < progress.planned {
            say!("{track}: {} to run", counted(progress.planned - progress.done, "pair", "pairs"));
        }
        for cause in repeated_because(&store.repeats(track)?) {
            say!("{track}: {cause}");
        }
    }
    Ok(())
}

/// The recipe with this name.
fn release(name: &str) -> anyhow::Result<Release> {
    Ok(Release::named(name).ok_or_else(|| {
        let hint = did_you_mean(name, releases().iter().map(|release| release.name.as_str()));
        Usage(format!("unknown recipe '{name}'{hint}; 'agon entrant list --available' lists the recipes"))
    })?)
}

/// Prints the checksum of every uploaded archive (R08-1.3, R08-2.8).
fn checksums(competition: &Competition, algorithm: Algorithm) -> anyhow::Result<ExitCode> {
    let mut out = std::io::stdout().lock();
    for entrant in competition.entrants()? {
        let Some(upload) = &entrant.upload else {
            say!("{} was not submitted as an archive; the digest of its files is {}", entrant.name, entrant.files);
            continue;
        };
        let file = competition.upload_file(upload);
        let file = file.strip_prefix(competition.directory()).unwrap_or(&file).display();
        match algorithm {
            Algorithm::Sha256 => writeln!(out, "{}  {file}", upload.sha256)?,
            Algorithm::Md5 => writeln!(out, "{}  {file}", upload.md5)?,
        }
    }
    Ok(ExitCode::SUCCESS)
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
        let directory = fetch(recipe, &store)?;
        say!(
            "{} {} ({}) {} {}",
            recipe.name,
            recipe.version,
            recipe.license,
            if there { "was already in" } else { "is in" },
            directory.display()
        );
    }
    Ok(ExitCode::SUCCESS)
}

fn recipe<'a>(catalogue: &'a Catalogue, name: &str) -> Result<&'a Recipe, Usage> {
    catalogue.get(name).ok_or_else(|| {
        let names = || catalogue.iter().map(|recipe| recipe.name.as_str());
        let hint = did_you_mean(name, names());
        let all = names().collect::<Vec<_>>().join(", ");
        Usage(format!("unknown solver '{name}'{hint}; the known solvers are {all}; 'agon entrant add' accepts others"))
    })
}

fn available(format: Format) -> anyhow::Result<ExitCode> {
    let catalogue = Catalogue::built_in();
    let known = catalogue.iter().map(|recipe| {
        let here = home().ok().and_then(|store| fetched(recipe, &store));
        let place = here.map_or_else(|| format!("fetch from {}", recipe.origin()), |_| "fetched".into());
        json!({"name": recipe.name, "version": recipe.version, "team": recipe.team, "license": recipe.license, "where": place})
    });
    let published = releases().into_iter().map(|release| {
        json!({"name": release.name, "version": null, "team": release.team, "license": release.license,
               "where": format!("download from {}", release.published)})
    });
    let here = on_this_machine().into_iter().map(
        |solver| json!({"name": solver.name, "version": null, "team": null, "license": null, "where": solver.program}),
    );
    print_rows(known.chain(published).chain(here).collect(), &["name", "version", "team", "license", "where"], format)?;
    if format == Format::Text {
        say!("'agon entrant add ARCHIVE --recipe NAME' enters a downloaded one");
    }
    Ok(ExitCode::SUCCESS)
}

fn list(competition: &Competition, format: Format) -> anyhow::Result<ExitCode> {
    let states = entry_states(competition)?;
    let rows = competition.entrants()?.into_iter().map(|entrant| {
        let state = states.get(&entrant.name);
        let why = state.and_then(|(_, decision)| decision.as_ref());
        let tracks = entrant.commands.keys().map(|track| track.name()).collect::<Vec<_>>().join(", ");
        let divisions = entrant.logics.get(&Track::SingleQuery).map_or_else(
            || "all".to_owned(),
            |logics| logics.iter().map(|logic| logic.0.as_str()).collect::<Vec<_>>().join(" "),
        );
        json!({"name": entrant.name, "version": entrant.version, "team": entrant.team, "kind": entrant.kind,
               "magic": entrant.magic, "tracks": tracks, "divisions": divisions, "sha256": entrant.files,
               "state": state.map(|(state, _)| state.name()),
               "since": why.map(|entry| entry.at.to_string()), "reason": why.map(|entry| &entry.reason)})
    });
    print_rows(rows.collect(), &["name", "version", "team", "kind", "magic", "tracks", "state"], format)?;
    Ok(ExitCode::SUCCESS)
}

fn check_all(directory: &Path, sources: &[String], format: Format) -> anyhow::Result<ExitCode> {
    let competition = open_competition(directory);
    let mut checked: Vec<Checked> = vec![];
    let shortfalls: Vec<Shortfall> = match &competition {
        Ok(competition) => entry_shortfalls(competition)?,
        Err(_) => vec![],
    };
    if sources.is_empty() {
        let competition = competition?;
        for entrant in competition.entrants()? {
            checked.push(check_entrant(&competition, &entrant, machine()?, &mut observer())?);
        }
    } else {
        for source in sources {
            let entered = match &competition {
                Ok(competition) => competition.entrants()?.into_iter().find(|entrant| entrant.name.as_str() == source),
                Err(_) => None,
            };
            checked.push(match (&competition, entered) {
                (Ok(competition), Some(entrant)) => check_entrant(competition, &entrant, machine()?, &mut observer())?,
                _ => check_source(&Source::find(source)?, competition.as_ref().ok(), machine()?, &mut observer())?,
            });
        }
    }
    let rows = checked.iter().flat_map(|Checked { submission, findings }| {
        let own = |need| shortfalls.iter().filter(move |found| found.entrant == submission.name && found.need == need);
        let missing = own(Need::Required).map(|shortfall| {
            json!({"entrant": submission.name, "track": null, "tried": format!("entry: {}", shortfall.field),
                   "ok": false, "problem": printable(&shortfall.message)})
        });
        let fields: Vec<&str> = own(Need::Recommended).map(|shortfall| shortfall.field).collect();
        let advice = (!fields.is_empty()).then(|| {
            json!({"entrant": submission.name, "track": null, "tried": "entry", "ok": true,
                   "problem": format!("the rules recommend also {}", fields.join(", "))})
        });
        let tried = findings.iter().map(move |finding| {
            json!({"entrant": submission.name, "track": finding.track, "tried": finding.what,
                   "ok": finding.problem.is_none(),
                   "problem": printable(finding.problem.as_deref().unwrap_or("none"))})
        });
        tried.chain(missing.chain(advice).collect::<Vec<_>>())
    });
    print_rows(rows.collect(), &["entrant", "track", "tried", "problem"], format)?;
    // An incomplete entry may still be completed; 'agon freeze' refuses it.
    let any = checked.iter().any(|checked| checked.problem().is_some());
    Ok(ExitCode::from(if any { NO } else { 0 }))
}
