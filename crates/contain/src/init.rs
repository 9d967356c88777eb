//! The first process of a run: it puts up the walls around itself, starts the program, reaps what its processes leave
//! behind, and leaves nothing when the program has ended.
//!
//! It works in the runner's memory and executes nothing: no allocation, no lock, no panic.

use crate::program::Program;
use crate::report::{At, End, Failure, Order, Report, Step};
use crate::sys::{self, Body, Stack, child_signals, close_range, now, reap, used_by_children};
use crate::view::View;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, Signal};
use std::ffi::CString;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

/// What the first process is to do.
pub(crate) struct Plan {
    /// To the runner.
    pub(crate) socket: OwnedFd,
    /// The descriptors that it needs, in order. All others are the runner's, and none of its business.
    pub(crate) kept: Vec<RawFd>,
    /// Walls of its own, where this host allows them.
    pub(crate) walls: Option<Walls>,
    pub(crate) program: Program,
    pub(crate) stack: Stack,
}

/// What a run is shut in by beside its limits.
pub(crate) struct Walls {
    /// Who it is inside, and who that is outside: lines for the kernel.
    pub(crate) user: CString,
    pub(crate) group: CString,
    pub(crate) view: View,
    /// Its network has nobody else in it.
    pub(crate) own_network: bool,
}

impl Body for Plan {
    fn run(&self) -> i32 {
        match live(self) {
            Ok(end) => {
                Report::Ended(end).send(&self.socket);
                0
            }
            Err((step, error)) => {
                Report::Failed(step, error).send(&self.socket);
                1
            }
        }
    }
}

fn live(plan: &Plan) -> Result<End, Failure> {
    if plan.walls.is_some() {
        // With this process goes everything. The socket tells of the runner's end as well, should it be gone by now.
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).at(Step::Start)?;
    }
    close_all_but(&plan.kept).at(Step::Descriptors)?;
    let memory = match &plan.walls {
        Some(walls) => Some(walls.put_up()?),
        None => None,
    };
    rustix::process::chdir(plan.program.start.as_c_str()).at(Step::WorkingFolder)?;
    let signals = child_signals().at(Step::Start)?;
    let pid = sys::start_and_wait(&plan.stack, &plan.program).at(Step::Start)?;
    // The program has its own copies of these by now.
    let mut needed = [plan.socket.as_raw_fd(), signals.as_raw_fd(), memory.as_ref().map_or(-1, AsRawFd::as_raw_fd)];
    needed.sort_unstable();
    close_all_but(&needed).at(Step::Descriptors)?;
    let others = Others { first: Pid::from_raw(pid), are_all: plan.walls.is_some() };
    let (status, at) = wait_for(pid, plan, &signals, &others)?;
    // What is left is killed at once, whatever it is doing, and cannot start anything on the way.
    others.send(Signal::KILL);
    while reap(true).is_ok() {}
    let (user, system, largest) = used_by_children();
    let is_full = memory.is_some_and(|memory| rustix::fs::fstatfs(&memory).is_ok_and(|room| room.f_bfree == 0));
    Ok(End { at, status, user, system, largest, is_full })
}

/// Closes every descriptor but standard ones and these, which are in order.
fn close_all_but(kept: &[RawFd]) -> rustix::io::Result<()> {
    let mut first = 3;
    for fd in kept {
        if *fd > first {
            close_range(first, fd - 1, false)?;
        }
        first = first.max(fd + 1);
    }
    close_range(first, RawFd::MAX, false)
}

/// The other processes of the run.
struct Others {
    first: Option<Pid>,
    /// All that this process can see, which is so in a namespace of its own.
    are_all: bool,
}

impl Others {
    /// Sends all of them a signal; where they cannot be told from strangers, the program's own group.
    fn send(&self, signal: Signal) {
        let _ = match (self.are_all, self.first) {
            (true, _) => rustix::process::kill_process_group(Pid::INIT, signal),
            (false, Some(first)) => rustix::process::kill_process_group(first, signal),
            (false, None) => Ok(()),
        };
    }
}

/// Reaps processes and does as the runner says until the program has ended. Gives its status, and when that was.
fn wait_for(pid: i32, plan: &Plan, signals: &OwnedFd, others: &Others) -> Result<(i32, std::time::Duration), Failure> {
    let mut is_listening = true;
    loop {
        let mut watched = [PollFd::new(signals, PollFlags::IN), PollFd::new(&plan.socket, PollFlags::IN)];
        match poll(&mut watched[..if is_listening { 2 } else { 1 }], None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err((Step::Start, error)),
        }
        if !watched[0].revents().is_empty() {
            let _ = rustix::io::read(signals, &mut [0; 128]);
            while let Ok(Some(reaped)) = reap(false) {
                if reaped.pid == pid {
                    return Ok((reaped.status, now()));
                }
            }
        }
        if is_listening && !watched[1].revents().is_empty() {
            match Order::next(&plan.socket) {
                Order::Ask => others.send(Signal::TERM),
                Order::End => {
                    // The last order there is; a runner that is gone would be heard for ever.
                    is_listening = false;
                    others.send(Signal::KILL);
                }
            }
        }
    }
}

impl Walls {
    /// Puts them up around this process. Gives the folder in memory.
    fn put_up(&self) -> Result<OwnedFd, Failure> {
        write_to(c"/proc/self/setgroups", c"deny").at(Step::User)?;
        write_to(c"/proc/self/uid_map", &self.user).at(Step::User)?;
        write_to(c"/proc/self/gid_map", &self.group).at(Step::User)?;
        if self.own_network {
            sys::bring_up_loopback().at(Step::Network)?;
        }
        self.view.put_up()
    }
}

fn write_to(file: &std::ffi::CStr, text: &std::ffi::CStr) -> rustix::io::Result<()> {
    let file = rustix::fs::open(file, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    rustix::io::write(&file, text.to_bytes()).map(drop)
}
