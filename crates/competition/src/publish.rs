//! Publishes parts of an edition on their day: checksums, the selection, the results, the submissions.
//!
//! What is published is written to a directory of its own with a list of its checksums, and the digest of that list
//! goes into the log of decisions. So readers can check that they have what the organizers published, and when.

use crate::StepError;
use crate::decide::{decide, taking_part};
use crate::enter::{files_of, verify};
use crate::error::At;
use crate::gate::{gate, overridden};
use crate::gather::{Finality, gather};
use crate::plan::Tracks;
use crate::readiness::Freshness;
use crate::select::read_selection;
use agon_domain::{Digest, Entrant};
use agon_edition::{Action, Decision, Entry, Proposal, Publication};
use agon_rulebook::EntryField;
use agon_store::{Competition, write_whole};
use std::fs;
use std::path::PathBuf;

/// What was published, and where.
#[derive(Clone, Debug)]
pub struct Publishing {
    /// The entry in the log of decisions.
    pub entry: Entry,
    /// The directory with the files.
    pub directory: PathBuf,
    /// The paths of the files in it, and their digests.
    pub files: Vec<(String, Digest)>,
}

/// A file to publish.
enum Part {
    Bytes(Vec<u8>),
    Copy(PathBuf),
}

/// Publishes something, on its day in the calendar or later.
pub fn publish(competition: &Competition, what: Publication, by: Vec<String>) -> Result<Publishing, StepError> {
    gate(competition, Action::Publish(what), None)?;
    let parts = match what {
        Publication::Checksums => checksums(competition)?,
        Publication::Selection => selection(competition)?,
        Publication::Results => results(competition)?,
        Publication::Submissions => submissions(competition)?,
    };
    if parts.is_empty() {
        return Err(StepError::Missing(format!(
            "there are no {what} to publish yet; 'agon status' shows what comes next"
        )));
    }
    let earlier = competition.log()?;
    let is_same = |entry: &&Entry| matches!(entry.decision, Decision::Publish { what: of, .. } if of == what);
    let number = 1 + earlier.entries().iter().filter(is_same).count();
    let directory = competition.directory().join("published").join(format!("{what}-{number}"));
    // Left by an attempt that was killed before it was recorded.
    if directory.exists() {
        fs::remove_dir_all(&directory).at(&directory)?;
    }
    let mut files = vec![];
    for (path, part) in parts {
        let file = directory.join(&path);
        let bytes = match part {
            Part::Bytes(bytes) => bytes,
            Part::Copy(from) => fs::read(&from).at(&from)?,
        };
        write_whole(&file, &bytes).at(&file)?;
        files.push((path, Digest::of(&bytes)));
    }
    let list: String = files.iter().map(|(path, digest)| format!("{digest}  {path}\n")).collect();
    let file = directory.join("SHA256SUMS");
    write_whole(&file, list.as_bytes()).at(&file)?;
    let decision = Decision::Publish { what, list: Digest::of(list.as_bytes()) };
    let reason =
        format!("published in {}", directory.strip_prefix(competition.directory()).unwrap_or(&directory).display());
    let entry = decide(competition, Proposal { by, recused: vec![], decision, reason })?;
    Ok(Publishing { entry, directory, files })
}

/// The checksums of the submitted archives and of the files of solvers without one (R08-1.3, R08-2.8).
fn checksums(competition: &Competition) -> Result<Vec<(String, Part)>, StepError> {
    let entrants = taking_part(competition)?;
    entrants.iter().try_for_each(|entrant| verify(competition, entrant))?;
    let mut table = "name\tversion\tfile\tmd5\tsha256\tsha256 of the files\n".to_owned();
    for Entrant { submission, files, upload, .. } in &entrants {
        let (file, md5, sha256) = upload
            .as_ref()
            .map_or(("-", "-", "-".to_owned()), |upload| (&*upload.file, &*upload.md5, upload.sha256.to_string()));
        table += &format!("{}\t{}\t{file}\t{md5}\t{sha256}\t{files}\n", submission.name, submission.version);
    }
    Ok(if entrants.is_empty() { vec![] } else { vec![("checksums.tsv".into(), Part::Bytes(table.into_bytes()))] })
}

