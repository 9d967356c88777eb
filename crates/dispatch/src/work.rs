//! The fresh folder that a run starts in (R08-3.11, R08-3.12, R19-5.21).

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// A folder made for one run and removed after it. It is private to its user, and locked while it is in use so that nobody
/// takes it for one that was left behind.
#[derive(Debug)]
pub struct WorkFolder {
    place: Place,
    _lock: File,
}

/// Where one run takes place.
#[derive(Clone, Debug)]
pub struct Place {
    /// All that the run may write to.
    pub root: PathBuf,
    /// The folder to start in.
    pub start: PathBuf,
    /// A folder for what the solver wants to leave.
    pub output: PathBuf,
}

const PREFIX: &str = "agon-run-";

impl WorkFolder {
    /// A folder below the system's folder for temporary files, for a run of the solver with these files.
    ///
    /// A solver that starts in a folder of its own (`bin` under StarExec) finds its files there: the start folder is a
    /// real one, everything in it a link to the solver's file.
    pub fn new(files: &Path, start_in: Option<&str>) -> io::Result<Self> {
        let parent = std::env::temp_dir();
        let named = |error: io::Error| {
            let message = format!("no folder for a run in {}: {error}; TMPDIR names another place", parent.display());
            io::Error::new(error.kind(), message)
        };
        let (root, lock) = locked_folder(&parent).map_err(named)?;
        let (tree, output) = (root.join("solver"), root.join("output"));
        let start = start_in.map_or_else(|| tree.clone(), |below| tree.join(below));
        let folder = Self { place: Place { root, start, output }, _lock: lock };
        let Place { start, output, .. } = &folder.place;
        fs::create_dir(output).map_err(named)?;
        fs::create_dir_all(start).map_err(named)?;
        if let Some(below) = start_in {
            link_all(files, &tree)?;
            link_all(&files.join(below), start)?;
        }
        Ok(folder)
    }

    /// Where the run takes place.
    pub fn place(&self) -> &Place {
        &self.place
    }
}

impl Drop for WorkFolder {
    fn drop(&mut self) {
        let _ = remove(&self.place.root);
    }
}

/// A new folder and the lock on it. Until the lock is there another runner's [`sweep`] may take the folder for one that
/// was left behind; then another is made.
fn locked_folder(parent: &Path) -> io::Result<(PathBuf, File)> {
    loop {
        let root = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent)?.keep();
        let lock = match File::open(&root) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            opened => opened?,
        };
        lock.lock()?;
        let identity = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
        if fs::symlink_metadata(&root).ok().map(identity) == Some(identity(lock.metadata()?)) {
            return Ok((root, lock));
        }
    }
}

/// Removes the folders of runners that are gone.
pub(crate) fn sweep() {
    for item in fs::read_dir(std::env::temp_dir()).into_iter().flatten().flatten() {
        let is_ours = item.file_name().to_string_lossy().starts_with(PREFIX);
        if is_ours && File::open(item.path()).is_ok_and(|folder| folder.try_lock().is_ok()) {
            let _ = remove(&item.path());
        }
    }
}

fn link_all(from: &Path, to: &Path) -> io::Result<()> {
    for item in fs::read_dir(from)? {
        let item = item?;
        let link = to.join(item.file_name());
        if !link.exists() {
            symlink(item.path(), link)?;
        }
    }
    Ok(())
}

/// Removes whatever is there, also where a solver has taken away its own rights or left a file in place of a folder.
fn remove(place: &Path) -> io::Result<()> {
    match fs::symlink_metadata(place) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Ok(metadata) if !metadata.is_dir() => return fs::remove_file(place),
        _ => {}
    }
    if fs::remove_dir_all(place).is_ok() {
        return Ok(());
    }
    let mut folders = vec![place.to_owned()];
    while let Some(folder) = folders.pop() {
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700))?;
        for item in fs::read_dir(&folder)? {
            let item = item?;
            if item.file_type()?.is_dir() {
                folders.push(item.path());
            }
        }
    }
    fs::remove_dir_all(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r08_3_11_nothing_is_left_for_the_next_run() {
        let files = tempfile::tempdir().unwrap();
        let first = WorkFolder::new(files.path(), None).unwrap();
        fs::write(first.place().start.join("cache"), "x").unwrap();
        let place = first.place().clone();
        drop(first);
        assert!(!place.root.exists());
        let second = WorkFolder::new(files.path(), None).unwrap();
        let Place { start, output, .. } = second.place();
        assert_eq!(fs::read_dir(start).unwrap().count() + fs::read_dir(output).unwrap().count(), 0);
    }

    #[test]
    fn a_sweep_takes_no_folder_that_is_being_made() {
        let files = tempfile::tempdir().unwrap();
        let done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|threads| {
            threads.spawn(|| {
                while !done.load(std::sync::atomic::Ordering::Relaxed) {
                    sweep();
                }
            });
            let made: Vec<_> = (0..500).map(|_| WorkFolder::new(files.path(), None)).collect();
            done.store(true, std::sync::atomic::Ordering::Relaxed);
            for folder in made {
                assert!(folder.unwrap().place().output.is_dir());
            }
        });
    }

    #[test]
    fn a_starexec_solver_finds_its_files_around_it() {
        let files = tempfile::tempdir().unwrap();
        fs::create_dir_all(files.path().join("bin")).unwrap();
        fs::create_dir_all(files.path().join("lib")).unwrap();
        fs::write(files.path().join("bin/solver"), "binary").unwrap();
        fs::write(files.path().join("lib/data"), "data").unwrap();
        let work = WorkFolder::new(files.path(), Some("bin")).unwrap();
        let start = &work.place().start;
        assert_eq!(fs::read_to_string(start.join("solver")).unwrap(), "binary");
        assert_eq!(fs::read_to_string(start.join("../lib/data")).unwrap(), "data");
        fs::write(start.join("new"), "x").unwrap();
        assert!(!files.path().join("bin/new").exists());
    }

    #[test]
    fn folders_without_rights_and_files_in_their_place_are_removed_all_the_same() {
        let files = tempfile::tempdir().unwrap();
        let work = WorkFolder::new(files.path(), None).unwrap();
        let place = work.place().clone();
        fs::create_dir_all(place.start.join("a/b")).unwrap();
        fs::set_permissions(place.start.join("a"), fs::Permissions::from_mode(0o000)).unwrap();
        drop(work);
        assert!(!place.root.exists());
        let work = WorkFolder::new(files.path(), None).unwrap();
        let place = work.place().clone();
        fs::remove_dir_all(&place.root).unwrap();
        fs::write(&place.root, "").unwrap();
        drop(work);
        assert!(!place.root.exists());
    }

    #[test]
    fn what_is_in_use_is_not_swept() {
        let left_behind = tempfile::Builder::new().prefix(PREFIX).tempdir().unwrap().keep();
        let work = WorkFolder::new(left_behind.as_path(), None).unwrap();
        sweep();
        assert!(work.place().root.exists() && !left_behind.exists());
    }
}
