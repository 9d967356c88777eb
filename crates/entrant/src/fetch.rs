//! Fetches known solvers into the user's store. Downloads use pip and apt, so that the machine's proxies and mirrors
//! apply. Every download is checked against the pinned digest before it is unpacked.

use crate::catalogue::{DebianPackage, Recipe, Wheel};
use crate::{DESCRIPTION, UnpackError, unpack};
use agon_domain::{Digest, EntrantName, Logic, Submission, Track};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The reason why a solver could not be fetched.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The environment does not determine the user's store.
    #[error("cannot locate the directory of fetched solvers; set HOME or AGON_HOME")]
    NoHome,
    /// A required program is missing.
    #[error("{0} is required to fetch {1}, but is not installed; {2}")]
    NoTool(&'static str, String, &'static str),
    /// The pinned files are for other machines.
    #[error("{0} is only available for {1}, but this machine has {2}")]
    OtherMachine(String, String, String),
    /// The download failed.
    #[error(
        "{0} could not be downloaded: {1}. Without a network, enter a solver that you have with 'agon entrant add PATH'"
    )]
    Download(String, String),
    /// The download does not have the pinned digest.
    #[error("{0} has digest {1} instead of the pinned {2}; the download was deleted")]
    Digest(String, Digest, String),
    /// The package lacks a file that the recipe names.
    #[error("the package of {0} has no file '{1}'")]
    NoFile(String, String),
    /// The package could not be unpacked.
    #[error(transparent)]
    Unpack(#[from] UnpackError),
    /// A file could not be read or written.
    #[error("{0}: {1}")]
    Io(PathBuf, io::Error),
}

/// The user's store: `AGON_HOME`, or the directory `agon` in the user's data directory.
pub fn home() -> Result<PathBuf, FetchError> {
    let from = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    from("AGON_HOME")
        .or_else(|| from("XDG_DATA_HOME").map(|data| data.join("agon")))
        .or_else(|| from("HOME").map(|home| home.join(".local/share/agon")))
        .ok_or(FetchError::NoHome)
}

/// The directory of a solver in the store, if it was fetched by the current recipe.
pub fn fetched(recipe: &Recipe, store: &Path) -> Option<PathBuf> {
    let is_of_this_recipe = fs::read_to_string(mark_of(recipe, store)).is_ok_and(|mark| mark == digest_of(recipe));
    Some(place_of(recipe, store)).filter(|directory| is_of_this_recipe && directory.join(DESCRIPTION).exists())
}

/// The file with the digest of the recipe that a solver was fetched by. If the recipe changes, the solver is fetched
/// again.
fn mark_of(recipe: &Recipe, store: &Path) -> PathBuf {
    store.join("solvers").join(format!(".{}-{}.recipe", recipe.name, recipe.version))
}

fn digest_of(recipe: &Recipe) -> String {
    Digest::of(format!("{recipe:?}").as_bytes()).to_string()
}

fn place_of(recipe: &Recipe, store: &Path) -> PathBuf {
    store.join("solvers").join(format!("{}-{}", recipe.name, recipe.version))
}

/// Installs a solver into the store unless it is there already, and returns its directory, which is an entrant.
pub fn fetch(recipe: &Recipe, store: &Path) -> Result<PathBuf, FetchError> {
    if let Some(directory) = fetched(recipe, store) {
        return Ok(directory);
    }
    let (solvers, directory) = (store.join("solvers"), place_of(recipe, store));
    if std::env::consts::ARCH != "x86_64" {
        let here = std::env::consts::ARCH.to_owned();
        return Err(FetchError::OtherMachine(recipe.name.clone(), "x86_64".into(), here));
    }
    let failed = |error| FetchError::Io(solvers.clone(), error);
    fs::create_dir_all(&solvers).map_err(failed)?;
    // The solver is built in a temporary directory and renamed at the end, so that the store has no incomplete ones.
    let draft = tempfile::Builder::new().prefix(".draft-").tempdir_in(&solvers).map_err(failed)?;
    let tree = draft.path().join("tree");
    fs::create_dir_all(&tree).map_err(failed)?;
    let command = match &recipe.wheel {
        Some(wheel) => from_wheel(recipe, wheel, draft.path(), &tree)?,
        None => from_debian(recipe, draft.path(), &tree)?,
    };
    let entrant = describe(recipe, command)?;
    let text = toml::to_string_pretty(&entrant).map_err(|error| failed(io::Error::other(error)))?;
    fs::write(tree.join(DESCRIPTION), text).map_err(failed)?;
    if directory.exists() {
        fs::remove_dir_all(&directory).map_err(failed)?;
    }
    fs::rename(&tree, &directory).map_err(failed)?;
    fs::write(mark_of(recipe, store), digest_of(recipe)).map_err(failed)?;
    Ok(directory)
}

