//! Recipes for solvers that are published as archives, outside package registries.

use crate::DescribeError;
use agon_domain::{EntrantName, Logic, Submission, Track};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The facts about a solver that its archive does not state.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Release {
    /// The name of the recipe, and of the solver.
    pub name: EntrantName,
    /// The solver's authors.
    pub team: String,
    /// The solver's license, if its authors state one.
    pub license: Option<String>,
    /// Where the archive is published.
    pub published: String,
    /// The possible file names of the program; the first that exists is used. A `*` matches any characters.
    #[serde(default)]
    programs: Vec<String>,
    /// The command per track; empty if the archive has StarExec's layout.
    #[serde(default)]
    commands: BTreeMap<Track, Vec<String>>,
    /// The divisions that the solver has entered.
    divisions: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    release: Vec<Release>,
}

/// All recipes, in order.
pub fn releases() -> Vec<Release> {
    let File { release } = toml::from_str(include_str!("../releases.toml")).expect("a test parses the recipes");
    release
}

impl Release {
    /// The recipe with this name.
    pub fn named(name: &str) -> Option<Self> {
        releases().into_iter().find(|release| release.name.as_str() == name)
    }

    /// Whether an archive needs StarExec's layout, because the recipe has no command.
    pub(crate) fn needs_starexec(&self) -> bool {
        self.commands.is_empty()
    }

    /// Adds the facts of the recipe to an entrant that was described by its archive.
    pub(crate) fn complete(&self, entrant: Submission) -> Submission {
        let logics: Vec<Logic> = self.divisions.iter().cloned().map(Logic).collect();
        Submission {
            name: self.name.clone(),
            team: self.team.clone(),
            license: self.license.clone(),
            website: Some(self.published.clone()),
            logics: entrant.commands.keys().map(|track| (*track, logics.clone())).collect(),
            ..entrant
        }
    }

    /// Describes an archive without StarExec's layout: finds the program and fills in the commands.
    pub(crate) fn describe(&self, source: &Path, directory: &Path) -> Result<Submission, DescribeError> {
        let io = |error| DescribeError::Io(source.to_owned(), error);
        let files = files_below(directory).map_err(io)?;
        let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let found = self.programs.iter().find_map(|pattern| files.iter().find(|path| matches(pattern, &name(path))));
        let program = found.ok_or_else(|| DescribeError::NoRecipeProgram {
            archive: source.to_owned(),
            recipe: self.name.to_string(),
            programs: self.programs.join(", "),
        })?;
        let start = if program.extension().is_some_and(|end| end == "jar") {
            start_of_jar(directory, program).map_err(io)?
        } else {
            let file = directory.join(program);
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).map_err(io)?;
            program.to_string_lossy().into_owned()
        };
        let filled = |command: &Vec<String>| command.iter().map(|word| word.replace("{program}", &start)).collect();
        let commands = self.commands.iter().map(|(track, command)| (*track, filled(command))).collect();
        Ok(Submission { commands, ..Submission::new(self.name.clone(), "unstated", &self.team, vec![]) })
    }
}

/// The files below a directory, by relative path; those closest to the root come first.
fn files_below(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let (mut files, mut directories) = (vec![], vec![PathBuf::new()]);
    while let Some(next) = directories.pop() {
        for item in fs::read_dir(directory.join(&next))? {
            let item = item?;
            let (kind, path) = (item.file_type()?, next.join(item.file_name()));
            if kind.is_dir() {
                directories.push(path);
            } else if kind.is_file() {
                files.push(path);
            }
        }
    }
    files.sort_by_cached_key(|path| (path.components().count(), path.clone()));
    Ok(files)
}

/// Whether a file name matches a pattern with at most one `*`.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        Some((start, end)) => name.len() >= pattern.len() - 1 && name.starts_with(start) && name.ends_with(end),
        None => pattern == name,
    }
}

/// Writes a script that starts a jar file, and returns its path.
fn start_of_jar(directory: &Path, jar: &Path) -> io::Result<String> {
    let start = "bin/start-java";
    let file = directory.join(start);
    fs::create_dir_all(directory.join("bin"))?;
    let quoted = jar.to_string_lossy().replace('\'', "'\\''");
    fs::write(&file, format!("#!/bin/sh\nexec java -jar \"$(dirname \"$0\")\"/../'{quoted}' \"$@\"\n"))?;
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755))?;
    Ok(start.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Details, open};

    #[test]
    fn every_recipe_can_be_followed() {
        let all = releases();
        assert!(all.len() >= 13);
        for release in &all {
            assert!(release.needs_starexec() || !release.programs.is_empty(), "{}", release.name);
            assert!(!release.divisions.is_empty() && release.published.starts_with("https://"), "{}", release.name);
            for command in release.commands.values() {
                assert_eq!(command[0], "{program}", "{}", release.name);
            }
        }
    }

    #[test]
    fn a_published_archive_is_entered_by_its_recipe() {
        let root = tempfile::tempdir().unwrap();
        let tree = root.path().join("mathsat-5.6");
        fs::create_dir_all(tree.join("bin")).unwrap();
        fs::write(tree.join("bin/mathsat"), "#!/bin/sh\n").unwrap();
        let details = |recipe: &str| Details {
            recipe: Release::named(recipe),
            version: Some("5.6".into()),
            ..Details::default()
        };
        let entrant = open(&tree, &details("mathsat"), &root.path().join("one")).unwrap();
        assert_eq!((entrant.name.as_str(), entrant.version.as_str()), ("mathsat", "5.6"));
        assert_eq!(entrant.commands[&Track::Incremental], ["bin/mathsat", "-input=smt2"]);
        assert!(entrant.logics[&Track::SingleQuery].contains(&Logic("QF_FP".into())));
        // The wrong archive, and one that needs StarExec's layout.
        let error = open(&tree, &details("opensmt"), &root.path().join("two")).unwrap_err().to_string();
        assert!(error.contains("no program called opensmt"), "{error}");
        let error = open(&tree, &details("s2s"), &root.path().join("three")).unwrap_err().to_string();
        assert!(error.contains("starexec_run_"), "{error}");
        fs::write(tree.join("bin/starexec_run_sl"), "#!/bin/sh\n").unwrap();
        let entrant = open(&tree, &details("s2s"), &root.path().join("four")).unwrap();
        assert_eq!(entrant.commands[&Track::SingleQuery][0], "bin/starexec_run_sl");
        assert_eq!(entrant.logics[&Track::SingleQuery].len(), 9);
    }

    #[test]
    fn a_jar_file_gets_a_start_script() {
        let root = tempfile::tempdir().unwrap();
        let tree = root.path().join("it's");
        fs::create_dir_all(&tree).unwrap();
        fs::write(tree.join("smtinterpol-2.5.jar"), "").unwrap();
        let details = Details { recipe: Release::named("smtinterpol"), ..Details::default() };
        let entrant = open(&tree, &details, &root.path().join("into")).unwrap();
        assert_eq!(entrant.commands[&Track::SingleQuery], ["bin/start-java", "-q", "{benchmark}"]);
        let script = fs::read_to_string(root.path().join("into/bin/start-java")).unwrap();
        assert!(script.contains("java -jar") && script.contains("'smtinterpol-2.5.jar'"), "{script}");
        assert!(matches("a*.jar", "ab.jar") && !matches("a*.jar", "b.jar") && !matches("ab*b", "ab"));
    }
}
