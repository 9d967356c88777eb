//! Turns a directory into a [`Submission`], by its `entrant.toml` or StarExec's layout.

use crate::program::{describe_program, is_program};
use crate::tree::outward_link;
use crate::{GivenCommand, Release, UnpackError, copy_tree, unpack};
use agon_domain::{EntrantKind, EntrantName, MalformedEntrant, Submission, Track};
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The file name of the description in an entrant's directory.
pub const DESCRIPTION: &str = "entrant.toml";

/// The prefix of StarExec's run scripts.
const RUN_SCRIPT: &str = "starexec_run_";

/// Details of an entrant that the user gives, such as its number (R08-2.19). They take precedence over its description.
#[derive(Clone, Debug, Default)]
pub struct Details {
    /// The name of the entrant.
    pub name: Option<EntrantName>,
    /// The version of the solver.
    pub version: Option<String>,
    /// The team that submits the entrant.
    pub team: Option<String>,
    /// How the entrant takes part.
    pub kind: Option<EntrantKind>,
    /// The magic number for the seed.
    pub magic: Option<u32>,
    /// The recipe of a solver that is published as an archive.
    pub recipe: Option<Release>,
    /// The StarExec configuration to enter, if there are several.
    pub configuration: Option<String>,
    /// The commands of a bare program. Without any, the benchmark's file is its only argument.
    pub commands: Vec<GivenCommand>,
}

/// The reason why a directory or archive is not a valid entrant.
#[derive(Debug, thiserror::Error)]
pub enum DescribeError {
    /// There is no such file or directory.
    #[error("{0}: no such file or directory")]
    Missing(PathBuf),
    /// The archive cannot be unpacked safely.
    #[error(transparent)]
    Unpack(#[from] UnpackError),
    /// The files contain neither a description nor a run script.
    #[error(
        "{0} has no command for the solver; add an {DESCRIPTION} with [commands], or a script bin/{RUN_SCRIPT}NAME"
    )]
    NoCommand(PathBuf),
    /// The archive does not contain the program that the recipe names.
    #[error("{archive} has no program called {programs}, which the recipe '{recipe}' needs; is it the right archive?")]
    NoRecipeProgram {
        /// The archive.
        archive: PathBuf,
        /// The name of the recipe.
        recipe: String,
        /// The possible names of the program.
        programs: String,
    },
    /// There are several StarExec configurations and none was chosen (R19-4.7).
    #[error("{0} has several configurations ({1}), but only one can enter (R19-4.7): choose it with --configuration")]
    ManyConfigurations(PathBuf, String),
    /// The chosen configuration does not exist.
    #[error("{0} has no configuration '{1}'; it has: {2}")]
    NoConfiguration(PathBuf, String, String),
    /// The description cannot be parsed.
    #[error("{0}: {1}")]
    Malformed(PathBuf, String),
    /// The description violates a rule.
    #[error("{0}: {1}")]
    Rule(PathBuf, MalformedEntrant),
    /// The program of a command does not exist.
    #[error("{0}: the command for the {1} track runs '{2}', which is not among the files")]
    NoProgram(PathBuf, Track, String),
    /// The program is not executable.
    #[error("{0}: '{2}', the program for the {1} track, is not executable: run chmod +x on it before packing")]
    NotExecutable(PathBuf, Track, String),
    /// The working directory does not exist.
    #[error("{0}: start_in is '{1}', which is not a directory among the files")]
    NoStart(PathBuf, String),
    /// A link points outside the entrant's files, so that their digest does not cover the whole solver.
    #[error("{0}: the link '{1}' leads out of the files; replace it with its target")]
    OutwardLink(PathBuf, PathBuf),
    /// A command was given for an entrant that defines its own.
    #[error("{0}: --command is only for bare programs; an archive or directory has its commands in {DESCRIPTION}")]
    CommandsGiven(PathBuf),
    /// A file could not be read or written.
    #[error("{0}: {1}")]
    Io(PathBuf, io::Error),
}