/// Describes a fetched solver, given its command for the single-query track.
fn describe(recipe: &Recipe, command: Vec<String>) -> Result<Submission, FetchError> {
    let logics: Vec<Logic> = recipe.divisions.iter().cloned().map(Logic).collect();
    let program = command.first().cloned().unwrap_or_default();
    let mut commands = BTreeMap::from([(Track::SingleQuery, command.clone())]);
    for track in [Track::Incremental, Track::UnsatCore, Track::ModelValidation] {
        let words = match recipe.arguments.get(&track) {
            Some(words) if words.is_empty() => continue,
            Some(words) => std::iter::once(program.clone()).chain(words.iter().cloned()).collect(),
            None if track == Track::Incremental => continue,
            None => command.clone(),
        };
        commands.insert(track, words);
    }
    let by_track = if logics.is_empty() {
        BTreeMap::new()
    } else {
        commands.keys().map(|track| (*track, logics.clone())).collect()
    };
    let name = EntrantName::try_from(recipe.name.clone());
    let name = name.map_err(|error| FetchError::Io(PathBuf::from(&recipe.name), io::Error::other(error)))?;
    Ok(Submission {
        magic: Some(recipe.magic),
        website: Some(recipe.website.clone()),
        logics: by_track,
        commands,
        ..Submission::new(name, &recipe.version, &recipe.team, command)
    })
}

/// Downloads a wheel with pip and extracts its files. Returns the command for the single-query track.
fn from_wheel(recipe: &Recipe, wheel: &Wheel, draft: &Path, tree: &Path) -> Result<Vec<String>, FetchError> {
    let python = Python::find(&recipe.name)?;
    let digest = wheel.sha256.get("any").or_else(|| wheel.sha256.get(&python.tag)).ok_or_else(|| {
        let pinned = wheel.sha256.keys().cloned().collect::<Vec<_>>().join(", ");
        FetchError::OtherMachine(recipe.name.clone(), format!("Python {pinned}"), python.tag.clone())
    })?;
    let failed = |error| FetchError::Io(draft.to_owned(), error);
    let requirements = draft.join("requirements.txt");
    let line = format!("{}=={} --hash=sha256:{digest}\n", wheel.package, wheel.version);
    fs::write(&requirements, line).map_err(failed)?;
    let mut pip = Command::new(&python.program);
    pip.args(["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--require-hashes"]);
    pip.arg("--dest").arg(draft.join("wheel")).arg("--requirement").arg(&requirements);
    download(recipe, &mut pip)?;
    let file = only_file(recipe, &draft.join("wheel"))?;
    verify(recipe, &file, digest)?;
    let unpacked = draft.join("unpacked");
    fs::create_dir_all(&unpacked).map_err(failed)?;
    unpack(&file, &unpacked)?;
    if let Some(script) = &recipe.python {
        fs::rename(&unpacked, tree.join("lib")).map_err(failed)?;
        let program = tree.join("bin").join(&recipe.name);
        fs::create_dir_all(tree.join("bin")).map_err(failed)?;
        fs::write(tree.join("bin/run.py"), script.trim_start()).map_err(failed)?;
        let start =
            format!("#!/bin/sh\nexec '{}' -I -S -B \"$(dirname \"$0\")/run.py\" \"$@\"\n", python.program.display());
        fs::write(&program, start).map_err(failed)?;
        executable(&program).map_err(failed)?;
        return Ok(vec![format!("bin/{}", recipe.name), "{benchmark}".into()]);
    }
    for (from, to) in &recipe.programs {
        let (source, place) = (unpacked.join(from), tree.join(to));
        if !source.is_file() {
            return Err(FetchError::NoFile(recipe.name.clone(), from.clone()));
        }
        fs::create_dir_all(place.parent().unwrap_or(tree)).map_err(failed)?;
        fs::rename(source, &place).map_err(failed)?;
        executable(&place).map_err(failed)?;
    }
    Ok(recipe.command.clone())
}