/// The selections of all tracks, with the reason for each benchmark, and the ledger of the seed (R08-4.7, R19-6.8).
fn selection(competition: &Competition) -> Result<Vec<(String, Part)>, StepError> {
    let mut files = vec![];
    for track in competition.rulebook().tracks.keys().copied() {
        let Some(written) = read_selection(competition, track)? else { continue };
        if let Freshness::Stale(why) = written.freshness(competition, track)? {
            let why = format!("the selection of the {track} track is out of date: {why}");
            overridden(competition, "publish the selection", &why)?;
        }
        files.push(competition.selection_file(track));
    }
    if files.is_empty() {
        return Ok(vec![]);
    }
    competition.nominations()?;
    let nominated = competition.directory().join("library").join("nominated.tsv");
    Ok(copies(files.into_iter().chain([competition.seed_file(), nominated])))
}

/// The runs of all tracks with their verdicts, from which everyone can compute the scores, and the log of decisions
/// (SL19-26).
fn results(competition: &Competition) -> Result<Vec<(String, Part)>, StepError> {
    let mut parts = vec![];
    for track in Tracks::of(competition)?.runnable {
        if competition.store()?.prepared_basis(track)?.is_none() {
            let why = format!("the {track} track has no prepared benchmarks and no results");
            overridden(competition, "publish the results", &why)?;
            continue;
        }
        let gathered = gather(competition, track, Finality::WhenComplete)?;
        let total = gathered.total();
        if let Some(why) = &gathered.stale {
            overridden(competition, "publish the results", &format!("the {track} track is not complete: {why}"))?;
        } else if total.done < total.planned {
            let why =
                format!("the {track} track is not complete: {} of {} pairs have a verdict", total.done, total.planned);
            overridden(competition, "publish the results", &why)?;
        }
        let results = gathered.results(competition)?;
        if results.runs.is_empty() && total.planned == 0 {
            continue;
        }
        let mut table = vec![];
        agon_import::write_csv(&results, &mut table).at(&PathBuf::from(format!("{track}.csv")))?;
        parts.push((format!("{track}.csv"), Part::Bytes(table)));
    }
    if parts.is_empty() {
        return Ok(parts);
    }
    let facts = [competition.seed_file(), competition.directory().join("agon.toml"), competition.log_file()];
    parts.extend(copies(facts));
    Ok(parts)
}

/// The submitted archives, descriptions and system descriptions of all entrants that take part (R08-2.9, R19-5.2,
/// R19-5.4).
fn submissions(competition: &Competition) -> Result<Vec<(String, Part)>, StepError> {
    let rules = &competition.rulebook().entry;
    let mut parts = vec![];
    for entrant in taking_part(competition)? {
        verify(competition, &entrant)?;
        let name = &entrant.name;
        if !entrant.consent && rules.requires.contains(&EntryField::Consent) {
            let why = format!("{name} has not agreed to the publication of its submission (R19-5.2)");
            overridden(competition, "publish the submissions", &why)?;
        }
        if let Some(upload) = &entrant.upload {
            parts.push((format!("{name}/upload/{}", upload.file), Part::Copy(competition.upload_file(upload))));
        }
        let files = files_of(competition, &entrant)?;
        for path in [&entrant.description, &entrant.source].into_iter().flatten().filter(|path| !path.contains("://")) {
            if !files.join(path).is_file() {
                return Err(StepError::Missing(format!(
                    "{name} has no file '{path}', which its description names; enter it again"
                )));
            }
            parts.push((format!("{name}/files/{path}"), Part::Copy(files.join(path))));
        }
        let text = toml::to_string_pretty(&entrant.submission).unwrap_or_default();
        parts.push((format!("{name}/entrant.toml"), Part::Bytes(text.into_bytes())));
    }
    parts.sort_by(|(one, _), (other, _)| one.cmp(other));
    parts.dedup_by(|(one, _), (other, _)| one == other);
    Ok(parts)
}

/// Copies of files under their own names; those that do not exist are left out.
fn copies(files: impl IntoIterator<Item = PathBuf>) -> Vec<(String, Part)> {
    let name = |file: &PathBuf| file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    files.into_iter().filter(|file| file.exists()).map(|file| (name(&file), Part::Copy(file))).collect()
}
