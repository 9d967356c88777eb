//! Unpacks untrusted archives.

use crate::tree::stays_inside;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::os::unix::fs::{OpenOptionsExt, symlink};
use std::path::{Component, Path, PathBuf};

/// The largest number of members in an archive.
const MAX_FILES: u64 = 200_000;

/// The largest unpacked size of an archive.
const MAX_BYTES: u64 = 16 << 30;

/// The reason why an archive was not unpacked.
#[derive(Debug, thiserror::Error)]
pub enum UnpackError {
    /// The file is not a supported archive.
    #[error("{0} is not a supported archive; use .zip, .tar, .tar.gz, .tar.bz2, .tar.xz or .tar.zst")]
    Kind(PathBuf),
    /// A member's path or link target leads out of the directory.
    #[error("{0}: the member '{1}' leads out of the archive's directory; pack it with relative paths only")]
    Outside(PathBuf, String),
    /// A member is not a file, directory or symbolic link.
    #[error("{0}: the member '{1}' is not a file, directory or symbolic link; leave it out")]
    Special(PathBuf, String),
    /// Two members have the same path.
    #[error("{0}: two members have the path '{1}'")]
    Twice(PathBuf, String),
    /// The archive's content is too large.
    #[error("{0} contains more than {MAX_FILES} files or {MAX_BYTES} bytes")]
    TooLarge(PathBuf),
    /// The archive is truncated or corrupt.
    #[error("{0} cannot be unpacked: {1}")]
    Broken(PathBuf, io::Error),
}

/// Unpacks an archive into an empty directory. Nothing outside the directory is touched, whatever the archive contains.
pub fn unpack(archive: &Path, directory: &Path) -> Result<(), UnpackError> {
    let broken = |error| UnpackError::Broken(archive.to_owned(), error);
    let mut reader = BufReader::new(File::open(archive).map_err(broken)?);
    let start = reader.fill_buf().map_err(broken)?.to_vec();
    let mut target = Target { archive, directory, files: 0, bytes: 0 };
    if start.starts_with(b"PK\x03\x04") || start.starts_with(b"PK\x05\x06") {
        return target.zip(reader);
    }
    let plain: Box<dyn Read> = if start.starts_with(&[0x1f, 0x8b]) {
        Box::new(flate2::bufread::MultiGzDecoder::new(reader))
    } else if start.starts_with(b"BZh") {
        Box::new(bzip2::bufread::MultiBzDecoder::new(reader))
    } else if start.starts_with(&[0xfd, b'7', b'z', b'X', b'Z', 0]) {
        Box::new(liblzma::bufread::XzDecoder::new_multi_decoder(reader))
    } else if start.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        Box::new(zstd::stream::read::Decoder::with_buffer(reader).map_err(broken)?)
    } else if start.get(257..262) == Some(b"ustar") {
        Box::new(reader)
    } else {
        return Err(UnpackError::Kind(archive.to_owned()));
    };
    target.tar(plain)
}

struct Target<'a> {
    archive: &'a Path,
    directory: &'a Path,
    files: u64,
    bytes: u64,
}

enum Member {
    Folder,
    File { executable: bool },
    Link(PathBuf),
}

