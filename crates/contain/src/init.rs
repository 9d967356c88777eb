//! The init process of a run: it sets up the namespaces and mounts, starts the program, reaps orphans, and kills all
//! remaining processes when the program has ended.
//!
//! It works in the runner's memory and executes no program, so it must not allocate, take a lock or panic.

use crate::budget::Budget;
use crate::identity::INSIDE;
use crate::messages::{At, End, Failure, Instruction, Report, Step, receive_descriptor};
use crate::mounts::View;
use crate::pace::{Pace, REST};
use crate::program::Program;
use crate::sys::{self, Body, Stack, child_signals, close_all_but, cpu_time, now, reap, try_reap, used_by_children};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, Signal};
use rustix::thread::CpuSet;
use std::ffi::CString;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::time::Duration;

/// Everything that the init process needs, prepared by the runner.
pub(crate) struct Plan {
    /// The socket to the runner.
    pub(crate) socket: OwnedFd,
    /// The descriptors that it needs, in order. All others belong to the runner and are closed.
    pub(crate) kept: Vec<RawFd>,
    /// The namespaces and mounts of the run, unless it is unconfined.
    pub(crate) walls: Option<Walls>,
    pub(crate) program: Program,
    /// The socket over which the program's process sends the descriptor for its filter's questions.
    pub(crate) questions: OwnedFd,
    /// The record locks that the run may have.
    pub(crate) locks: Budget,
    /// The sockets that the run may have.
    pub(crate) sockets: Budget,
    /// The cores of the run.
    pub(crate) cores: Option<CpuSet>,
    /// How the scheduler treats the init process: better than the run, where possible.
    pub(crate) urgent: sys::Scheduling,
    pub(crate) stack: Stack,
}

/// The namespaces and mounts that confine a run.
pub(crate) struct Walls {
    pub(crate) namespace: UserNamespace,
    pub(crate) view: View,
    /// Whether the run has its own network namespace.
    pub(crate) own_network: bool,
}

/// The user namespace of a run.
pub(crate) enum UserNamespace {
    /// The runner's, in which the program switches to another user.
    Runners,
    /// A new one, whose id maps the runner writes.
    MappedByRunner,
    /// A new one that the init process maps to the runner's user, by these lines of `uid_map` and `gid_map`.
    MappedToRunner { user: CString, group: CString },
}

/// The call that creates a socket, natively and for 32-bit programs; all other questions are about locks.
const SOCKET: i32 = libc::SYS_socket as i32;
const OLD_SOCKET: i32 = 359;

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

/// The whole life of the init process: confines itself, starts the program, waits for its end, and kills what is left.
fn live(plan: &Plan) -> Result<End, Failure> {
    if plan.walls.is_some() {
        // If the runner dies, so does this process, and with it everything in its pid namespace. If the runner has
        // already died, its end of the socket is closed.
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).at(Step::Start)?;
    }
    close_all_but(&plan.kept).at(Step::Descriptors)?;
    let memory = match &plan.walls {
        Some(walls) => Some(walls.put_up(&plan.socket)?),
        None => None,
    };
    if let Some(cores) = &plan.cores {
        rustix::thread::sched_setaffinity(None, cores).at(Step::Limits)?;
    }
    let _ = plan.urgent.apply();
    rustix::process::chdir(plan.program.start.as_c_str()).at(Step::WorkingDirectory)?;
    let signals = child_signals().at(Step::Start)?;
    let pid = sys::start_and_wait(&plan.stack, &plan.program).at(Step::Start)?;
    let before = cpu_time(None).unwrap_or_default();
    let listener = receive_descriptor(&plan.questions);
    // Close the descriptors that only the program needs; it has its own copies by now.
    let number = |fd: Option<&OwnedFd>| fd.map_or(-1, AsRawFd::as_raw_fd);
    let mut needed =
        [number(Some(&plan.socket)), number(Some(&signals)), number(memory.as_ref()), number(listener.as_ref())];
    needed.sort_unstable();
    close_all_but(&needed).at(Step::Descriptors)?;
    let others = Others { first: Pid::from_raw(pid), are_all: plan.walls.is_some() };
    let (status, at) = wait_for(pid, plan, &signals, listener, &others)?;
    // One call kills all remaining processes, so that none of them can start another meanwhile.
    others.send(Signal::KILL);
    while reap().is_ok() {}
    let (user, system, largest) = used_by_children();
    let own = cpu_time(None).unwrap_or_default().saturating_sub(before);
    let is_full = memory.is_some_and(|memory| rustix::fs::fstatfs(&memory).is_ok_and(|room| room.f_bfree == 0));
    Ok(End { at, status, user, system, own, largest, is_full })
}

/// The other processes of the run.
struct Others {
    /// The program's process, which leads its process group.
    first: Option<Pid>,
    /// Whether the run has a pid namespace, so that its processes are all that this process can signal.
    are_all: bool,
}

