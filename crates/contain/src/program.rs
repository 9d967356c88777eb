//! The program's own process: it applies the constraints and executes the program.

use crate::messages::{At, Failure, Report, Step, send_descriptor};
use crate::sys::{self, Body, Words, close_on_exec, execute, place_descriptor};
use rustix::fs::{FileType, Mode, OFlags};
use rustix::process::{Resource, Rlimit, Signal};
use rustix::thread::CpuSet;
use std::ffi::{CStr, CString};
use std::fs::File;
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};

/// A program and its constraints.
pub(crate) struct Program {
    pub(crate) path: CString,
    /// A shell, the program and its arguments. The shell is used only for scripts without an interpreter line.
    pub(crate) words: Words,
    pub(crate) environment: Words,
    pub(crate) start: CString,
    /// Its stdin.
    pub(crate) input: Input,
    /// Its stdout and stderr: raw descriptors, since the runner closes its own copies once the init process has them.
    /// Otherwise the program could not close them.
    pub(crate) outputs: [RawFd; 2],
    /// The `cgroup.procs` files of the control groups to enter.
    pub(crate) doors: Vec<File>,
    /// The cores that it may run on.
    pub(crate) cores: Option<CpuSet>,
    /// The limit on address space in bytes, if no control group limits memory.
    pub(crate) address_space: Option<u64>,
    /// The limit on CPU seconds, if no control group counts them.
    pub(crate) cpu_seconds: Option<u64>,
    /// The limit on processes, if no control group counts them.
    pub(crate) processes: Option<u64>,
    /// How the scheduler treats it: normally, while the init process is treated better.
    pub(crate) scheduling: sys::Scheduling,
    /// The user that it switches to, if not the runner's.
    pub(crate) user: Option<u32>,
    /// Its system call filter; empty for none.
    pub(crate) filter: &'static [libc::sock_filter],
    /// The socket over which to send the descriptor for the filter's questions.
    pub(crate) questions: OwnedFd,
    /// Whether it requests to be killed when the init process ends, because no pid namespace ensures that.
    pub(crate) dies_with_its_parent: bool,
    /// The socket to the runner.
    pub(crate) socket: OwnedFd,
}

/// Where stdin comes from.
pub(crate) enum Input {
    /// A file, opened in the program's own view, so that it cannot be written to.
    File(CString),
    /// A pipe from the partner of a conversation; a raw descriptor for the same reason as [`Program::outputs`].
    Pipe(RawFd),
}

const USUAL_STACK: u64 = 8 << 20;
const USUAL_FILES: u64 = 4096;
const MOST_FILES: u64 = 65_536;
const USUAL_SIGNALS: u64 = 1024;

impl Body for Program {
    fn run(&self) -> i32 {
        if let Err((step, error)) = self.become_it() {
            Report::Failed(step, error).send(&self.socket);
        }
        127
    }
}

impl Program {
    /// Opens stdin, without waiting for a writer. A directory is refused: it could lead to other files.
    fn open_input(path: &CStr) -> rustix::io::Result<OwnedFd> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let input = rustix::fs::open(path, flags, Mode::empty())?;
        if FileType::from_raw_mode(rustix::fs::fstat(&input)?.st_mode) == FileType::Directory {
            return Err(rustix::io::Errno::ISDIR);
        }
        rustix::fs::fcntl_setfl(&input, OFlags::empty())?;
        Ok(input)
    }

    /// Applies the constraints and executes the program. The order matters: switching the user drops privileges, and
    /// the filter refuses some of the calls made before it.
    fn become_it(&self) -> Result<(), Failure> {
        for door in &self.doors {
            rustix::io::write(door, b"0").at(Step::Groups)?;
        }
        rustix::process::setsid().at(Step::Limits)?;
        match &self.input {
            Input::File(path) => place_descriptor(Self::open_input(path).at(Step::Input)?.as_raw_fd(), 0),
            Input::Pipe(pipe) => place_descriptor(*pipe, 0),
        }
        .at(Step::Descriptors)?;
        for (number, stream) in (1..).zip(&self.outputs) {
            place_descriptor(*stream, number).at(Step::Descriptors)?;
        }
        close_on_exec(3).at(Step::Descriptors)?;
        if let Some(cores) = &self.cores {
            rustix::thread::sched_setaffinity(None, cores).at(Step::Limits)?;
        }
        self.scheduling.apply().at(Step::Limits)?;
        let limits = [
            // No core dump fits in one byte. If the kernel pipes dumps to a program, it starts it even with a limit of
            // 0, but not with 1.
            (Resource::Core, Some(1)),
            (Resource::As, self.address_space),
            (Resource::Cpu, self.cpu_seconds),
            (Resource::Nproc, self.processes),
            (Resource::Msgqueue, Some(0)),
            (Resource::Nice, Some(0)),
            (Resource::Rtprio, Some(0)),
        ];
        for (resource, value) in limits {
            if value.is_some() {
                rustix::process::setrlimit(resource, Rlimit { current: value, maximum: value }).at(Step::Limits)?;
            }
        }
        rustix::process::umask(Mode::from_raw_mode(0o022));
        if self.dies_with_its_parent {
            rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).at(Step::Limits)?;
        }
        if let Some(user) = self.user {
            sys::become_user(user).at(Step::User)?;
        }
        if self.user.is_some() || !self.filter.is_empty() {
            sys::drop_capabilities().at(Step::User)?;
        }
        rustix::thread::set_no_new_privs(true).at(Step::Filter)?;
        if !self.filter.is_empty() {
            // This limit also bounds the descriptors that a user has in transit, and another run of the same user may
            // have many.
            let most = rustix::process::getrlimit(Resource::Nofile).maximum;
            rustix::process::setrlimit(Resource::Nofile, Rlimit { current: most, maximum: most }).at(Step::Limits)?;
            let listener = sys::filter_calls(self.filter).at(Step::Filter)?;
            send_descriptor(&self.questions, listener.as_fd()).at(Step::Filter)?;
        }
        // The same limits for all runs, whatever shell or batch system started us. The program may raise its stack size
        // and descriptors, but not its timers and pending signals, which count against the user.
        let usual = [
            (Resource::Stack, USUAL_STACK, None),
            (Resource::Nofile, USUAL_FILES, Some(MOST_FILES)),
            (Resource::Sigpending, USUAL_SIGNALS, Some(USUAL_SIGNALS)),
        ];
        for (resource, usual, most) in usual {
            let allowed = rustix::process::getrlimit(resource).maximum;
            let maximum = [allowed, most].into_iter().flatten().min();
            let current = Some(maximum.map_or(usual, |maximum| maximum.min(usual)));
            rustix::process::setrlimit(resource, Rlimit { current, maximum }).at(Step::Limits)?;
        }
        sys::usual_signals();
        Report::started_now().send(&self.socket);
        Err((Step::Program, execute(&self.path, &self.words, &self.environment)))
    }
}
