//! Atomic file writes.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Replaces a file atomically: a reader sees either the old content or the new. After this returns, the new content
/// survives a power failure.
pub fn write_whole(file: &Path, bytes: &[u8]) -> io::Result<()> {
    write(file, bytes, Durability::Synced)
}

/// Replaces a file atomically but without syncing, so that a power failure may lose the new content. For files that can
/// be recreated.
pub fn write_again(file: &Path, bytes: &[u8]) -> io::Result<()> {
    write(file, bytes, Durability::Cached)
}

/// Whether a file survives a power failure.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Durability {
    Synced,
    Cached,
}

/// Writes a file and creates its directory if needed. A file that already has this content is not touched.
fn write(file: &Path, bytes: &[u8], durability: Durability) -> io::Result<()> {
    let same_length = fs::metadata(file).is_ok_and(|there| there.len() == bytes.len() as u64);
    if same_length && fs::read(file).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    let directory = file.parent().unwrap_or_else(|| Path::new("."));
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", file.display()));
    fs::create_dir_all(directory).map_err(named)?;
    let mut draft = tempfile::Builder::new().prefix(".draft-").tempfile_in(directory).map_err(named)?;
    draft.write_all(bytes).map_err(named)?;
    // Temporary files are private to their owner, but the final file must be readable by others.
    draft.as_file().set_permissions(fs::Permissions::from_mode(0o644)).map_err(named)?;
    if durability == Durability::Synced {
        draft.as_file().sync_data().map_err(named)?;
    }
    draft.persist(file).map_err(|error| named(error.error))?;
    if durability == Durability::Synced {
        fs::File::open(directory).and_then(|directory| directory.sync_all()).map_err(named)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_are_created_and_no_temporary_file_is_left() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("a/b/c.txt");
        write_whole(&file, b"one").unwrap();
        write_whole(&file, b"two").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"two");
        assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn a_failure_names_the_file() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("plain"), "").unwrap();
        let error = write_whole(&root.path().join("plain/below"), b"x").unwrap_err();
        assert!(error.to_string().contains("plain/below"), "{error}");
    }
}
