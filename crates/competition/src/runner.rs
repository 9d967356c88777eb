//! Runs solvers outside the plan: for panels, votes on cores, settlements, proof checkers and trials.

use crate::error::At;
use crate::preprocess::{input, translate};
use crate::{Machine, StepError};
use agon_contain::{ContainError, Job, Measured, Named, Work, needed_by};
use agon_dispatch::{contained, converse, job, work_directory};
use agon_domain::{Digest, Limits, Submission, Time, Track};
use agon_entrant::tree_digest;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The memory limit of a run outside the plan.
const MEMORY: u64 = 4 << 30;

/// A solver and its unpacked files.
#[derive(Clone, Debug)]
pub(crate) struct Solver {
    pub(crate) submission: Submission,
    pub(crate) files: PathBuf,
    /// The digest of the solver's files, if it is an entrant.
    pub(crate) digest: Option<Digest>,
}

impl Solver {
    /// The name and version of the solver, for display.
    pub(crate) fn full_name(&self) -> String {
        format!("{} {}", self.submission.name, self.submission.version)
    }

    /// The full name and a digest, which distinguishes different builds of the same version.
    pub(crate) fn identity(&self) -> String {
        let files = self.digest.or_else(|| tree_digest(&self.files).ok());
        let version = files.map(|files| self.submission.version_with(files, Track::SingleQuery).short());
        format!("{} [{}]", self.full_name(), version.unwrap_or_default())
    }
}

/// The limits of a run outside the plan, on one core.
pub(crate) fn limits(wall_s: f64) -> Result<Limits, StepError> {
    if !(0.1..=31_536_000.0).contains(&wall_s) {
        return Err(StepError::Usage(format!("the time limit must be from 0.1 seconds to a year, not {wall_s}")));
    }
    Ok(Limits::new(Time::from_nanos((wall_s * 1e9) as u64), MEMORY, 1))
}

/// Runs a solver on a file as in a track of a competition. The output of an incremental run is the log of the trace
/// executor of the year `executor`.
pub(crate) fn run_solver(
    machine: &Machine,
    solver: &Solver,
    track: Track,
    benchmark: &Path,
    limits: &Limits,
    executor: u16,
) -> Result<Measured, StepError> {
    let Solver { submission: entrant, files, .. } = solver;
    let host = machine.host()?;
    let command = entrant.commands.get(&track).cloned().unwrap_or_default();
    let work = work_directory(host, files, entrant.start_in.as_deref()).at(files)?;
    // A pre-processor runs first, under the same limits.
    let translated = match entrant.preprocess.contains_key(&track) {
        true => {
            let measured = translate(host, entrant, files, track, benchmark, limits)?;
            let name = benchmark.file_name().unwrap_or_default().to_string_lossy();
            Some(Scratch::new(&name, input(&measured).0)?)
        }
        false => None,
    };
    let benchmark = translated.as_ref().map_or(benchmark, |scratch| scratch.file.as_path());
    let mut job = job(&command, files, &work, benchmark, limits);
    if track.is_incremental() {
        job.shown.retain(|path| path != benchmark);
        let script = fs::read(benchmark).at(benchmark)?;
        return Ok(converse(host, &job, limits, &script, &[], executor)?);
    }
    Ok(host.run(&job, &contained(limits))?)
}

/// Runs a shell command, which may read these files.
pub(crate) fn run_command(
    machine: &Machine,
    script: &str,
    files: Vec<PathBuf>,
    limits: &agon_contain::Limits,
) -> Result<Measured, StepError> {
    let host = machine.host()?;
    let work = host.fresh(Path::new(""), &[], &[]).map_err(ContainError::Watch)?;
    // The first word is the program. It must be visible in confinement, with the files that it needs.
    let program = script.split_whitespace().next().and_then(|word| find_program(word.as_ref()));
    let around = program.iter().flat_map(|program| needed_by(program).into_iter().chain([program.clone()]));
    let shell =
        find_program("sh".as_ref()).ok_or_else(|| StepError::Missing("'sh' is not on the search path".into()))?;
    let job = Job {
        named: Named::find(&[script.into()], Path::new("/")).files,
        arguments: vec!["-c".into(), script.into()],
        environment: plain_environment(&work),
        shown: files.into_iter().chain(around).collect(),
        ..Job::new(shell, &work)
    };
    Ok(host.run(&job, limits)?)
}

/// A minimal environment: PATH, LANG and a writable HOME.
pub fn plain_environment(work: &Work) -> Vec<(OsString, OsString)> {
    let ours = ["PATH", "LANG"].into_iter().filter_map(|name| Some((name.into(), std::env::var_os(name)?)));
    ours.chain([("HOME".into(), work.start().into())]).collect()
}

/// Finds a program by its path, or by its name on the search path.
pub fn find_program(program: &OsStr) -> Option<PathBuf> {
    let path = PathBuf::from(program);
    if path.components().count() > 1 {
        return std::path::absolute(&path).ok();
    }
    let search = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&search).map(|directory| directory.join(&path)).find(|file| file.is_file())
}

/// A temporary directory that runs can read, which execute as other users.
pub(crate) fn readable_directory() -> Result<TempDir, StepError> {
    let directory = tempfile::tempdir().at(&std::env::temp_dir())?;
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o755)).at(directory.path())?;
    Ok(directory)
}

/// A temporary file that runs can read.
pub(crate) struct Scratch {
    pub(crate) file: PathBuf,
    _folder: TempDir,
}

impl Scratch {
    pub(crate) fn new(name: &str, bytes: &[u8]) -> Result<Self, StepError> {
        let directory = readable_directory()?;
        let file = directory.path().join(name);
        fs::write(&file, bytes).at(&file)?;
        Ok(Self { file, _folder: directory })
    }
}
