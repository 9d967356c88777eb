//! The fresh working directory of a run (R08-3.11, R08-3.12, R19-5.21).

use agon_contain::{Host, Work};
use std::io;
use std::path::{Path, PathBuf};

/// The subdirectory for files that the solver writes (`{output}`).
pub(crate) const OUTPUT: &str = "output";

/// Creates a directory for one run of the solver with these files.
///
/// A solver that starts in one of its own directories (`bin` under StarExec) must find its files there. The working
/// directory is then a new, writable directory whose entries are links to the solver's files.
pub fn work_directory(host: &Host, files: &Path, start_in: Option<&str>) -> io::Result<Work> {
    let tree = Path::new("solver");
    let below = Path::new(start_in.unwrap_or_default());
    let mut links = vec![];
    if start_in.is_some() {
        // Each directory on the path to the working directory is real too. It contains links to all entries except the
        // next directory on the path.
        let mut reached = PathBuf::new();
        for next in below.components().map(Some).chain([None]) {
            for item in std::fs::read_dir(files.join(&reached))? {
                let item = item?;
                if next.is_none_or(|next| next.as_os_str() != item.file_name()) {
                    links.push((item.path(), tree.join(&reached).join(item.file_name())));
                }
            }
            reached.extend(next);
        }
    }
    host.fresh(&tree.join(below), &[Path::new(OUTPUT)], &links)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn r08_3_11_and_r08_3_12_and_r19_5_21_a_starexec_solver_finds_its_files_around_it() {
        let files = tempfile::tempdir().unwrap();
        fs::create_dir_all(files.path().join("bin/deep")).unwrap();
        fs::create_dir_all(files.path().join("lib")).unwrap();
        fs::write(files.path().join("bin/solver"), "binary").unwrap();
        fs::write(files.path().join("bin/deep/inner"), "inner").unwrap();
        fs::write(files.path().join("lib/data"), "data").unwrap();
        let work = work_directory(&Host::bare(), files.path(), Some("bin")).unwrap();
        let start = work.start();
        assert_eq!(fs::read_to_string(start.join("solver")).unwrap(), "binary");
        assert_eq!(fs::read_to_string(start.join("../lib/data")).unwrap(), "data");
        fs::write(start.join("new"), "x").unwrap();
        assert!(!files.path().join("bin/new").exists());
        let deep = work_directory(&Host::bare(), files.path(), Some("bin/deep")).unwrap();
        assert_eq!(fs::read_to_string(deep.start().join("inner")).unwrap(), "inner");
        assert_eq!(fs::read_to_string(deep.start().join("../solver")).unwrap(), "binary");
    }

    #[test]
    fn a_plain_solver_starts_in_an_empty_directory() {
        let files = tempfile::tempdir().unwrap();
        fs::write(files.path().join("solver"), "binary").unwrap();
        let work = work_directory(&Host::bare(), files.path(), None).unwrap();
        assert_eq!(fs::read_dir(work.start()).unwrap().count(), 0);
        assert!(work.root().join(OUTPUT).is_dir());
    }
}
