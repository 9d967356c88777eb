//! Limits of the control groups above a run, set by a container, a batch system or a service manager. A run that
//! reaches them has exceeded its limits; that is not a fault of the machine.

use crate::Limits;
use crate::group::{keyed, number};
use std::path::{Path, PathBuf};

/// The ancestor groups that have limits.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ceilings {
    memory: Vec<PathBuf>,
    processes: Vec<PathBuf>,
}

/// Version 1 writes values from here on for "no limit".
const UNLIMITED: u64 = 1 << 60;

impl Ceilings {
    /// Finds them above the parents of the runs' groups.
    pub(crate) fn find(memory: Option<&PathBuf>, processes: Option<&PathBuf>) -> Self {
        let above = |folder: Option<&PathBuf>, is_limited: fn(&Path) -> bool| {
            let folders = folder.into_iter().flat_map(|folder| folder.ancestors());
            folders.filter(|folder| is_limited(folder)).map(Path::to_owned).collect()
        };
        Self {
            memory: above(memory, |folder| memory_limit(folder).is_some()),
            processes: above(processes, |folder| number(&folder.join("pids.max")).is_some()),
        }
    }

    /// The limits of a run that starts now, lowered to what is available.
    pub(crate) fn lower(&self, limits: &Limits) -> Limits {
        let memory = self.memory.iter().filter_map(|folder| Some(memory_limit(folder)?.saturating_sub(in_use(folder))));
        let processes = self.processes.iter().filter_map(|folder| {
            Some(number(&folder.join("pids.max"))?.saturating_sub(number(&folder.join("pids.current"))?))
        });
        Limits {
            memory: limits.memory.into_iter().chain(memory).min(),
            processes: limits.processes.into_iter().chain(processes).min(),
            ..*limits
        }
    }
}

fn memory_limit(folder: &Path) -> Option<u64> {
    let limit = number(&folder.join("memory.max")).or_else(|| number(&folder.join("memory.limit_in_bytes")));
    limit.filter(|limit| *limit < UNLIMITED)
}

/// Memory in use that cannot be reclaimed.
fn in_use(folder: &Path) -> u64 {
    let file = folder.join("memory.stat");
    keyed(&file, "total_rss").or_else(|| keyed(&file, "anon")).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_smallest_limit_above_counts() {
        let root = tempfile::tempdir().unwrap();
        let inner = root.path().join("slice/scope");
        fs::create_dir_all(&inner).unwrap();
        let write = |folder: &Path, file: &str, text: &str| fs::write(folder.join(file), text).unwrap();
        write(root.path(), "memory.max", "1000000\n");
        write(root.path(), "memory.stat", "anon 300000\nfile 5\n");
        write(&inner, "memory.max", "max\n");
        write(&root.path().join("slice"), "pids.max", "50\n");
        write(&root.path().join("slice"), "pids.current", "20\n");
        let ceilings = Ceilings::find(Some(&inner), Some(&inner));
        let limits = Limits { memory: Some(2_000_000), processes: Some(4096), ..Limits::default() };
        let lowered = ceilings.lower(&limits);
        assert_eq!((lowered.memory, lowered.processes), (Some(700_000), Some(30)));
        let small = Limits { memory: Some(1000), processes: Some(4), ..Limits::default() };
        let lowered = ceilings.lower(&small);
        assert_eq!((lowered.memory, lowered.processes), (Some(1000), Some(4)));
        let none = Ceilings::default().lower(&limits);
        assert_eq!((none.memory, none.processes), (limits.memory, limits.processes));
    }
}
