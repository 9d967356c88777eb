//! The files that an argument names: a file, a directory, a pattern, an archive, or standard input.

use crate::ImportError;
use crate::source::{Packing, Source};
use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Component, Path, PathBuf};

/// How a file came to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    /// The user named it, or a pattern matched it.
    Itself,
    /// It is in a directory or an archive that the user named. Files that are not results are skipped there.
    ByItsPlace,
}

/// What is done with each file.
type Visit<'a> = dyn FnMut(&Path, Named, Source) -> Result<(), ImportError> + 'a;

/// Calls `visit` for each file that an argument names, in the order of their names.
pub(crate) fn each_file(argument: &Path, visit: &mut Visit<'_>) -> Result<(), ImportError> {
    if argument == Path::new("-") {
        return each_in(argument, Named::Itself, Box::new(io::stdin()), visit);
    }
    if argument.is_dir() {
        let mut files = vec![];
        files_below(argument, &mut files)?;
        return files.iter().try_for_each(|file| open(file, Named::ByItsPlace, visit));
    }
    let matches = if argument.exists() { vec![] } else { matching(argument)? };
    if matches.is_empty() {
        return open(argument, Named::Itself, visit);
    }
    matches.iter().try_for_each(|found| each_file(found, visit))
}

/// The files that match a pattern such as `jobs/*.csv`, or none if it is not a pattern.
fn matching(pattern: &Path) -> Result<Vec<PathBuf>, ImportError> {
    let Some(text) = pattern.to_str().filter(|text| text.contains(['*', '?', '['])) else { return Ok(vec![]) };
    let strange = |message: String| ImportError::NotResults(pattern.to_owned(), message);
    let found = glob::glob(text).map_err(|error| strange(format!("invalid pattern: {error}")))?;
    let found: Vec<PathBuf> = found.filter_map(Result::ok).collect();
    if found.is_empty() { Err(strange("no file matches this pattern".into())) } else { Ok(found) }
}

fn files_below(directory: &Path, files: &mut Vec<PathBuf>) -> Result<(), ImportError> {
    let failed = |error: io::Error| ImportError::Io(directory.to_owned(), error);
    let mut entries: Vec<PathBuf> = vec![];
    for entry in fs::read_dir(directory).map_err(failed)? {
        entries.push(entry.map_err(failed)?.path());
    }
    entries.sort_unstable();
    for entry in entries {
        let is_hidden = entry.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        // Links to directories could lead in circles.
        let is_directory = entry.symlink_metadata().is_ok_and(|data| data.is_dir());
        if is_directory && !is_hidden {
            files_below(&entry, files)?;
        } else if entry.is_file() && !is_hidden {
            files.push(entry);
        }
    }
    Ok(())
}

fn open(file: &Path, named: Named, visit: &mut Visit<'_>) -> Result<(), ImportError> {
    let failed = |error: io::Error| ImportError::Io(file.to_owned(), error);
    let opened = File::open(file).map_err(failed)?;
    each_in(file, named, Box::new(opened), visit)
}