/// Copies a bare program, a directory or the content of an archive into an empty directory, and describes it.
pub fn open(source: &Path, details: &Details, into: &Path) -> Result<Submission, DescribeError> {
    let is_bare = source.is_file() && is_program(source);
    if is_bare {
        fs::create_dir_all(into).map_err(|e| DescribeError::Io(source.to_owned(), e))?;
    } else if source.is_dir() {
        copy_tree(source, into).map_err(|e| DescribeError::Io(source.to_owned(), e))?;
    } else if source.exists() {
        unpack(source, into)?;
        lift_single_folder(into).map_err(|e| DescribeError::Io(source.to_owned(), e))?;
    } else {
        return Err(DescribeError::Missing(source.to_owned()));
    }
    if let Some(link) = outward_link(into).map_err(|e| DescribeError::Io(source.to_owned(), e))? {
        return Err(DescribeError::OutwardLink(source.to_owned(), link));
    }
    if !is_bare && !details.commands.is_empty() {
        return Err(DescribeError::CommandsGiven(source.to_owned()));
    }
    let mut entrant = if is_bare { describe_program(source, details, into)? } else { describe(source, into, details)? };
    let Details { name, version, team, kind, magic, .. } = details.clone();
    entrant.name = name.unwrap_or(entrant.name);
    entrant.version = version.unwrap_or(entrant.version);
    entrant.team = team.unwrap_or(entrant.team);
    entrant.kind = kind.unwrap_or(entrant.kind);
    entrant.magic = magic.or(entrant.magic);
    entrant.validate().map_err(|e| DescribeError::Rule(source.to_owned(), e))?;
    programs_are_there(source, into, &entrant)?;
    Ok(entrant)
}

/// If the directory contains only one directory, moves that one's content up: archives often pack a single directory.
/// An only directory `bin` is left in place, since it is StarExec's layout.
fn lift_single_folder(directory: &Path) -> io::Result<()> {
    let items: Vec<PathBuf> = fs::read_dir(directory)?.filter_map(|item| item.ok().map(|item| item.path())).collect();
    let [only] = items.as_slice() else { return Ok(()) };
    if only.is_symlink() || !only.is_dir() || only.file_name().is_some_and(|name| name == "bin") {
        return Ok(());
    }
    let aside = directory.with_extension("lifted");
    fs::rename(only, &aside)?;
    fs::remove_dir(directory)?;
    fs::rename(aside, directory)
}

fn describe(source: &Path, directory: &Path, details: &Details) -> Result<Submission, DescribeError> {
    let description = directory.join(DESCRIPTION);
    if description.exists() {
        let text = fs::read_to_string(&description).map_err(|e| DescribeError::Io(source.to_owned(), e))?;
        return toml::from_str(&text).map_err(|error| {
            DescribeError::Malformed(source.join(DESCRIPTION), error.to_string().trim_end().to_owned())
        });
    }
    if let Some(recipe) = &details.recipe {
        let has_scripts = !configurations(directory).is_empty();
        let entrant = if has_scripts || recipe.needs_starexec() {
            let name = Some(recipe.name.clone());
            let details = Details { name, recipe: None, ..details.clone() };
            describe(source, directory, &details)?
        } else {
            recipe.describe(source, directory)?
        };
        return Ok(recipe.complete(entrant));
    }
    let configuration = configuration(source, directory, details.configuration.as_deref())?;
    let stem = source.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let stem = stem.strip_suffix(".tar").unwrap_or(&stem).to_owned();
    let name = match &details.name {
        Some(name) => name.clone(),
        None => EntrantName::try_from(stem).map_err(|e| DescribeError::Rule(source.to_owned(), e))?,
    };
    let command = vec![format!("bin/{RUN_SCRIPT}{configuration}"), "{benchmark}".into(), "{output}".into()];
    let team = name.to_string();
    Ok(Submission { start_in: Some("bin".into()), ..Submission::new(name, "unstated", &team, command) })
}

/// The names of the StarExec configurations in an archive.
fn configurations(directory: &Path) -> Vec<String> {
    let mut all: Vec<String> = fs::read_dir(directory.join("bin"))
        .into_iter()
        .flatten()
        .filter_map(|item| Some(item.ok()?.file_name().to_string_lossy().strip_prefix(RUN_SCRIPT)?.to_owned()))
        .collect();
    all.sort_unstable();
    all
}

/// The one StarExec configuration that is entered (R19-4.7).
fn configuration(source: &Path, directory: &Path, chosen: Option<&str>) -> Result<String, DescribeError> {
    let all = configurations(directory);
    match (chosen, all.as_slice()) {
        (_, []) => Err(DescribeError::NoCommand(source.to_owned())),
        (None, [only]) => Ok(only.clone()),
        (None, many) => Err(DescribeError::ManyConfigurations(source.to_owned(), many.join(", "))),
        (Some(chosen), all) if all.iter().any(|one| one == chosen) => Ok(chosen.to_owned()),
        (Some(chosen), all) => {
            Err(DescribeError::NoConfiguration(source.to_owned(), chosen.to_owned(), all.join(", ")))
        }
    }
}

