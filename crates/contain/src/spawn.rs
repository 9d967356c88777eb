//! Starting a process inside its walls: what the child does to itself between fork and exec. All unsafe code of the
//! crate is here.

#![allow(unsafe_code)]

use rustix::mount::MountPropagationFlags;
use rustix::process::{Pid, Resource, Rlimit, Signal};
use rustix::thread::{CapabilitySet, CpuSet, LinkNameSpaceType, UnshareFlags, move_into_link_name_space};
use rustix::time::{ClockId, clock_gettime};
use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::sync::Arc;
use std::time::Duration;

/// The walls around a child.
pub(crate) struct Walls {
    /// Doors of the control groups to enter.
    pub(crate) doors: Vec<File>,
    /// Cut it off from the network and from the files of the host.
    pub(crate) confinement: Option<Confinement>,
    /// The cores that it may run on.
    pub(crate) cores: Option<CpuSet>,
    /// Address space, where no control group limits memory.
    pub(crate) address_space: Option<u64>,
    /// CPU seconds, where no control group counts them.
    pub(crate) cpu_seconds: Option<u64>,
}

/// Namespaces of its own, in which everything is read-only but one folder, and no privileges to change that.
pub(crate) struct Confinement {
    /// A network with nobody in it, unless it keeps the host's.
    pub(crate) network: Option<Arc<OwnedFd>>,
    /// The folder that stays writable.
    pub(crate) writable: CString,
    /// The folder to start in, which has to be entered again: the way in led over a mount that is now read-only.
    pub(crate) start: CString,
}

/// Why a process was not started.
pub(crate) enum SpawnError {
    /// A wall could not be put up.
    Wall(&'static str, io::Error),
    /// The program could not be executed.
    Program(io::Error),
}

/// The time on the clock that all times are taken from. Setting the system's time does not change it.
pub(crate) fn now() -> Duration {
    let time = clock_gettime(ClockId::Monotonic);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Starts the command and gives the moment at which its program was about to be executed.
pub(crate) fn spawn(command: &mut Command, walls: Walls) -> Result<(Child, Duration), SpawnError> {
    let failed = |error: rustix::io::Errno| SpawnError::Wall("clock", error.into());
    let (reader, writer) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).map_err(failed)?;
    let parent = rustix::process::getpid();
    // SAFETY: between fork and exec only system calls are made, without allocation or locks.
    unsafe { command.pre_exec(move || put_up(&walls, parent, &writer)) };
    let child = command.spawn().map_err(SpawnError::from_spawn)?;
    let mut clock = [0; 16];
    rustix::io::read(&reader, &mut clock).map_err(failed)?;
    let nanos = u128::from_ne_bytes(clock);
    Ok((child, Duration::from_nanos(nanos as u64)))
}

/// What the steps of [`put_up`] are for, by their numbers.
const STEPS: [&str; 9] = [
    "dying with the runner",
    "control groups",
    "closing descriptors",
    "session",
    "namespaces",
    "read-only files",
    "privileges",
    "limits",
    "clock",
];

/// Errors of the steps go to the parent as numbers above all real ones: the step and the real number.
const FIRST_STEP: i32 = 100_000;

fn step<T>(number: usize, result: rustix::io::Result<T>) -> io::Result<T> {
    result.map_err(|error| io::Error::from_raw_os_error(FIRST_STEP + number as i32 * 1000 + error.raw_os_error()))
}

impl SpawnError {
    fn from_spawn(error: io::Error) -> Self {
        let of_a_step = error.raw_os_error().and_then(|code| code.checked_sub(FIRST_STEP)).filter(|code| *code >= 0);
        match of_a_step.and_then(|code| Some((STEPS.get(code as usize / 1000)?, code % 1000))) {
            Some((step, code)) => Self::Wall(step, io::Error::from_raw_os_error(code)),
            None => Self::Program(error),
        }
    }
}

/// What the child does to itself.
fn put_up(walls: &Walls, parent: Pid, clock: &OwnedFd) -> io::Result<()> {
    // First of all, so that a runner killed just now does not leave a child that holds its locks; it may have died
    // before we could say so.
    step(0, rustix::process::set_parent_process_death_signal(Some(Signal::KILL)))?;
    if rustix::process::getppid() != Some(parent) {
        return step(0, Err(rustix::io::Errno::SRCH));
    }
    for door in &walls.doors {
        step(1, rustix::io::write(door, b"0"))?;
    }
    // What we were given ourselves without close-on-exec must not go on to the solver.
    // SAFETY: the call marks descriptors and touches no memory.
    step(2, call(unsafe { libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC) }))?;
    step(3, rustix::process::setsid())?;
    if let Some(confinement) = &walls.confinement {
        confine(confinement)?;
    }
    step(7, rustix::thread::set_no_new_privs(true))?;
    if let Some(cores) = &walls.cores {
        step(7, rustix::thread::sched_setaffinity(None, cores))?;
    }
    step(7, limit(Resource::Core, 0))?;
    if let Some(bytes) = walls.address_space {
        step(7, limit(Resource::As, bytes))?;
    }
    if let Some(seconds) = walls.cpu_seconds {
        step(7, limit(Resource::Cpu, seconds))?;
    }
    step(8, rustix::io::write(clock, &now().as_nanos().to_ne_bytes()))?;
    Ok(())
}