/// Visits a stream, or each file in it if it is an archive.
fn each_in(file: &Path, named: Named, stream: Box<dyn Read>, visit: &mut Visit<'_>) -> Result<(), ImportError> {
    let failed = |error: io::Error| ImportError::Io(file.to_owned(), error);
    let mut source = Source::open(stream).map_err(failed)?;
    match source.packing().map_err(failed)? {
        Packing::None => visit(file, named, source),
        Packing::Tar => {
            let mut archive = tar::Archive::new(source);
            for entry in archive.entries().map_err(failed)? {
                let entry = entry.map_err(failed)?;
                if entry.header().entry_type().is_file() {
                    let name = inside(file, &entry.path().map_err(failed)?);
                    // A member cannot outlive the archive, so it is read into memory.
                    visit(&name, Named::ByItsPlace, member(entry).map_err(failed)?)?;
                }
            }
            Ok(())
        }
        Packing::Zip => {
            let damaged = |error: zip::result::ZipError| ImportError::NotResults(file.to_owned(), error.to_string());
            // The directory of a zip archive is at its end.
            if file == Path::new("-") {
                let message = "a zip archive cannot be read from standard input; name its file";
                return Err(ImportError::NotResults(file.to_owned(), message.into()));
            }
            let reader = BufReader::new(File::open(file).map_err(failed)?);
            let mut archive = zip::ZipArchive::new(reader).map_err(damaged)?;
            if archive.has_duplicate_names() {
                // Only one of them could be read.
                let message = "two files in the archive have the same name";
                return Err(ImportError::NotResults(file.to_owned(), message.into()));
            }
            let mut members: Vec<(String, usize)> = vec![];
            for at in 0..archive.len() {
                members.push((archive.by_index_raw(at).map_err(damaged)?.name().map_err(damaged)?.into_owned(), at));
            }
            members.sort_unstable();
            for (name, at) in members.iter().filter(|(name, _)| !name.ends_with('/') && !name.starts_with("__MACOSX")) {
                let entry = archive.by_index(*at).map_err(damaged)?;
                visit(&inside(file, Path::new(name)), Named::ByItsPlace, member(entry).map_err(failed)?)?;
            }
            Ok(())
        }
    }
}

/// The name of a member for messages: below its archive, whatever it calls itself.
fn inside(archive: &Path, member: &Path) -> PathBuf {
    let mut name = archive.to_owned();
    name.extend(member.components().filter(|part| matches!(part, Component::Normal(_))));
    name
}

/// The longest member of an archive that is read: no table of results comes near it.
const LONGEST_MEMBER: u64 = 4 << 30;

fn member(entry: impl Read) -> io::Result<Source> {
    let mut bytes = vec![];
    entry.take(LONGEST_MEMBER + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LONGEST_MEMBER {
        return Err(io::Error::other("a file in the archive is longer than 4 GB"));
    }
    Source::open(Box::new(io::Cursor::new(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    /// The names and texts that an argument leads to.
    fn read(argument: &Path) -> Vec<(String, String)> {
        let mut found = vec![];
        each_file(argument, &mut |file, _, mut source| {
            let mut text = String::new();
            source.read_to_string(&mut text).unwrap();
            found.push((file.file_name().unwrap().to_str().unwrap().to_owned(), text));
            Ok(())
        })
        .unwrap();
        found
    }

    #[test]
    fn directories_patterns_and_archives_stand_for_their_files() {
        let root = tempfile::tempdir().unwrap();
        let path = |name: &str| root.path().join(name);
        fs::create_dir_all(path("d/inner")).unwrap();
        fs::write(path("d/b.csv"), "two").unwrap();
        fs::write(path("d/inner/a.csv"), "one").unwrap();
        fs::write(path("d/.hidden"), "no").unwrap();
        let expected = [("b.csv".to_owned(), "two".to_owned()), ("a.csv".to_owned(), "one".to_owned())];
        assert_eq!(read(&path("d")), expected);
        assert_eq!(read(&path("d/*.csv")), expected[..1]);
        assert_eq!(read(&path("d/**/*.csv")), expected);
        let mut archive = zip::ZipWriter::new(File::create(path("d.zip")).unwrap());
        let options = zip::write::SimpleFileOptions::default();
        for (name, text) in [("d/b.csv", "two"), ("d/inner/a.csv", "one")] {
            archive.start_file(name, options).unwrap();
            archive.write_all(text.as_bytes()).unwrap();
        }
        archive.finish().unwrap();
        assert_eq!(read(&path("d.zip")), expected);
        let packed =
            flate2::write::GzEncoder::new(File::create(path("d.tar.gz")).unwrap(), flate2::Compression::fast());
        let mut archive = tar::Builder::new(packed);
        archive.append_path_with_name(path("d/b.csv"), "b.csv").unwrap();
        archive.append_path_with_name(path("d/inner/a.csv"), "a.csv").unwrap();
        archive.into_inner().unwrap().finish().unwrap();
        assert_eq!(read(&path("d.tar.gz")), expected);
        let missing = each_file(&path("none*.csv"), &mut |_, _, _| Ok(())).unwrap_err().to_string();
        assert!(missing.contains("no file matches this pattern"), "{missing}");
    }
}