/// Checks that the working directory exists, and that the programs exist and are executable. Makes run scripts
/// executable, as StarExec does.
fn programs_are_there(source: &Path, directory: &Path, entrant: &Submission) -> Result<(), DescribeError> {
    if let Some(start_in) = &entrant.start_in
        && !directory.join(start_in).is_dir()
    {
        return Err(DescribeError::NoStart(source.to_owned(), start_in.clone()));
    }
    for (track, command) in entrant.commands.iter().chain(&entrant.preprocess) {
        let program = command.first().map(String::as_str).unwrap_or_default();
        let file = directory.join(program);
        let missing = || DescribeError::NoProgram(source.to_owned(), *track, program.to_owned());
        let metadata = fs::metadata(&file).map_err(|_| missing())?;
        if !metadata.is_file() {
            return Err(missing());
        }
        if metadata.permissions().mode() & 0o111 == 0 {
            let is_run_script = file.file_name().is_some_and(|name| name.to_string_lossy().starts_with(RUN_SCRIPT));
            if !is_run_script {
                return Err(DescribeError::NotExecutable(source.to_owned(), *track, program.to_owned()));
            }
            let executable = fs::Permissions::from_mode(0o755);
            fs::set_permissions(&file, executable).map_err(|e| DescribeError::Io(source.to_owned(), e))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directory(files: &[(&str, u32, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (path, mode, text) in files {
            let file = root.path().join("mysolver").join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, text).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(*mode)).unwrap();
        }
        fs::create_dir_all(root.path().join("mysolver")).unwrap();
        root
    }

    fn opened(root: &tempfile::TempDir, details: &Details) -> Result<Submission, DescribeError> {
        open(&root.path().join("mysolver"), details, &root.path().join("into"))
    }

    #[test]
    fn an_entrant_is_read_from_its_description() {
        let text = "name = 'x'\nversion = '2'\nteam = 'T'\nmagic = 4294967295\n[commands]\nsingle-query = ['bin/x', '{benchmark}']";
        let root = directory(&[("entrant.toml", 0o644, text), ("bin/x", 0o755, "")]);
        let entrant = opened(&root, &Details { magic: Some(3), ..Details::default() }).unwrap();
        assert_eq!((entrant.name.as_str(), entrant.version.as_str(), entrant.magic), ("x", "2", Some(3)));
    }

    #[test]
    fn r08_2_17_the_magic_number_has_32_bits() {
        for (magic, fits) in [("4294967295", true), ("4294967296", false), ("-1", false)] {
            let text = format!(
                "name = 'x'\nversion = '2'\nteam = 'T'\nmagic = {magic}\n[commands]\nsingle-query = ['/bin/true', '{{benchmark}}']"
            );
            let root = directory(&[("entrant.toml", 0o644, &text)]);
            assert_eq!(opened(&root, &Details::default()).is_ok(), fits, "{magic}");
        }
    }

    #[test]
    fn starexec_layout_is_recognized() {
        let root = directory(&[("bin/starexec_run_default", 0o644, "#!/bin/sh\n")]);
        let entrant = opened(&root, &Details::default()).unwrap();
        assert_eq!(entrant.name.as_str(), "mysolver");
        assert_eq!(entrant.start_in.as_deref(), Some("bin"));
        assert_eq!(entrant.commands[&Track::SingleQuery][0], "bin/starexec_run_default");
    }

    #[test]
    fn r19_4_7_one_configuration() {
        let root = directory(&[("bin/starexec_run_a", 0o755, ""), ("bin/starexec_run_b", 0o755, "")]);
        let chosen = |name: &str| Details { configuration: Some(name.into()), ..Details::default() };
        assert!(matches!(opened(&root, &Details::default()), Err(DescribeError::ManyConfigurations(..))));
        fs::remove_dir_all(root.path().join("into")).unwrap();
        assert!(matches!(opened(&root, &chosen("c")), Err(DescribeError::NoConfiguration(..))));
        fs::remove_dir_all(root.path().join("into")).unwrap();
        assert_eq!(opened(&root, &chosen("b")).unwrap().commands[&Track::SingleQuery][0], "bin/starexec_run_b");
    }

    #[test]
    fn missing_or_malformed_parts_are_errors() {
        let root = directory(&[("README", 0o644, "")]);
        assert!(matches!(opened(&root, &Details::default()), Err(DescribeError::NoCommand(_))));
        let text = "name = 'x'\nversion = '2'\nteam = 'T'\n[commands]\nsingle-query = ['bin/x', '{benchmark}']";
        let root = directory(&[("entrant.toml", 0o644, text)]);
        assert!(matches!(opened(&root, &Details::default()), Err(DescribeError::NoProgram(..))));
        let root = directory(&[("entrant.toml", 0o644, text), ("bin/x", 0o644, "")]);
        assert!(matches!(opened(&root, &Details::default()), Err(DescribeError::NotExecutable(..))));
        let root = directory(&[("entrant.toml", 0o644, "name = 'x'\nteem = 3")]);
        let error = opened(&root, &Details::default()).unwrap_err().to_string();
        assert!(error.contains("entrant.toml") && error.contains("line 2"), "{error}");
        assert!(matches!(
            open(Path::new("/nowhere"), &Details::default(), root.path()),
            Err(DescribeError::Missing(_))
        ));
    }
}
