//! A bare program as an entrant: no archive, no description.

use crate::{Catalogue, DescribeError, Details};
use agon_domain::{Digest, EntrantName, Submission, Track};
use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// The tracks in which a solver reads the benchmark from a file, as opposed to stdin.
const FILE_TRACKS: [Track; 3] = [Track::SingleQuery, Track::UnsatCore, Track::ModelValidation];

/// A command that the user gives for a bare program: for one track, or for all tracks in which solvers read files.
/// `{program}` is replaced with the program's path; if it is absent, the program comes first.
pub type GivenCommand = (Option<Track>, Vec<String>);

/// Whether a file is a program: an ELF binary, or a script with an interpreter line.
pub(crate) fn is_program(file: &Path) -> bool {
    let mut start = [0; 4];
    let read = fs::File::open(file).and_then(|mut file| file.read(&mut start));
    read.is_ok_and(|count| start[..count].starts_with(b"\x7fELF") || start[..count].starts_with(b"#!"))
}

/// Copies a program into an empty directory and describes it. A solver in the catalogue gets the arguments listed
/// there; any other gets the benchmark's file as its only argument.
pub(crate) fn describe_program(source: &Path, details: &Details, into: &Path) -> Result<Submission, DescribeError> {
    let io = |error| DescribeError::Io(source.to_owned(), error);
    let file = source.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let name = match &details.name {
        Some(name) => name.clone(),
        None => EntrantName::try_from(file.clone()).map_err(|e| DescribeError::Rule(source.to_owned(), e))?,
    };
    let bytes = fs::read(source).map_err(io)?;
    let program = format!("bin/{file}");
    let place = into.join(&program);
    fs::create_dir_all(into.join("bin")).and_then(|()| fs::write(&place, &bytes)).map_err(io)?;
    fs::set_permissions(&place, fs::Permissions::from_mode(0o755)).map_err(io)?;
    let commands = if details.commands.is_empty() {
        usual_commands(&file, &program)
    } else {
        given_commands(&details.commands, &program)
    };
    let version = format!("sha256-{}", Digest::of(&bytes).short());
    let team = name.to_string();
    Ok(Submission { commands, ..Submission::new(name, &version, &team, vec![]) })
}

fn usual_commands(file: &str, program: &str) -> BTreeMap<Track, Vec<String>> {
    let plain = || vec![program.to_owned(), "{benchmark}".to_owned()];
    let mut commands: BTreeMap<Track, Vec<String>> = FILE_TRACKS.into_iter().map(|track| (track, plain())).collect();
    let name = if file == "yices-smt2" { "yices" } else { file };
    if let Some(recipe) = Catalogue::built_in().get(name) {
        for (track, arguments) in &recipe.arguments {
            if arguments.is_empty() {
                commands.remove(track);
            } else {
                commands.insert(*track, std::iter::once(program.to_owned()).chain(arguments.iter().cloned()).collect());
            }
        }
    }
    commands
}

fn given_commands(given: &[GivenCommand], program: &str) -> BTreeMap<Track, Vec<String>> {
    let mut commands = BTreeMap::new();
    for (track, words) in given {
        let has_program = words.iter().any(|word| word.contains("{program}"));
        let words = words.iter().map(|word| word.replace("{program}", program));
        let start = (!has_program).then(|| program.to_owned());
        let command: Vec<String> = start.into_iter().chain(words).collect();
        match track {
            Some(track) => _ = commands.insert(*track, command),
            None => commands.extend(FILE_TRACKS.map(|track| (track, command.clone()))),
        }
    }
    commands
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_program_is_an_entrant() {
        let root = tempfile::tempdir().unwrap();
        let program = root.path().join("mine");
        fs::write(&program, "#!/bin/sh\necho sat\n").unwrap();
        let open = |details: &Details, into: &str| crate::open(&program, details, &root.path().join(into)).unwrap();
        fs::create_dir(root.path().join("a")).unwrap();
        let entrant = open(&Details::default(), "a");
        assert_eq!(entrant.name.as_str(), "mine");
        assert_eq!(entrant.commands[&Track::ModelValidation], ["bin/mine", "{benchmark}"]);
        assert!(!entrant.commands.contains_key(&Track::Incremental));
        assert!(root.path().join("a/bin/mine").is_file());
        let words = |text: &str| text.split(' ').map(str::to_owned).collect();
        let given = vec![(None, words("--smt2 {benchmark}")), (Some(Track::Incremental), words("{program} -in"))];
        fs::create_dir(root.path().join("b")).unwrap();
        let entrant = open(&Details { commands: given, ..Details::default() }, "b");
        assert_eq!(entrant.commands[&Track::SingleQuery], ["bin/mine", "--smt2", "{benchmark}"]);
        assert_eq!(entrant.commands[&Track::Incremental], ["bin/mine", "-in"]);
    }

    #[test]
    fn a_solver_in_the_catalogue_gets_its_arguments() {
        let commands = usual_commands("z3", "bin/z3");
        assert_eq!(commands[&Track::SingleQuery], ["bin/z3", "{benchmark}"]);
        assert_eq!(commands[&Track::Incremental], ["bin/z3", "-in"]);
    }
}
