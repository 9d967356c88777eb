//! What the program's own process does before it executes the program.

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
    /// The arguments of a shell that would run it: the shell, the program, its arguments.
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
    /// Address space, where no control group limits memory.
    pub(crate) address_space: Option<u64>,
    /// CPU seconds, where no control group counts them.
    pub(crate) cpu_seconds: Option<u64>,
    /// Processes, where no control group counts them.
    pub(crate) processes: Option<u64>,
    /// How the scheduler treats it: normally, while the init process is treated better.
    pub(crate) scheduling: sys::Scheduling,
    /// The user that it switches to, if not the runner's.
    pub(crate) user: Option<u32>,
    /// Its system call filter, and where to send the descriptor for the filter's questions.
    pub(crate) filter: &'static [libc::sock_filter],
    pub(crate) questions: OwnedFd,
    /// Whether it has to be killed when the init process ends, if no namespace does that.
    pub(crate) dies_with_its_parent: bool,
    /// The socket to the runner.
    pub(crate) socket: OwnedFd,
}

/// Where stdin comes from.
pub(crate) enum Input {
    /// A file, opened in the program's own view, so that it cannot be written to.
    File(CString),
    /// A pipe from the partner of a conversation; a raw descriptor for the same reason.
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
            // No dump is this short; if the kernel pipes dumps to a program, only 1 prevents it from being started.
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
            // Descriptors in flight are counted per user, and another run of the same user may have many.
            let most = rustix::process::getrlimit(Resource::Nofile).maximum;
            rustix::process::setrlimit(Resource::Nofile, Rlimit { current: most, maximum: most }).at(Step::Limits)?;
            let listener = sys::filter_calls(self.filter).at(Step::Filter)?;
            send_descriptor(&self.questions, listener.as_fd()).at(Step::Filter)?;
        }
        // The same for all runs, whatever shell or batch system started us. The program may raise stack size and
        // descriptors; timers and pending signals count against the user, who may need them for other things.
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