impl Others {
    /// Signals all of them; without a pid namespace, only the program's process group.
    fn send(&self, signal: Signal) {
        // The process group of init means `kill(-1)`: every process that this one can signal.
        let _ = match (self.are_all, self.first) {
            (true, _) => rustix::process::kill_process_group(Pid::INIT, signal),
            (false, Some(first)) => rustix::process::kill_process_group(first, signal),
            (false, None) => Ok(()),
        };
    }
}

/// Reaps processes, answers the filter's questions and follows the runner's instructions until the program has ended.
/// Returns its wait status, and when it ended.
fn wait_for(
    pid: i32,
    plan: &Plan,
    signals: &OwnedFd,
    listener: Option<OwnedFd>,
    others: &Others,
) -> Result<(i32, Duration), Failure> {
    let mut is_listening = true;
    let mut listener = listener;
    let (mut locks, mut sockets) = (plan.locks, plan.sockets);
    let mut pace = Pace::default();
    loop {
        let orders = if is_listening { PollFlags::IN } else { PollFlags::empty() };
        let mut watched = [
            PollFd::new(signals, PollFlags::IN),
            PollFd::new(&plan.socket, orders),
            PollFd::new(listener.as_ref().unwrap_or(signals), PollFlags::IN),
        ];
        let count = if listener.is_some() { 3 } else { 2 };
        match poll(&mut watched[..count], None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err((Step::Start, error)),
        }
        let [signaled, ordered, asked] = watched.each_ref().map(PollFd::revents);
        if !signaled.is_empty() {
            let _ = rustix::io::read(signals, &mut [0; 128]);
            while let Ok(Some(reaped)) = try_reap() {
                match reaped.stopped() {
                    // An anti-debugging check made us its tracer; detach.
                    Some(signal) => sys::stop_tracing(reaped.pid, signal),
                    None if reaped.pid == pid => return Ok((reaped.status, now())),
                    None => {}
                }
            }
        }
        if is_listening && !ordered.is_empty() {
            match Instruction::next(&plan.socket) {
                Instruction::Ask => others.send(Signal::TERM),
                Instruction::Go => {}
                Instruction::End => {
                    // No instruction follows this one, and the socket of a runner that has died would stay readable.
                    is_listening = false;
                    others.send(Signal::KILL);
                }
            }
        }
        if let Some(questions) = &listener {
            if asked.contains(PollFlags::IN) {
                // An error is ignored: the process that asked may have ended.
                let _ = sys::answer_question(questions, |call| match call {
                    SOCKET | OLD_SOCKET if sockets.take() => Ok(()),
                    SOCKET | OLD_SOCKET => Err(rustix::io::Errno::MFILE),
                    _ if locks.take() => Ok(()),
                    _ => Err(rustix::io::Errno::NOLCK),
                });
            } else if !asked.is_empty() {
                listener = None;
            }
        }
        if !signaled.is_empty() && pace.is_too_fast(now()) {
            // When children end too often, wait and reap them in batches.
            let pause = Timespec { tv_sec: 0, tv_nsec: i64::from(REST.subsec_nanos()) };
            let _ = poll(&mut [], Some(&pause));
        }
    }
}

impl Walls {
    /// Confines this process. Returns the run's tmpfs.
    fn put_up(&self, socket: &OwnedFd) -> Result<OwnedFd, Failure> {
        match &self.namespace {
            UserNamespace::Runners => {}
            UserNamespace::MappedByRunner => {
                let _ = poll(&mut [PollFd::new(socket, PollFlags::IN)], None);
                if Instruction::next(socket) != Instruction::Go {
                    return Err((Step::User, rustix::io::Errno::CANCELED));
                }
            }
            UserNamespace::MappedToRunner { user, group } => {
                write_to(c"/proc/self/setgroups", c"deny").at(Step::User)?;
                write_to(c"/proc/self/uid_map", user).at(Step::User)?;
                write_to(c"/proc/self/gid_map", group).at(Step::User)?;
            }
        }
        if self.own_network {
            sys::bring_up_loopback().at(Step::Network)?;
            // Bound the buffers, since not every kernel charges them to the run.
            for file in [c"/proc/sys/net/ipv4/tcp_rmem", c"/proc/sys/net/ipv4/tcp_wmem"] {
                let _ = write_to(file, c"4096 131072 262144");
            }
        }
        self.view.put_up(|| {
            if matches!(self.namespace, UserNamespace::MappedByRunner) {
                // With this user id, the init process keeps its capabilities and owns the files that it creates.
                sys::become_user(INSIDE).at(Step::User)?;
                rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).at(Step::Start)?;
            }
            Ok(())
        })
    }
}

fn write_to(file: &std::ffi::CStr, text: &std::ffi::CStr) -> rustix::io::Result<()> {
    let file = rustix::fs::open(file, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    rustix::io::write(&file, text.to_bytes()).map(drop)
}
