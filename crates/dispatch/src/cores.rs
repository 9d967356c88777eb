//! Assigns cores to slots: whole cores that share caches where possible.

use std::collections::BTreeMap;
use std::fs;

/// A hardware thread and its position in the machine's topology.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct HardwareThread {
    /// The NUMA node.
    node: usize,
    /// The socket.
    package: usize,
    /// The last-level cache.
    cache: usize,
    /// The core within the socket.
    core: usize,
    /// The kernel's number of the thread.
    thread: usize,
}

/// A core, identified by its node, socket, cache and number.
type Core = (usize, usize, usize, usize);

/// The assignment of cores to slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    slots: Vec<Vec<usize>>,
    /// The reason why measurements are less comparable, if there is one.
    pub caveat: Option<&'static str>,
}

impl Layout {
    /// Divides hardware threads among `slots` slots with `each` cores each. With `None`, makes as many slots as
    /// the cores allow.
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
            // Use one thread of each core. Its siblings stay idle, since they would compete for its execution units and
            // cache.
            let first: Vec<_> = cores.iter().map(|(place, threads)| (*place, threads[0])).collect();
            return Self { slots: near_each_other(&first, wanted, each), caveat: None };
        }
        if wanted * each <= threads.len() {
            // Keep siblings together in a slot, so that two runs share a core only if it cannot be avoided.
            let all: Vec<_> =
                cores.iter().flat_map(|(place, threads)| threads.iter().map(|thread| (*place, *thread))).collect();
            let caveat = Some("runs use both hardware threads of a core, or share a core with another run");
            return Self { slots: near_each_other(&all, wanted, each), caveat };
        }
        Self {
            slots: vec![vec![]; wanted],
            caveat: Some("there are fewer cores than the runs need, so all runs share all cores"),
        }
    }

    /// The hardware threads of each slot; empty if all slots share all cores.
    pub fn slots(&self) -> &[Vec<usize>] {
        &self.slots
    }
}

/// Assigns to each slot threads that share a cache, or failing that a socket, or at least a node. Expects threads
/// sorted by position: then a sequence of `each` threads whose ends share a cache, socket or node lies within it.
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
        // Prefer the smallest common unit: 3 is a cache, 2 a socket, 1 a node, 0 anything.
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

    /// Two sockets with four cores of two threads each. The second threads are numbered from 8.
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
    fn slots_get_whole_cores_if_there_are_enough() {
        assert_eq!(slots(None, 4), [[0, 1, 2, 3], [4, 5, 6, 7]]);
        assert_eq!(slots(None, 1).concat(), (0..8).collect::<Vec<_>>());
        assert_eq!(Layout::of(&machine(), Some(2), 4).caveat, None);
    }

    #[test]
    fn slots_span_two_sockets_only_if_necessary() {
        assert_eq!(slots(Some(2), 3), [[0, 1, 2], [4, 5, 6]]);
        // Slots of two cores fill both sockets; a slot of six cores cannot avoid spanning them.
        assert_eq!(slots(Some(4), 2), [[0, 1], [2, 3], [4, 5], [6, 7]]);
        assert_eq!(slots(Some(1), 6), [[0, 1, 2, 3, 4, 5]]);
    }

    #[test]
    fn threads_of_a_core_stay_in_one_slot() {
        assert_eq!(slots(Some(8), 2), [[0, 8], [1, 9], [2, 10], [3, 11], [4, 12], [5, 13], [6, 14], [7, 15]]);
        assert!(Layout::of(&machine(), Some(8), 2).caveat.is_some());
    }

    #[test]
    fn too_many_slots_share_all_cores() {
        let layout = Layout::of(&machine(), Some(3), 8);
        assert_eq!(layout.slots, vec![Vec::<usize>::new(); 3]);
        assert!(layout.caveat.is_some());
    }
}
