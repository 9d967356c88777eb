//! Enters solvers into a competition, and removes them.

use crate::StepError;
use crate::decide::is_entrant;
use crate::entries::resolve_divisions;
use crate::error::{At, Blame};
use crate::freeze::thaw;
use crate::gate::gate;
use crate::runner::Solver;
use agon_domain::{Digest, Entrant, EntrantName, Submission, Upload, did_you_mean};
use agon_edition::{Action, check_preprocessors};
use agon_entrant::{
    Catalogue, Details, Installed, REFERENCE, fetched, home, installed, is_upload, keep_upload, make_readable, open,
    tree_digest, write_reference,
};
use agon_store::Competition;
use std::fs;
use std::path::{Path, PathBuf};

/// The origin of a solver.
#[derive(Clone, Debug)]
pub enum Source {
    /// An archive, a directory or a program.
    Files(PathBuf),
    /// A known solver that is installed on this machine.
    Installed(Installed),
    /// The reference solver, by the path of its program.
    Reference(PathBuf),
}

impl Source {
    /// Finds a solver by path, or by name: one that was fetched, or one that is installed on this machine.
    pub fn find(word: &str) -> Result<Self, StepError> {
        if word == REFERENCE {
            let program = std::env::current_exe().at(Path::new(REFERENCE))?.with_file_name(REFERENCE);
            if !program.is_file() {
                let message = format!("{} does not exist; build it with 'cargo build'", program.display());
                return Err(StepError::Missing(message));
            }
            return Ok(Self::Reference(program));
        }
        let path = Path::new(word);
        if path.exists() || word.contains('/') {
            return Ok(Self::Files(path.to_owned()));
        }
        let catalogue = Catalogue::built_in();
        if let Some(recipe) = catalogue.get(word)
            && let Some(directory) = fetched(recipe, &home()?)
        {
            return Ok(Self::Files(directory));
        }
        if let Some(solver) = on_this_machine().into_iter().find(|solver| solver.name == word) {
            return Ok(Self::Installed(solver));
        }
        Err(StepError::Usage(if catalogue.get(word).is_some() {
            format!("{word} has not been fetched; run 'agon entrant fetch {word}'")
        } else {
            let known = catalogue.iter().map(|recipe| recipe.name.clone());
            let hint = did_you_mean(word, known);
            format!(
                "'{word}' is not a file, a directory or a known solver{hint}; 'agon entrant list --available' lists \
                 the known ones"
            )
        }))
    }

    /// Copies the solver's files into an empty directory, and describes it.
    pub fn open(&self, details: &Details, into: &Path) -> Result<Submission, StepError> {
        match self {
            Self::Files(path) => Ok(open(path, details, into)?),
            Self::Installed(solver) => {
                let directory = tempfile::tempdir().at(&std::env::temp_dir())?;
                solver.write_folder(directory.path()).at(&solver.program)?;
                Ok(open(directory.path(), details, into)?)
            }
            Self::Reference(program) => {
                let directory = tempfile::tempdir().at(&std::env::temp_dir())?;
                write_reference(program, directory.path()).at(program)?;
                Ok(open(directory.path(), details, into)?)
            }
        }
    }

    /// The path of the solver's program, to run it directly.
    pub fn program(&self) -> Option<PathBuf> {
        match self {
            Self::Files(directory) => {
                let text = fs::read_to_string(directory.join(agon_entrant::DESCRIPTION)).ok()?;
                let submission: Submission = toml::from_str(&text).ok()?;
                let word = submission.commands.values().find_map(|command| command.first())?;
                Some(directory.join(word)).filter(|program| program.is_file())
            }
            Self::Installed(solver) => Some(solver.program.clone()),
            Self::Reference(program) => Some(program.clone()),
        }
    }
}

/// The known solvers on the search path.
pub fn on_this_machine() -> Vec<Installed> {
    installed(&std::env::var_os("PATH").unwrap_or_default())
}

