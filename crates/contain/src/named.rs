//! The files that a command line names, and those that a program needs. A run of `agon exec` sees them without further
//! options.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Directories that contain the programs of an installation.
const OF_PROGRAMS: [&str; 4] = ["bin", "libexec", "sbin", "shims"];

/// Directories that contain the libraries and data of an installation.
const OF_LIBRARIES: [&str; 4] = ["lib", "lib32", "lib64", "share"];

/// The maximum number of files to find; each has to be mounted.
const MOST: usize = 200;

/// The files that a command line names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// All named files, by absolute path.
    pub files: Vec<PathBuf>,
    /// The files named by a relative path, each with that path.
    pub links: Vec<(PathBuf, PathBuf)>,
}

impl Named {
    /// Finds the files that arguments name, relative to a directory. Absolute paths are also found inside an argument,
    /// for example in an option or a script. Only regular files count: anything else could lead to another process.
    pub fn find(words: &[OsString], here: &Path) -> Self {
        let mut found = Self::default();
        for word in words {
            let path = Path::new(word);
            if path.is_absolute() && path.is_file() {
                found.files.push(path.to_owned());
            } else if !found.add_from(here, path) && !found.add_from(here, value(word)) {
                found.files.extend(paths_in(word).filter(|path| path.is_file()));
            }
        }
        found.files.sort_unstable();
        found.files.dedup();
        found.files.truncate(MOST);
        found
    }

    /// Adds the file of this name relative to a directory, if it is below that directory.
    fn add_from(&mut self, here: &Path, name: &Path) -> bool {
        let plain = name.strip_prefix(".").unwrap_or(name);
        let is_below = plain.components().all(|part| matches!(part, std::path::Component::Normal(_)));
        let file = here.join(plain);
        let is_found = is_below && file.is_file();
        if is_found {
            self.links.push((file.clone(), plain.to_owned()));
            self.files.push(file);
        }
        is_found
    }
}

/// The value of an option: what follows the equals sign.
fn value(word: &OsStr) -> &Path {
    let value = word.as_bytes().splitn(2, |byte| *byte == b'=').nth(1).unwrap_or_default();
    Path::new(OsStr::from_bytes(value))
}

/// The parts of an argument that look like absolute paths.
fn paths_in(word: &OsStr) -> impl Iterator<Item = PathBuf> {
    let ends = |byte: &u8| byte.is_ascii_whitespace() || b"'\"`=:;,|&<>(){}".contains(byte);
    let parts = word.as_bytes().split(ends).filter(|part| part.starts_with(b"/"));
    parts.map(|part| PathBuf::from(OsStr::from_bytes(part)))
}

/// The files and directories that a program needs besides itself: the libraries next to it and in its installation; for
/// a script, its directory or installation, and those of the programs it calls.
pub fn needed_by(program: &Path) -> Vec<PathBuf> {
    let real = program.canonicalize().unwrap_or_else(|_| program.to_owned());
    let script = script(&real);
    let mut needed = vec![];
    for program in [program, &real] {
        let Some(directory) = program.parent() else { continue };
        let installation = installation(program);
        match (&script, installation) {
            (Some(_), Some(installation)) => needed.push(installation),
            (Some(_), None) if !is_shared(directory) => needed.push(directory.to_owned()),
            (Some(_), None) => {}
            (None, installation) => {
                let places = [installation.as_deref(), Some(directory).filter(|directory| !is_shared(directory))];
                let parts = places.into_iter().flatten().flat_map(|place| OF_LIBRARIES.map(|part| place.join(part)));
                needed.extend(parts.filter(|part| part.is_dir()));
            }
        }
        needed.extend(libraries(directory));
    }
    needed.extend(called_by(program));
    needed.sort_unstable();
    needed.dedup();
    needed
}

