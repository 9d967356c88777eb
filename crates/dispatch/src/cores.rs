//! Assigns cores to slots: whole ones, close to each other.

use std::collections::BTreeMap;
use std::fs;

/// A hardware thread and its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct HardwareThread {
    /// Its NUMA node, socket, cache and core.
    node: usize,
    package: usize,
    cache: usize,
    core: usize,
    /// Its number for the kernel.
    thread: usize,
}

/// A core by its node, socket, cache and number.
type Core = (usize, usize, usize, usize);

/// The cores of every slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    slots: Vec<Vec<usize>>,
    /// What makes measurements less comparable, if anything.
    pub caveat: Option<&'static str>,
}

impl Layout {
    /// Divides these hardware threads among this many slots with this many cores each; without a number, among as many
    /// slots as there are cores for.
    pub fn new(threads: &[usize], slots: Option<usize>, each: usize) -> Self {
        Self::of(&threads.iter().map(|thread| HardwareThread::read(*thread)).collect::<Vec<_>>(), slots, each)
    }

    fn of(threads: &[HardwareThread], slots: Option<usize>, each: usize) -> Self {
        let each = each.max(1);
        let mut cores: BTreeMap<Core, Vec<usize>> = BTreeMap::new();
        for place in threads {
            cores.entry((place.node, place.package, place.cache, place.core)).or_default().push(place.thread);
        }
        let wanted = slots.unwrap_or((cores.len() / each).max(1)).max(1);
        if wanted * each <= cores.len() {
            // One thread of each core; its siblings stay idle, since they would share its units and cache.
            let first: Vec<_> = cores.iter().map(|(place, threads)| (*place, threads[0])).collect();
            return Self { slots: near_each_other(&first, wanted, each), caveat: None };
        }
        if wanted * each <= threads.len() {
            // Siblings stay together in a slot, so that no two runs share a core if that can be avoided.
            let all: Vec<_> =
                cores.iter().flat_map(|(place, threads)| threads.iter().map(|thread| (*place, *thread))).collect();
            let caveat = Some("runs have both threads of a core, or share a core with another run");
            return Self { slots: near_each_other(&all, wanted, each), caveat };
        }
        Self {
            slots: vec![vec![]; wanted],
            caveat: Some("there are fewer cores than the runs want, so they share them"),
        }
    }

    /// The cores of each slot; empty if all share all.
    pub fn slots(&self) -> &[Vec<usize>] {
        &self.slots
    }
}

/// Gives each slot threads that share a cache, or a socket, or at least a node, as long as there are enough.
fn near_each_other(threads: &[(Core, usize)], slots: usize, each: usize) -> Vec<Vec<usize>> {
    let mut left = threads.to_vec();
    let mut taken = vec![];
    for _ in 0..slots {
        let group = |size: usize| {
            let same = |at: usize| {
                let (first, last) = (left[at].0, left[at + each - 1].0);
                match size {
                    3 => (first.0, first.1, first.2) == (last.0, last.1, last.2),
                    2 => (first.0, first.1) == (last.0, last.1),
                    1 => first.0 == last.0,
                    _ => true,
                }
            };
            (0..=left.len() - each).find(|at| same(*at))
        };
        // They are sorted by position, so neighbors are close to each other.
        let at = (0..=3).rev().find_map(group).unwrap_or(0);
        taken.push(left.drain(at..at + each).map(|(_, thread)| thread).collect());
    }
    taken
}

impl HardwareThread {
    fn read(thread: usize) -> Self {
        let directory = format!("/sys/devices/system/cpu/cpu{thread}");
        let number = |file: &str| fs::read_to_string(format!("{directory}/{file}")).ok()?.trim().parse().ok();
        let node = fs::read_dir(&directory).into_iter().flatten().flatten();
        let node = node.filter_map(|item| item.file_name().to_str()?.strip_prefix("node")?.parse().ok()).next();
        Self {
            node: node.unwrap_or(0),
            package: number("topology/physical_package_id").unwrap_or(0),
            cache: number("cache/index3/id").unwrap_or(0),
            core: number("topology/core_id").unwrap_or(thread),
            thread,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two sockets of four cores with two threads each; the second threads have the numbers from 8 on.
    fn machine() -> Vec<HardwareThread> {
        let place = |thread: usize| {
            let core = thread % 8;
            HardwareThread { node: core / 4, package: core / 4, cache: core / 4, core: core % 4, thread }
        };
        (0..16).map(place).collect()
    }

    fn slots(slots: Option<usize>, each: usize) -> Vec<Vec<usize>> {
        Layout::of(&machine(), slots, each).slots
    }

    #[test]
    fn whole_cores_while_there_are_enough() {
        assert_eq!(slots(None, 4), [[0, 1, 2, 3], [4, 5, 6, 7]]);
        assert_eq!(slots(None, 1).concat(), (0..8).collect::<Vec<_>>());
        assert_eq!(Layout::of(&machine(), Some(2), 4).caveat, None);
    }

    #[test]
    fn no_slot_spans_two_sockets_if_it_need_not() {
        assert_eq!(slots(Some(2), 3), [[0, 1, 2], [4, 5, 6]]);
        // The last of four pairs of cores gets what is left, and the last of three triples has no choice.
        assert_eq!(slots(Some(4), 2), [[0, 1], [2, 3], [4, 5], [6, 7]]);
        assert_eq!(slots(Some(1), 6), [[0, 1, 2, 3, 4, 5]]);
    }

    #[test]
    fn threads_of_a_core_stay_in_one_slot() {
        assert_eq!(slots(Some(8), 2), [[0, 8], [1, 9], [2, 10], [3, 11], [4, 12], [5, 13], [6, 14], [7, 15]]);
        assert!(Layout::of(&machine(), Some(8), 2).caveat.is_some());
    }

    #[test]
    fn too_many_slots_share_everything() {
        let layout = Layout::of(&machine(), Some(3), 8);
        assert_eq!(layout.slots, vec![Vec::<usize>::new(); 3]);
        assert!(layout.caveat.is_some());
    }
}
