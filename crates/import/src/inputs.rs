//! The files that an argument names: a file, a directory, a pattern, an archive, or standard input.

use crate::ImportError;
use crate::source::{Packing, Source};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Component, Path, PathBuf};

/// How the user named a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    /// By its own name, or by a pattern that matches it.
    Itself,
    /// By the directory or archive that contains it. A file that is not results is then skipped.
    ByItsPlace,
}

/// The function that is called for each file.
type Visit<'a> = dyn FnMut(&Path, Named, Source) -> Result<(), ImportError> + 'a;

/// Files that are not read, each with the reason.
pub(crate) type Unread = Vec<(PathBuf, String)>;

/// Calls `visit` for each file that an argument names, in the order of their names.
pub(crate) fn each_file(argument: &Path, visit: &mut Visit<'_>, unread: &mut Unread) -> Result<(), ImportError> {
    if argument == Path::new("-") {
        return each_in(argument, Named::Itself, Box::new(io::stdin()), visit);
    }
    let mut files: BTreeMap<PathBuf, Named> = BTreeMap::new();
    if argument.is_dir() {
        files_below(argument, &mut files, unread)?;
    } else if argument.exists() {
        files.insert(argument.to_owned(), Named::Itself);
    } else {
        // A pattern may match a directory and the files in it.
        for found in matching(argument)? {
            if found.is_dir() {
                files_below(&found, &mut files, unread)?;
            } else {
                files.insert(found, Named::Itself);
            }
        }
    }
    if files.is_empty() && !argument.is_dir() {
        return open(argument, Named::Itself, visit);
    }
    files.iter().try_for_each(|(file, named)| open(file, *named, visit))
}

/// The files that match a pattern such as `jobs/*.csv`. Empty if the argument is not a pattern; an error if it is one
/// and matches nothing.
fn matching(pattern: &Path) -> Result<Vec<PathBuf>, ImportError> {
    let Some(text) = pattern.to_str().filter(|text| text.contains(['*', '?', '['])) else { return Ok(vec![]) };
    let strange = |message: String| ImportError::NotResults(pattern.to_owned(), message);
    // In a shell a final `**` also matches files.
    let text = if text.ends_with("/**") { format!("{text}/*") } else { text.to_owned() };
    let options = glob::MatchOptions { require_literal_leading_dot: true, ..glob::MatchOptions::new() };
    let found = glob::glob_with(&text, options).map_err(|error| strange(format!("invalid pattern: {error}")))?;
    let found: Vec<PathBuf> = found.filter_map(Result::ok).collect();
    if found.is_empty() { Err(strange("no file matches this pattern".into())) } else { Ok(found) }
}

/// Collects the files below a directory, except hidden ones.
fn files_below(directory: &Path, files: &mut BTreeMap<PathBuf, Named>, unread: &mut Unread) -> Result<(), ImportError> {
    let failed = |error: io::Error| ImportError::Io(directory.to_owned(), error);
    let mut entries: Vec<PathBuf> = vec![];
    for entry in fs::read_dir(directory).map_err(failed)? {
        entries.push(entry.map_err(failed)?.path());
    }
    entries.sort_unstable();
    for entry in entries {
        if entry.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.')) {
            continue;
        }
        if entry.symlink_metadata().is_ok_and(|data| data.is_dir()) {
            files_below(&entry, files, unread)?;
        } else if entry.is_file() {
            files.entry(entry).or_insert(Named::ByItsPlace);
        } else if entry.is_dir() {
            unread.push((entry, "a link to a directory; name the directory itself".to_owned()));
        } else {
            unread.push((entry, "a broken link, or not a file".to_owned()));
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
            // A zip archive has its directory at the end, so it has to be a file.
            if !file.is_file() {
                let message = "a zip archive cannot be read from standard input or a pipe; name its file";
                return Err(ImportError::NotResults(file.to_owned(), message.into()));
            }
            let mut reader = BufReader::new(File::open(file).map_err(failed)?);
            if !reader.fill_buf().map_err(failed)?.starts_with(b"PK") {
                let message = "a zip archive that is itself compressed; decompress it first";
                return Err(ImportError::NotResults(file.to_owned(), message.into()));
            }
            let mut archive = zip::ZipArchive::new(reader).map_err(damaged)?;
            if archive.has_duplicate_names() {
                // The archive reader can open only one of several files with the same name.
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

/// The name of an archive's member for messages: always below the archive, even if its path is absolute or has `..`.
fn inside(archive: &Path, member: &Path) -> PathBuf {
    let mut name = archive.to_owned();
    name.extend(member.components().filter(|part| matches!(part, Component::Normal(_))));
    name
}

/// The size limit for a member of an archive, far above the size of any table of results.
const LONGEST_MEMBER: u64 = 4 << 30;

/// Reads a member of an archive into memory.
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

    /// The names and contents of the files that an argument names.
    fn read(argument: &Path) -> Vec<(String, String)> {
        let mut found = vec![];
        each_file(
            argument,
            &mut |file, _, mut source| {
                let mut text = String::new();
                source.read_to_string(&mut text).unwrap();
                found.push((file.file_name().unwrap().to_str().unwrap().to_owned(), text));
                Ok(())
            },
            &mut vec![],
        )
        .unwrap();
        found
    }

    #[test]
    fn directories_patterns_and_archives_mean_the_files_in_them() {
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
        assert_eq!(read(&path("d/**")), expected);
        assert_eq!(read(&path("d/**/*")), expected);
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
        let missing = each_file(&path("none*.csv"), &mut |_, _, _| Ok(()), &mut vec![]).unwrap_err().to_string();
        assert!(missing.contains("no file matches this pattern"), "{missing}");
    }
}