impl Target<'_> {
    fn tar(&mut self, reader: impl Read) -> Result<(), UnpackError> {
        let broken = |error| UnpackError::Broken(self.archive.to_owned(), error);
        let mut archive = tar::Archive::new(reader);
        for member in archive.entries().map_err(broken)? {
            let mut member = member.map_err(broken)?;
            let path = member.path().map_err(broken)?.into_owned();
            let kind = match member.header().entry_type() {
                tar::EntryType::Directory => Member::Folder,
                tar::EntryType::Regular | tar::EntryType::Continuous | tar::EntryType::GNUSparse => {
                    Member::File { executable: member.header().mode().map_err(broken)? & 0o111 != 0 }
                }
                tar::EntryType::Symlink => {
                    Member::Link(member.link_name().map_err(broken)?.unwrap_or_default().into_owned())
                }
                tar::EntryType::XGlobalHeader => continue,
                _ => return Err(UnpackError::Special(self.archive.to_owned(), path.display().to_string())),
            };
            self.place(&path, kind, &mut member)?;
        }
        Ok(())
    }

    fn zip(&mut self, reader: impl Read + Seek) -> Result<(), UnpackError> {
        let broken = |error: zip::result::ZipError| UnpackError::Broken(self.archive.to_owned(), error.into());
        let mut archive = zip::ZipArchive::new(reader).map_err(broken)?;
        for at in 0..archive.len() {
            let mut member = archive.by_index(at).map_err(broken)?;
            let path = PathBuf::from(member.name().map_err(broken)?.into_owned());
            let mode = member.unix_mode().unwrap_or(0o644);
            let kind = match mode & 0o170_000 {
                0o120_000 => {
                    let mut target = String::new();
                    let read = (&mut member).take(4096).read_to_string(&mut target);
                    read.map_err(|error| UnpackError::Broken(self.archive.to_owned(), error))?;
                    Member::Link(PathBuf::from(target))
                }
                _ if member.is_dir() => Member::Folder,
                0 | 0o100_000 => Member::File { executable: mode & 0o111 != 0 },
                _ => return Err(UnpackError::Special(self.archive.to_owned(), path.display().to_string())),
            };
            self.place(&path, kind, &mut member)?;
        }
        Ok(())
    }

    /// Writes one member. Fails if its path or link target leads out of the directory.
    fn place(&mut self, path: &Path, kind: Member, content: &mut impl Read) -> Result<(), UnpackError> {
        let outside = || UnpackError::Outside(self.archive.to_owned(), path.display().to_string());
        let broken = |error| UnpackError::Broken(self.archive.to_owned(), error);
        let inside = inside(path).ok_or_else(outside)?;
        if inside.as_os_str().is_empty() {
            return Ok(());
        }
        let place = self.directory.join(&inside);
        // A parent directory that is a link could lead out of the directory.
        let mut way = self.directory.to_owned();
        for part in inside.parent().into_iter().flat_map(Path::components) {
            way.push(part);
            if way.is_symlink() {
                return Err(outside());
            }
        }
        fs::create_dir_all(place.parent().unwrap_or(self.directory)).map_err(broken)?;
        self.files += 1;
        match kind {
            Member::Folder if place.is_symlink() => return Err(outside()),
            Member::Folder => fs::create_dir_all(&place).map_err(broken)?,
            Member::Link(target) => {
                if !stays_inside(inside.parent().unwrap_or(Path::new("")), &target) {
                    return Err(outside());
                }
                symlink(target, &place).map_err(|error| self.once(path, error))?;
            }
            Member::File { executable } => {
                let mode = if executable { 0o755 } else { 0o644 };
                let mut options = OpenOptions::new();
                // create_new does not follow an existing link.
                let file = options.write(true).create_new(true).mode(mode).open(&place);
                let mut file = file.map_err(|error| self.once(path, error))?;
                let room = MAX_BYTES.saturating_sub(self.bytes) + 1;
                self.bytes += io::copy(&mut content.take(room), &mut file).map_err(broken)?;
            }
        }
        if self.files > MAX_FILES || self.bytes > MAX_BYTES {
            return Err(UnpackError::TooLarge(self.archive.to_owned()));
        }
        Ok(())
    }

    /// The error for a member that could not be created: `Twice` if its path already exists.
    fn once(&self, path: &Path, error: io::Error) -> UnpackError {
        match error.kind() {
            io::ErrorKind::AlreadyExists => UnpackError::Twice(self.archive.to_owned(), path.display().to_string()),
            _ => UnpackError::Broken(self.archive.to_owned(), error),
        }
    }
}

