//! Starting a process inside its group. All unsafe code of the crate is here.

#![allow(unsafe_code)]

use rustix::process::{Resource, Rlimit, Signal};
use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::time::Duration;

/// What a child does to itself between fork and exec.
pub(crate) struct Before {
    /// Doors of the control groups to enter.
    pub(crate) doors: Vec<File>,
    /// Address space, where no control group limits memory.
    pub(crate) address_space: Option<u64>,
    /// CPU seconds, where no control group counts them.
    pub(crate) cpu_seconds: Option<u64>,
}

/// Starts the command in a new session, in its control groups, to die with the thread that started it.
pub(crate) fn spawn(command: &mut Command, before: Before) -> io::Result<Child> {
    let limit = |resource, value: u64| {
        rustix::process::setrlimit(resource, Rlimit { current: Some(value), maximum: Some(value) })
    };
    let parent = rustix::process::getpid();
    let prepare = move || -> io::Result<()> {
        // First of all, so that a runner killed just now does not leave a child that holds its locks; it may have
        // died before we could say so.
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
        if rustix::process::getppid() != Some(parent) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        for door in &before.doors {
            rustix::io::write(door, b"0")?;
        }
        // What we were given ourselves without close-on-exec must not go on to the solver.
        // SAFETY: the call marks descriptors and touches no memory.
        if unsafe { libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC) } != 0 {
            return Err(io::Error::last_os_error());
        }
        rustix::process::setsid()?;
        rustix::thread::set_no_new_privs(true)?;
        limit(Resource::Core, 0)?;
        if let Some(bytes) = before.address_space {
            limit(Resource::As, bytes)?;
        }
        if let Some(seconds) = before.cpu_seconds {
            limit(Resource::Cpu, seconds)?;
        }
        Ok(())
    };
    // SAFETY: between fork and exec only system calls are made, each through rustix without allocation or locks.
    unsafe { command.pre_exec(prepare) };
    command.spawn()
}

/// How a reaped process ended, and the CPU time of it and of all it waited for.
pub(crate) struct Reaped {
    pub(crate) status: i32,
    pub(crate) cpu: Duration,
    pub(crate) max_rss_bytes: u64,
}

/// Reaps a child that has ended.
pub(crate) fn reap(child: &Child) -> io::Result<Reaped> {
    let pid = i32::try_from(child.id()).map_err(io::Error::other)?;
    let mut status = 0;
    // SAFETY: an all-zero rusage is a valid value; the call overwrites it.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: both pointers are to live locals of the right types.
        if unsafe { libc::wait4(pid, &raw mut status, 0, &raw mut usage) } == pid {
            break;
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    let span = |time: libc::timeval| Duration::new(time.tv_sec as u64, time.tv_usec as u32 * 1000);
    let max_rss_bytes = usage.ru_maxrss as u64 * 1024;
    Ok(Reaped { status, cpu: span(usage.ru_utime) + span(usage.ru_stime), max_rss_bytes })
}