/// Downloads packages with apt and unpacks them into one directory. Returns the command for the single-query track.
fn from_debian(recipe: &Recipe, draft: &Path, tree: &Path) -> Result<Vec<String>, FetchError> {
    let failed = |error| FetchError::Io(draft.to_owned(), error);
    for DebianPackage { package, version, sha256 } in &recipe.debian {
        let directory = draft.join(package);
        fs::create_dir_all(&directory).map_err(failed)?;
        let mut apt = Command::new("apt-get");
        apt.args(["--quiet", "download", &format!("{package}={version}")]).current_dir(&directory);
        download(recipe, &mut apt)?;
        let file = only_file(recipe, &directory)?;
        verify(recipe, &file, sha256)?;
        let mut dpkg = Command::new("dpkg-deb");
        dpkg.arg("--extract").arg(&file).arg(tree);
        download(recipe, &mut dpkg)?;
    }
    // The solver's libraries are unpacked next to it, so a script sets their path.
    let mut words = recipe.command.iter();
    let program = words.next().cloned().unwrap_or_default();
    let start = tree.join("bin").join(&recipe.name);
    fs::create_dir_all(tree.join("bin")).map_err(failed)?;
    let script = format!(
        "#!/bin/sh\nhere=$(dirname \"$0\")/..\n\
         LD_LIBRARY_PATH=$here/usr/lib/x86_64-linux-gnu:$here/lib/x86_64-linux-gnu exec \"$here/{program}\" \"$@\"\n"
    );
    fs::write(&start, script).map_err(failed)?;
    executable(&start).map_err(failed)?;
    Ok(std::iter::once(format!("bin/{}", recipe.name)).chain(words.cloned()).collect())
}

/// The Python interpreter that downloads wheels and runs solvers from them.
struct Python {
    program: PathBuf,
    /// The Python tag in the file names of wheels: `cp311`.
    tag: String,
}

impl Python {
    fn find(solver: &str) -> Result<Self, FetchError> {
        let no_python =
            || FetchError::NoTool("Python 3 with pip", solver.to_owned(), "on Debian: apt-get install python3-pip");
        let question = "import sys, pip; print(sys.executable); print('cp%d%d' % sys.version_info[:2])";
        let output = Command::new("python3").args(["-c", question]).output().map_err(|_| no_python())?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut lines = text.lines();
        match (output.status.success(), lines.next(), lines.next()) {
            (true, Some(program), Some(tag)) => Ok(Self { program: program.into(), tag: tag.to_owned() }),
            _ => Err(no_python()),
        }
    }
}

/// Runs a package client and condenses its error output into one line.
fn download(recipe: &Recipe, command: &mut Command) -> Result<(), FetchError> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| {
        FetchError::Download(recipe.name.clone(), format!("{program} could not be started: {error}"))
    })?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let telling = |line: &&str| line.to_lowercase().contains("error") || line.starts_with("E:");
    let line = text.lines().rfind(telling).or_else(|| text.lines().last()).unwrap_or("no message");
    Err(FetchError::Download(recipe.name.clone(), line.trim().to_owned()))
}

fn only_file(recipe: &Recipe, directory: &Path) -> Result<PathBuf, FetchError> {
    let mut items = fs::read_dir(directory).map_err(|error| FetchError::Io(directory.to_owned(), error))?;
    match items.next() {
        Some(Ok(item)) => Ok(item.path()),
        _ => Err(FetchError::Download(recipe.name.clone(), "no file was downloaded".into())),
    }
}

fn verify(recipe: &Recipe, file: &Path, pinned: &str) -> Result<(), FetchError> {
    let bytes = fs::read(file).map_err(|error| FetchError::Io(file.to_owned(), error))?;
    let digest = Digest::of(&bytes);
    if digest.to_string() == pinned {
        Ok(())
    } else {
        Err(FetchError::Digest(recipe.name.clone(), digest, pinned.to_owned()))
    }
}

fn executable(file: &Path) -> io::Result<()> {
    fs::set_permissions(file, fs::Permissions::from_mode(0o755))
}
