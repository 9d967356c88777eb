//! The user id of a run.
//!
//! Each run should have its own user id, so that it cannot read private files, use up another user's quotas, or control
//! the init process. How far that is possible depends on the privileges of the runner.

use crate::sys::{Body, Guest, close_all_but};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{Mode, OFlags};
use rustix::process::Signal;
use std::collections::HashMap;
use std::fs;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::{Arc, Mutex, PoisonError};

/// The user and group inside a user namespace. Not root: executing a program then drops all capabilities.
pub(crate) const INSIDE: u32 = 1000;

/// The user ids of runs if the runner may use any id: a range that no distribution assigns.
const FIRST: u32 = 0x7800_0000;
const COUNT: u32 = 1 << 22;

/// The user of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Identity {
    /// A user of its own, in the runner's user namespace. The init process keeps the runner's privileges, so the
    /// program cannot signal, trace or limit it.
    Own(u32),
    /// A user of its own, mapped to another id in a user namespace that the runner sets up.
    Mapped(u32),
    /// The runner's user, in a user namespace.
    Shared,
}

impl Identity {
    /// The uid that the program's process switches to, if it has to switch.
    pub(crate) fn to_become(self) -> Option<u32> {
        match self {
            Self::Own(id) => Some(id),
            Self::Mapped(_) | Self::Shared => None,
        }
    }

    /// The id, if the user is the run's own.
    pub(crate) fn own(self) -> Option<u32> {
        match self {
            Self::Own(id) | Self::Mapped(id) => Some(id),
            Self::Shared => None,
        }
    }
}

/// The runner's privileges over user ids.
#[derive(Clone, Debug)]
pub(crate) struct Standing {
    /// Whether it may mount and switch to any user, so that no user namespace is needed.
    is_privileged: bool,
    /// The ids that it can assign, if any: first and count.
    ids: Option<(u32, u32)>,
    maps: Arc<Mutex<Maps>>,
}

/// User namespaces that translate owners, by owner, group and the id that they become.
type Maps = HashMap<(u32, u32, u32), Arc<OwnedFd>>;

/// Capability numbers: `CAP_SETGID`, `CAP_SETUID`, `CAP_SYS_ADMIN`.
const SET_GROUP: u32 = 6;
const SET_USER: u32 = 7;
const ADMINISTER: u32 = 21;

impl Standing {
    /// Determines the privileges of this process.
    pub(crate) fn find() -> Self {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
        let capabilities = line.and_then(|line| u64::from_str_radix(line.trim(), 16).ok()).unwrap_or(0);
        let has = |bits: &[u32]| bits.iter().all(|bit| capabilities >> bit & 1 == 1);
        let spare_in = |map: &str| spare(&fs::read_to_string(format!("/proc/self/{map}")).unwrap_or_default());
        let ids = spare_in("uid_map").filter(|ids| has(&[SET_GROUP, SET_USER]) && spare_in("gid_map") == Some(*ids));
        Self { is_privileged: has(&[ADMINISTER]) && ids.is_some(), ids, maps: Arc::default() }
    }

    /// The user of the next run of this thread. A thread makes one run at a time and threads have different ids, so
    /// concurrent runs have different users.
    pub(crate) fn identity(&self) -> Identity {
        let Some((first, count)) = self.ids else { return Identity::Shared };
        let id = first + rustix::thread::gettid().as_raw_nonzero().get() as u32 % count;
        if self.is_privileged { Identity::Own(id) } else { Identity::Mapped(id) }
    }

    /// A user namespace with which a mount shows files of this owner and group as files of the run's user.
    pub(crate) fn map(&self, owner: (u32, u32), id: u32) -> io::Result<Arc<OwnedFd>> {
        let mut maps = self.maps.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (owner.0, owner.1, id);
        if let Some(map) = maps.get(&key) {
            return Ok(Arc::clone(map));
        }
        let map = Arc::new(make_map(owner, id)?);
        maps.insert(key, Arc::clone(&map));
        Ok(map)
    }
}

/// The ids that can be assigned according to an id map as the kernel prints it: first and count. `None` if the process
/// has only its own.
fn spare(map: &str) -> Option<(u32, u32)> {
    let extents = map.lines().filter_map(|line| {
        let mut numbers = line.split_whitespace().map(|word| word.parse::<u64>().ok());
        let (first, _, count) = (numbers.next()??, numbers.next()??, numbers.next()??);
        Some((first, first + count))
    });
    let (first, end) = extents.max_by_key(|(_, end)| *end)?;
    if first <= u64::from(FIRST) && end >= u64::from(FIRST + COUNT) {
        return Some((FIRST, COUNT));
    }
    // The upper half of the ids of a container or a user: real users have the lower ones.
    let count = (end - first) / 2;
    if count < 2 { None } else { Some(((end - count) as u32, count as u32)) }
}

/// A process that only provides its user namespace.
struct Lender {
    until: OwnedFd,
}

impl Body for Lender {
    fn run(&self) -> i32 {
        // It must not outlive the runner or keep any of the runner's files open.
        let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
        let _ = close_all_but(&[self.until.as_raw_fd()]);
        let _ = poll(&mut [PollFd::new(&self.until, PollFlags::IN)], None);
        0
    }
}

/// Creates a user namespace that maps this owner and group to an id.
fn make_map(owner: (u32, u32), id: u32) -> io::Result<OwnedFd> {
    let (until, hold) = crate::spawn::socket_pair()?;
    let lender = Guest::start(Lender { until }, libc::CLONE_NEWUSER)?;
    let directory = format!("/proc/{}", lender.pid());
    let made = write_maps(&directory, owner, id).and_then(|()| {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        Ok(rustix::fs::open(format!("{directory}/ns/user"), flags, Mode::empty())?)
    });
    drop(hold);
    let _ = rustix::process::pidfd_send_signal(lender.process(), Signal::KILL);
    let _ = poll(&mut [PollFd::new(lender.process(), PollFlags::IN)], None);
    lender.reap();
    made
}

/// Writes the uid and gid maps of a process in a new user namespace.
pub(crate) fn write_maps(directory: &str, inside: (u32, u32), outside: u32) -> io::Result<()> {
    fs::write(format!("{directory}/uid_map"), format!("{} {outside} 1", inside.0))?;
    fs::write(format!("{directory}/gid_map"), format!("{} {outside} 1", inside.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_come_from_unused_ranges() {
        assert_eq!(spare("         0          0 4294967295\n"), Some((FIRST, COUNT)));
        // A container with the usual number of ids, and a user with subordinate ones.
        assert_eq!(spare("0 100000 65536\n"), Some((32768, 32768)));
        assert_eq!(spare("0 1000 1\n1 100000 65536\n"), Some((32769, 32768)));
        assert_eq!(spare("0 1000 1\n"), None);
        assert_eq!(spare(""), None);
    }

    #[test]
    fn every_thread_has_an_identity_of_its_own() {
        let standing = Standing { is_privileged: true, ids: Some((FIRST, COUNT)), maps: Arc::default() };
        let here = standing.identity();
        let there = std::thread::scope(|threads| threads.spawn(|| standing.identity()).join().unwrap());
        assert_eq!(here, standing.identity());
        assert_ne!(here, there);
    }
}