/// The installations of the programs that a start script calls by path, as in `exec '/home/me/python/bin/python3' …`.
/// Includes those that the paths link to.
pub fn called_by(program: &Path) -> Vec<PathBuf> {
    let Some(script) = script(program) else { return vec![] };
    let called = paths_in(OsStr::new(&script)).filter(|path| path.is_file());
    let both = called.flat_map(|path| [path.canonicalize().ok(), Some(path)]);
    let mut installations: Vec<PathBuf> = both.flatten().filter_map(|path| installation(&path)).collect();
    installations.sort_unstable();
    installations.dedup();
    installations
}

/// The beginning of a program's text if it is a script. A start script fits into it.
fn script(program: &Path) -> Option<String> {
    let mut text = vec![];
    fs::File::open(program).ok()?.take(4096).read_to_end(&mut text).ok()?;
    text.starts_with(b"#!").then(|| String::from_utf8_lossy(&text).into_owned())
}

/// The installation of a program: the parent of its `bin` directory, unless unrelated files share that parent.
fn installation(program: &Path) -> Option<PathBuf> {
    let directory = program.parent()?;
    let is_of_programs = OF_PROGRAMS.iter().any(|name| directory.ends_with(name));
    directory.parent().filter(|above| is_of_programs && !is_shared(above)).map(Path::to_owned)
}

/// Whether a directory is shared by unrelated files: a home directory, one for temporary files, or one near the root.
fn is_shared(directory: &Path) -> bool {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let is_near_root = directory.components().count() <= 2;
    is_near_root
        || home.as_deref() == Some(directory)
        || directory.parent() == Some(Path::new("/home"))
        || directory == Path::new("/var/tmp")
}

/// The shared libraries in a directory, at most a few, since each has to be mounted.
fn libraries(directory: &Path) -> Vec<PathBuf> {
    const MOST: usize = 12;
    let items = fs::read_dir(directory).into_iter().flatten().flatten();
    let is_library = |name: &OsStr| {
        let name = name.to_string_lossy();
        name.ends_with(".so") || name.contains(".so.")
    };
    let found = items.filter(|item| is_library(&item.file_name())).map(|item| item.path());
    found.filter(|path| path.is_file()).take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn files_are_found_by_relative_path_and_by_absolute_path_inside_arguments() {
        let here = tempfile::tempdir().unwrap();
        fs::create_dir(here.path().join("sub")).unwrap();
        let (near, deep) = (here.path().join("a.smt2"), here.path().join("sub/b.smt2"));
        fs::write(&near, "").unwrap();
        fs::write(&deep, "").unwrap();
        let script = format!("cat '{}'; cat {}>/dev/null", near.display(), deep.display());
        let words = ["a.smt2", "--in=./sub/b.smt2", "sub", "-in", "../a.smt2", "x="].map(OsString::from);
        let found = Named::find(&words, here.path());
        assert_eq!(found.files, [near.clone(), deep.clone()]);
        assert_eq!(found.links, [(near.clone(), "a.smt2".into()), (deep.clone(), "sub/b.smt2".into())]);
        let found = Named::find(&[script.into(), format!("--in={}", near.display()).into()], Path::new("/"));
        assert_eq!((found.files, found.links), (vec![near, deep], vec![]));
        assert_eq!(Named::find(&["/dev/null".into(), here.path().into()], Path::new("/")), Named::default());
    }

    #[test]
    fn binaries_need_their_libraries_and_scripts_their_installation() {
        let root = tempfile::tempdir().unwrap();
        let file = |path: &str, text: &str| {
            let file = root.path().join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, text).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
            file
        };
        let binary = file("z3/bin/z3", "\u{7f}ELF");
        let beside = file("z3/bin/libz3.so", "");
        file("z3/lib/libgmp.so.10", "");
        file("z3/secret", "");
        assert_eq!(needed_by(&binary), [beside, root.path().join("z3/lib")]);
        file("python/bin/python3", "\u{7f}ELF");
        let start =
            file("solver/run.sh", &format!("#!/bin/sh\nexec '{}/python/bin/python3' x\n", root.path().display()));
        assert_eq!(needed_by(&start), [root.path().join("python"), root.path().join("solver")]);
    }
}