/// The path with `.` and `..` resolved, or `None` if it leads out of the directory that it is relative to.
fn inside(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => plain.push(name),
            Component::CurDir => {}
            Component::ParentDir if plain.pop() => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    enum Item<'a> {
        File(&'a str, u32, &'a [u8]),
        Link(&'a str, &'a str),
        Device(&'a str),
    }

    /// A tar with unchecked names, as an attacker would write them.
    fn tar_of(items: &[Item<'_>]) -> Vec<u8> {
        let mut builder = tar::Builder::new(vec![]);
        for item in items {
            let mut header = tar::Header::new_gnu();
            let (name, mode, kind, content, link) = match item {
                Item::File(name, mode, content) => (name, *mode, tar::EntryType::Regular, *content, ""),
                Item::Link(name, target) => (name, 0o777, tar::EntryType::Symlink, &b""[..], *target),
                Item::Device(name) => (name, 0o666, tar::EntryType::Char, &b""[..], ""),
            };
            header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
            header.as_mut_bytes()[157..157 + link.len()].copy_from_slice(link.as_bytes());
            header.set_mode(mode);
            header.set_entry_type(kind);
            header.set_size(content.len() as u64);
            header.set_cksum();
            builder.append(&header, content).unwrap();
        }
        builder.into_inner().unwrap()
    }

    fn unpacked(archive: &[u8]) -> (tempfile::TempDir, Result<(), UnpackError>) {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("archive");
        fs::write(&file, archive).unwrap();
        let directory = root.path().join("in/here");
        fs::create_dir_all(&directory).unwrap();
        let result = unpack(&file, &directory);
        (root, result)
    }

    #[test]
    fn every_archive_format_unpacks_to_the_same_files() {
        use std::os::unix::fs::PermissionsExt;
        let plain = tar_of(&[Item::File("bin/solver", 0o4755, b"x"), Item::Link("bin/alias", "solver")]);
        let gz = {
            let mut encoder = flate2::write::GzEncoder::new(vec![], flate2::Compression::fast());
            encoder.write_all(&plain).unwrap();
            encoder.finish().unwrap()
        };
        let bz = {
            let mut encoder = bzip2::write::BzEncoder::new(vec![], bzip2::Compression::fast());
            encoder.write_all(&plain).unwrap();
            encoder.finish().unwrap()
        };
        let xz = {
            let mut encoder = liblzma::write::XzEncoder::new(vec![], 1);
            encoder.write_all(&plain).unwrap();
            encoder.finish().unwrap()
        };
        let zip = {
            let mut writer = zip::ZipWriter::new(io::Cursor::new(vec![]));
            let options = zip::write::SimpleFileOptions::default().unix_permissions(0o4755);
            writer.start_file("bin/solver", options).unwrap();
            writer.write_all(b"x").unwrap();
            writer.add_symlink("bin/alias", "solver", options).unwrap();
            writer.finish().unwrap().into_inner()
        };
        let zst = zstd::encode_all(plain.as_slice(), 1).unwrap();
        for archive in [plain, gz, bz, xz, zst, zip] {
            let (root, result) = unpacked(&archive);
            result.unwrap();
            let solver = root.path().join("in/here/bin/solver");
            assert_eq!(fs::read(root.path().join("in/here/bin/alias")).unwrap(), b"x");
            // The file is executable, and its set-user-id bit is cleared.
            assert_eq!(fs::metadata(&solver).unwrap().permissions().mode() & 0o7777, 0o755);
        }
    }

    #[test]
    fn archives_that_lead_out_of_the_directory_are_rejected() {
        for items in [
            vec![Item::File("../evil", 0o644, b"x")],
            vec![Item::File("a/../../evil", 0o644, b"x")],
            vec![Item::File("/tmp/agon-evil", 0o644, b"x")],
            vec![Item::Link("out", "../.."), Item::File("out/evil", 0o644, b"x")],
            vec![Item::Link("out", "/tmp"), Item::File("out/agon-evil", 0o644, b"x")],
            vec![Item::Link("a", "b"), Item::File("a/evil", 0o644, b"x")],
            vec![Item::Link("p/q/y", "../.."), Item::Link("p/q/z", "y/..")],
        ] {
            let (root, result) = unpacked(&tar_of(&items));
            assert!(matches!(result, Err(UnpackError::Outside(..))), "{result:?}");
            assert!(!root.path().join("evil").exists() && !root.path().join("in/evil").exists());
            assert!(!Path::new("/tmp/agon-evil").exists());
        }
    }

    #[test]
    fn devices_duplicates_and_corrupt_archives_are_rejected() {
        let (_root, device) = unpacked(&tar_of(&[Item::Device("null")]));
        assert!(matches!(device, Err(UnpackError::Special(..))));
        let (_root, twice) = unpacked(&tar_of(&[Item::File("a", 0o644, b"x"), Item::File("a", 0o644, b"y")]));
        assert!(matches!(twice, Err(UnpackError::Twice(..))));
        let (_root, through) = unpacked(&tar_of(&[Item::Link("a", "b"), Item::File("a", 0o644, b"y")]));
        assert!(matches!(through, Err(UnpackError::Twice(..))));
        let (_root, text) = unpacked(b"just some text");
        assert!(matches!(text, Err(UnpackError::Kind(_))));
        let whole = tar_of(&[Item::File("a", 0o644, &[7; 5000])]);
        let (_root, cut) = unpacked(&zstd::encode_all(&whole[..3000], 1).unwrap());
        assert!(matches!(cut, Err(UnpackError::Broken(..))));
    }
}
