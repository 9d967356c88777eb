//! What the program's own process does to itself before it becomes the program.

use crate::messages::{At, Failure, Report, Step, send_descriptor};
use crate::sys::{self, Body, Words, close_on_exec, execute, place_descriptor};
use rustix::fs::{FileType, Mode, OFlags};
use rustix::process::{Resource, Rlimit, Signal};
use rustix::thread::CpuSet;
use std::ffi::{CStr, CString};
use std::fs::File;
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};

/// A program and what it is bound by.
pub(crate) struct Program {
    pub(crate) path: CString,
    /// The words of a shell that would run it: the shell, the program, its arguments.
    pub(crate) words: Words,
    pub(crate) environment: Words,
    pub(crate) start: CString,
    /// What it reads on standard input.
    pub(crate) input: Input,
    /// Its standard output and error: numbers alone, since the runner closes its own copies when the first process has
    /// them. Otherwise the program could not close them.
    pub(crate) outputs: [RawFd; 2],
    /// The doors of the control groups to enter.
    pub(crate) doors: Vec<File>,
    /// The cores that it may run on.
    pub(crate) cores: Option<CpuSet>,
    /// Address space, where no control group limits memory.
    pub(crate) address_space: Option<u64>,
    /// CPU seconds, where no control group counts them.
    pub(crate) cpu_seconds: Option<u64>,
    /// Processes, where no control group counts them.
    pub(crate) processes: Option<u64>,
    /// How the scheduler treats it: as usual, while the first process is treated better.
    pub(crate) scheduling: sys::Scheduling,
    /// The user that it becomes, where that is not the runner's.
    pub(crate) user: Option<u32>,
    /// The filter of its system calls, and where to send the descriptor on which it asks.
    pub(crate) filter: &'static [libc::sock_filter],
    pub(crate) questions: OwnedFd,
    /// Whether its end has to follow that of the first process, where no namespace sees to that.
    pub(crate) dies_with_its_parent: bool,
    /// To the runner.
    pub(crate) socket: OwnedFd,
}

/// Where standard input comes from.
pub(crate) enum Input {
    /// A file, opened in the program's own view of the files, so that it cannot be written to.
    File(CString),
    /// Somebody who listens to what it says before saying more; a number for the same reason.
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
    /// Opens standard input, without waiting for whoever may write to it. A folder would be a way to others.
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
            // No dump is as short as this; where the kernel pipes them to a program, only 1 keeps it from starting that.
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
            // Descriptors under way are counted by user, and a rival that is the same user may have many.
            let most = rustix::process::getrlimit(Resource::Nofile).maximum;
            rustix::process::setrlimit(Resource::Nofile, Rlimit { current: most, maximum: most }).at(Step::Limits)?;
            let listener = sys::filter_calls(self.filter).at(Step::Filter)?;
            send_descriptor(&self.questions, listener.as_fd()).at(Step::Filter)?;
        }
        // The same for all, whatever shell or batch system we were started from. Of stack and descriptors it may ask for more;
        // timers and pending signals are the user's, who may have other things to do with them.
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