/// Enters a solver: copies its files into the competition's archives and records its description (R08-2.1). Replaces
/// an entrant with the same name.
pub fn enter(competition: &Competition, source: &Source, details: &Details) -> Result<Entrant, StepError> {
    let archives = competition.directory().join("archives");
    fs::create_dir_all(&archives).at(&archives)?;
    let draft = tempfile::Builder::new().prefix(".draft-").tempdir_in(&archives).at(&archives)?;
    let files = draft.path().join("files");
    fs::create_dir(&files).at(&files)?;
    let mut submission = source.open(details, &files)?;
    resolve_divisions(competition, &mut submission)?;
    if let Some(wrong) = check_preprocessors(competition.rulebook(), &submission).first() {
        return Err(StepError::Usage(wrong.to_string()));
    }
    let known = competition.entrants()?.into_iter().find(|entrant| entrant.name == submission.name);
    if let Some(other) = known.as_ref().filter(|known| known.team != submission.team) {
        return Err(StepError::Usage(format!(
            "{} has already entered a solver '{}'; enter this one of {} under another name with --name, or remove the \
             other with 'agon entrant remove {}'",
            other.team, other.name, submission.team, other.name
        )));
    }
    let is_known = known.is_some();
    gate(competition, if is_known { Action::Update } else { Action::Enter }, None)?;
    thaw(competition, &submission.name)?;
    make_readable(&files).at(&files)?;
    let digest = tree_digest(&files).at(&files)?;
    let place = competition.entrant_folder(&digest);
    if tree_digest(&place).ok() != Some(digest) {
        // The files are missing, or were changed since they were entered.
        let replaced = if place.exists() { fs::remove_dir_all(&place) } else { Ok(()) };
        replaced.and_then(|()| fs::rename(&files, &place)).at(&place)?;
    }
    let upload = keep(competition, source)?;
    let entrant = Entrant { program: program_digest(&submission)?, files: digest, upload, submission };
    competition.enter(&entrant)?;
    Ok(entrant)
}

/// Keeps the archive of a solver as it was uploaded (R08-1.3). Directories and installed solvers have none.
fn keep(competition: &Competition, source: &Source) -> Result<Option<Upload>, StepError> {
    let Source::Files(archive) = source else { return Ok(None) };
    if !archive.is_file() {
        return Ok(None);
    }
    let uploads = competition.directory().join("uploads");
    fs::create_dir_all(&uploads).at(&uploads)?;
    let draft = tempfile::Builder::new().prefix(".draft-").tempdir_in(&uploads).at(&uploads)?;
    let copy = draft.path().join("archive");
    let upload = keep_upload(archive, &copy).at(archive)?;
    let place = competition.upload_file(&upload);
    place.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::rename(&copy, &place)).at(&place)?;
    Ok(Some(upload))
}

/// Removes an entrant. Its outcomes are kept.
pub fn withdraw(competition: &Competition, name: &EntrantName) -> Result<(), StepError> {
    is_entrant(competition, name)?;
    thaw(competition, name)?;
    competition.withdraw(name)?;
    Ok(())
}

/// The absolute path of an entrant's files.
pub(crate) fn files_of(competition: &Competition, entrant: &Entrant) -> Result<PathBuf, StepError> {
    let directory = competition.entrant_folder(&entrant.files);
    std::path::absolute(&directory).at(&directory)
}

/// An entrant with its files.
pub(crate) fn solver_of(competition: &Competition, entrant: &Entrant) -> Result<Solver, StepError> {
    let files = files_of(competition, entrant)?;
    Ok(Solver { submission: entrant.submission.clone(), files, digest: Some(entrant.files) })
}

/// Checks that an entrant's files have not changed since it was entered, nor its archive, nor an installed program that
/// it runs.
pub(crate) fn verify(competition: &Competition, entrant: &Entrant) -> Result<(), StepError> {
    let (name, files) = (&entrant.name, files_of(competition, entrant)?);
    let remedy = "enter it again with 'agon entrant add'";
    let problem = match tree_digest(&files) {
        Ok(now) if now != entrant.files => {
            Some(format!("the files of {name} in {} have changed since it was entered; {remedy}", files.display()))
        }
        Err(error) => Some(format!("the files of {name} cannot be read in {} ({error}); {remedy}", files.display())),
        Ok(_) if entrant.program != program_digest(entrant)? => {
            Some(format!("the installed program that {name} runs has changed since it was entered; {remedy}"))
        }
        Ok(_) => changed_upload(competition, entrant)
            .map(|file| format!("the archive of {name}, {}, has changed or is missing; {remedy}", file.display())),
    };
    problem.map_or(Ok(()), |problem| Err(StepError::Missing(problem)))
}

/// The archive of an entrant, if it is not the one that was uploaded.
fn changed_upload(competition: &Competition, entrant: &Entrant) -> Option<PathBuf> {
    let upload = entrant.upload.as_ref()?;
    let file = competition.upload_file(upload);
    (!is_upload(&file, upload).unwrap_or(false)).then_some(file)
}

/// The digest of the installed program that an entrant runs, if its command has an absolute path.
fn program_digest(submission: &Submission) -> Result<Option<Digest>, StepError> {
    let mut programs = submission.commands.values().filter_map(|command| command.first());
    let Some(program) = programs.find(|word| word.starts_with('/')) else { return Ok(None) };
    let bytes = fs::read(program).at(Path::new(program)).during(format!("the program of {}", submission.name))?;
    Ok(Some(Digest::of(&bytes)))
}
