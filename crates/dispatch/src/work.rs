//! The fresh folder that a run starts in (R08-3.11, R08-3.12, R19-5.21).

use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// A slot's folder: emptied before each run, removed with the slot.
#[derive(Debug)]
pub(crate) struct WorkFolder {
    root: PathBuf,
}

impl WorkFolder {
    /// The folder of a slot, below the system's folder for temporary files.
    pub(crate) fn new(slot: usize) -> Self {
        Self { root: std::env::temp_dir().join(format!("{PREFIX}{}-{slot}", std::process::id())) }
    }

    /// Makes everything anew and gives the folder to start in and the one for outputs.
    ///
    /// An entrant that starts in a folder of its own (`bin` under StarExec) finds its files there: the start folder
    /// is a real one, everything in it a link to the entrant's file, so that what it writes stays in here.
    pub(crate) fn renew(&self, files: &Path, start_in: Option<&str>) -> io::Result<(PathBuf, PathBuf)> {
        remove(&self.root)?;
        let (tree, output) = (self.root.join("solver"), self.root.join("output"));
        fs::create_dir_all(&output)?;
        fs::create_dir_all(&tree)?;
        let Some(start_in) = start_in else { return Ok((tree, output)) };
        let start = tree.join(start_in);
        fs::create_dir_all(&start)?;
        link_all(files, &tree)?;
        link_all(&files.join(start_in), &start)?;
        Ok((start, output))
    }
}

impl Drop for WorkFolder {
    fn drop(&mut self) {
        let _ = remove(&self.root);
    }
}

const PREFIX: &str = "agon-run-";

/// Removes the folders of runners that are gone.
pub(crate) fn sweep() {
    for item in fs::read_dir(std::env::temp_dir()).into_iter().flatten().flatten() {
        let name = item.file_name().to_string_lossy().into_owned();
        let owner = name.strip_prefix(PREFIX).and_then(|rest| rest.split('-').next()?.parse::<u32>().ok());
        if owner.is_some_and(|pid| !Path::new(&format!("/proc/{pid}")).exists()) {
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

/// Removes a folder with everything in it, also where a solver has taken away its own rights.
fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(_) => {
            let mut folders = vec![folder.to_owned()];
            while let Some(folder) = folders.pop() {
                fs::set_permissions(&folder, fs::Permissions::from_mode(0o700))?;
                for item in fs::read_dir(&folder)? {
                    let item = item?;
                    if item.file_type()?.is_dir() {
                        folders.push(item.path());
                    }
                }
            }
            fs::remove_dir_all(folder)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r08_3_11_nothing_is_left_for_the_next_run() {
        let files = tempfile::tempdir().unwrap();
        let work = WorkFolder::new(9000);
        let (start, output) = work.renew(files.path(), None).unwrap();
        fs::write(start.join("cache"), "x").unwrap();
        fs::write(output.join("log"), "x").unwrap();
        let (start, output) = work.renew(files.path(), None).unwrap();
        assert_eq!(fs::read_dir(start).unwrap().count() + fs::read_dir(output).unwrap().count(), 0);
    }

    #[test]
    fn a_starexec_solver_finds_its_files_around_it_and_does_not_write_to_them() {
        let files = tempfile::tempdir().unwrap();
        fs::create_dir_all(files.path().join("bin")).unwrap();
        fs::create_dir_all(files.path().join("lib")).unwrap();
        fs::write(files.path().join("bin/solver"), "binary").unwrap();
        fs::write(files.path().join("lib/data"), "data").unwrap();
        let work = WorkFolder::new(9001);
        let (start, _) = work.renew(files.path(), Some("bin")).unwrap();
        assert_eq!(fs::read_to_string(start.join("solver")).unwrap(), "binary");
        assert_eq!(fs::read_to_string(start.join("../lib/data")).unwrap(), "data");
        fs::write(start.join("new"), "x").unwrap();
        assert!(!files.path().join("bin/new").exists());
    }

    #[test]
    fn folders_without_rights_are_removed_all_the_same() {
        let files = tempfile::tempdir().unwrap();
        let work = WorkFolder::new(9002);
        let (start, _) = work.renew(files.path(), None).unwrap();
        fs::create_dir_all(start.join("a/b")).unwrap();
        fs::set_permissions(start.join("a"), fs::Permissions::from_mode(0o000)).unwrap();
        drop(work);
        assert!(!start.exists());
    }
}
