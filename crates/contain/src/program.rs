//! What the program's own process does to itself before it becomes the program.

use crate::report::{At, Failure, Report, Step};
use crate::sys::{self, Words, close_range, execute, place_descriptor};
use rustix::process::{Resource, Rlimit};
use rustix::thread::CpuSet;
use std::ffi::CString;
use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};

/// A program and what it is bound by.
pub(crate) struct Program {
    pub(crate) path: CString,
    /// The words of a shell that would run it: the shell, the program, its arguments.
    pub(crate) words: Words,
    pub(crate) environment: Words,
    pub(crate) start: CString,
    /// Its standard input, output and error.
    pub(crate) streams: [OwnedFd; 3],
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
    /// The filter of its system calls.
    pub(crate) filter: Vec<libc::sock_filter>,
    /// To the runner.
    pub(crate) socket: OwnedFd,
}

impl Program {
    /// The body of its process.
    pub(crate) fn run(&self) -> i32 {
        if let Err((step, error)) = self.become_it() {
            Report::Failed(step, error).send(&self.socket);
        }
        127
    }

    fn become_it(&self) -> Result<(), Failure> {
        for door in &self.doors {
            rustix::io::write(door, b"0").at(Step::Groups)?;
        }
        rustix::process::setsid().at(Step::Limits)?;
        for (number, stream) in self.streams.iter().enumerate() {
            place_descriptor(stream.as_fd(), number as i32).at(Step::Descriptors)?;
        }
        close_range(3, i32::MAX, true).at(Step::Descriptors)?;
        if let Some(cores) = &self.cores {
            rustix::thread::sched_setaffinity(None, cores).at(Step::Limits)?;
        }
        let limits = [
            (Resource::Core, Some(0)),
            (Resource::As, self.address_space),
            (Resource::Cpu, self.cpu_seconds),
            (Resource::Nproc, self.processes),
        ];
        for (resource, value) in limits {
            if value.is_some() {
                rustix::process::setrlimit(resource, Rlimit { current: value, maximum: value }).at(Step::Limits)?;
            }
        }
        rustix::thread::set_no_new_privs(true).at(Step::Filter)?;
        if !self.filter.is_empty() {
            sys::filter_calls(&self.filter).at(Step::Filter)?;
        }
        sys::usual_signals();
        Report::started_now().send(&self.socket);
        Err((Step::Program, execute(&self.path, &self.words, &self.environment)))
    }
}