fn limit(resource: Resource, value: u64) -> rustix::io::Result<()> {
    rustix::process::setrlimit(resource, Rlimit { current: Some(value), maximum: Some(value) })
}

fn confine(confinement: &Confinement) -> io::Result<()> {
    if let Some(network) = &confinement.network {
        step(4, move_into_link_name_space(network.as_fd(), Some(LinkNameSpaceType::Network)))?;
    }
    // SAFETY: descriptors stay shared with nobody: this is a process with one thread.
    step(4, unsafe { rustix::thread::unshare_unsafe(UnshareFlags::NEWNS | UnshareFlags::NEWIPC) })?;
    let (root, writable) = (c"/", confinement.writable.as_c_str());
    step(5, rustix::mount::mount_change(root, MountPropagationFlags::PRIVATE | MountPropagationFlags::REC))?;
    step(5, rustix::mount::mount_bind_recursive(writable, writable))?;
    step(5, set_read_only(root, true))?;
    step(5, set_read_only(writable, false))?;
    step(5, rustix::process::chdir(confinement.start.as_c_str()))?;
    // Without this a solver of root's could mount everything anew.
    for capability in CapabilitySet::all().iter() {
        match rustix::thread::remove_capability_from_bounding_set(capability) {
            // One that this kernel does not know.
            Err(rustix::io::Errno::INVAL) => {}
            result => step(6, result)?,
        }
    }
    Ok(())
}

/// Makes a network with nobody in it. Entering it is much cheaper than making one for every run.
pub(crate) fn empty_network() -> io::Result<OwnedFd> {
    // A thread that leaves the network of the others, and ends.
    let made = std::thread::spawn(|| {
        // SAFETY: descriptors stay shared; only the network is left.
        unsafe { rustix::thread::unshare_unsafe(UnshareFlags::NEWNET) }?;
        File::open("/proc/thread-self/ns/net").map(OwnedFd::from)
    });
    made.join().unwrap_or_else(|_| Err(io::Error::other("the thread for the network failed")))
}

/// Makes a mount and all below it read-only or writable.
fn set_read_only(folder: &std::ffi::CStr, read_only: bool) -> rustix::io::Result<()> {
    let (set, clear) = if read_only { (libc::MOUNT_ATTR_RDONLY, 0) } else { (0, libc::MOUNT_ATTR_RDONLY) };
    let attributes = libc::mount_attr { attr_set: set, attr_clr: clear, propagation: 0, userns_fd: 0 };
    // SAFETY: the path and the attributes live through the call, and the size is theirs.
    call(unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            folder.as_ptr(),
            libc::AT_RECURSIVE,
            &raw const attributes,
            size_of::<libc::mount_attr>(),
        )
    })
}

/// The result of a raw system call.
fn call(result: libc::c_long) -> rustix::io::Result<()> {
    if result == 0 {
        return Ok(());
    }
    let code = io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO);
    Err(rustix::io::Errno::from_raw_os_error(code))
}

/// How a reaped process ended, and the CPU time of it and of all it waited for.
pub(crate) struct Reaped {
    pub(crate) status: i32,
    pub(crate) cpu: Duration,
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
    Ok(Reaped { status, cpu: span(usage.ru_utime) + span(usage.ru_stime) })
}
