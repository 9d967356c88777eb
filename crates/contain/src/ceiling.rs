//! Limits of the control groups above a run, set by a container, a batch system or a service manager. They lower the
//! limits of a run, so that reaching them counts as the run's limit and not as a failure of the machine.

use crate::Limits;
use crate::group::{keyed, number};
use std::path::{Path, PathBuf};

/// The ancestor groups that have limits.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ceilings {
    memory: Vec<PathBuf>,
    processes: Vec<PathBuf>,
}

/// Version 1 reports at least this value if there is no limit.
const UNLIMITED: u64 = 1 << 60;

impl Ceilings {
    /// Finds the groups with limits among the parents of the runs' groups and their ancestors.
    pub(crate) fn find(memory: Option<&PathBuf>, processes: Option<&PathBuf>) -> Self {
        let above = |directory: Option<&PathBuf>, is_limited: fn(&Path) -> bool| {
            let directories = directory.into_iter().flat_map(|directory| directory.ancestors());
            directories.filter(|directory| is_limited(directory)).map(Path::to_owned).collect()
        };
        Self {
            memory: above(memory, |directory| memory_limit(directory).is_some()),
            processes: above(processes, |directory| number(&directory.join("pids.max")).is_some()),
        }
    }

    /// The limits of a run that starts now, lowered to what is available.
    pub(crate) fn lower(&self, limits: &Limits) -> Limits {
        let memory =
            self.memory.iter().filter_map(|directory| Some(memory_limit(directory)?.saturating_sub(in_use(directory))));
        let processes = self.processes.iter().filter_map(|directory| {
            Some(number(&directory.join("pids.max"))?.saturating_sub(number(&directory.join("pids.current"))?))
        });
        Limits {
            memory: limits.memory.into_iter().chain(memory).min(),
            processes: limits.processes.into_iter().chain(processes).min(),
            ..*limits
        }
    }
}

fn memory_limit(directory: &Path) -> Option<u64> {
    let limit = number(&directory.join("memory.max")).or_else(|| number(&directory.join("memory.limit_in_bytes")));
    limit.filter(|limit| *limit < UNLIMITED)
}

/// Memory in use that cannot be reclaimed.
fn in_use(directory: &Path) -> u64 {
    let file = directory.join("memory.stat");
    keyed(&file, "total_rss").or_else(|| keyed(&file, "anon")).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_smallest_limit_of_all_ancestors_applies() {
        let root = tempfile::tempdir().unwrap();
        let inner = root.path().join("slice/scope");
        fs::create_dir_all(&inner).unwrap();
        let write = |directory: &Path, file: &str, text: &str| fs::write(directory.join(file), text).unwrap();
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
