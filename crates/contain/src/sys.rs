//! System calls without a safe wrapper elsewhere. All unsafe code of the crate is here.
//!
//! The first processes of a run work in the runner's memory until the program is executed: copying even the page tables
//! of a large runner for every run, and the pages that it writes later, costs more than everything else. So nothing
//! may be allocated and no lock taken here, and errors are returned as the kernel returns them: `errno` belongs to a
//! thread of the runner. [`Guest`] keeps the memory that such a process uses for as long as it lives.

#![allow(unsafe_code)]

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{WaitId, WaitIdOptions, waitid};
use rustix::time::{ClockId, clock_gettime};
use std::cell::UnsafeCell;
use std::ffi::{CStr, CString, c_char, c_int, c_long, c_void};
use std::mem::{ManuallyDrop, MaybeUninit};
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::ptr;
use std::time::Duration;

type Result<T> = rustix::io::Result<T>;

/// The current time of the monotonic clock, which is used for all measurements. Setting the system time does not affect
/// it.
pub(crate) fn now() -> Duration {
    let time = clock_gettime(ClockId::Monotonic);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// A system call without the C library.
///
/// # Safety
///
/// The arguments are valid for the call, and pointers among them point to memory that the call may access as it does.
unsafe fn call(number: c_long, arguments: [usize; 5]) -> Result<usize> {
    let [a, b, c, d, e] = arguments;
    let result: isize;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the kernel's convention for this architecture; it clobbers these two registers and the result's.
    unsafe {
        std::arch::asm!("syscall", inlateout("rax") number as isize => result, in("rdi") a, in("rsi") b, in("rdx") c,
                        in("r10") d, in("r8") e, lateout("rcx") _, lateout("r11") _, options(nostack));
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: the kernel's convention for this architecture; it changes the result's register only.
    unsafe {
        std::arch::asm!("svc 0", in("x8") number, inlateout("x0") a as isize => result, in("x1") b, in("x2") c,
                        in("x3") d, in("x4") e, options(nostack));
    }
    // The kernel returns errors as small negative numbers.
    if (-4095..0).contains(&result) { Err(Errno::from_raw_os_error(-result as i32)) } else { Ok(result as usize) }
}

/// A descriptor that the kernel has just created for us.
fn owned(fd: usize) -> OwnedFd {
    // SAFETY: nothing else owns it.
    unsafe { OwnedFd::from_raw_fd(fd as RawFd) }
}

/// Memory for the stack of a new process.
pub(crate) struct Stack(Box<[UnsafeCell<MaybeUninit<u128>>]>);

// SAFETY: only the process whose stack it is uses the memory.
unsafe impl Sync for Stack {}

impl Stack {
    pub(crate) fn new() -> Self {
        let memory = Box::<[UnsafeCell<MaybeUninit<u128>>]>::new_uninit_slice((64 << 10) / size_of::<u128>());
        // SAFETY: `MaybeUninit` needs no initialization.
        Self(unsafe { memory.assume_init() })
    }

    /// One past its end: it grows downwards.
    fn top(&self) -> *mut c_void {
        self.0.as_ptr_range().end.cast_mut().cast()
    }
}

/// The code that a new process runs. It returns the process's exit code.
pub(crate) trait Body {
    fn run(&self) -> i32;
}

extern "C" fn enter<T: Body>(body: *mut c_void) -> c_int {
    // SAFETY: `start` passes the address of a body of this type that outlives the process's use of it.
    unsafe { &*body.cast_const().cast::<T>() }.run()
}

/// Starts a process in our memory.
///
/// # Safety
///
/// The stack and the body have to live until the process has ended or executed a program.
unsafe fn start<T: Body>(stack: &Stack, flags: c_int, body: &T, pidfd: &mut c_int) -> Result<i32> {
    let body: *mut c_void = ptr::from_ref(body).cast_mut().cast();
    // SAFETY: the caller keeps the memory alive, and the stack belongs to this call alone.
    let pid = unsafe { libc::clone(enter::<T>, stack.top(), flags | libc::CLONE_VM, body, ptr::from_mut(pidfd)) };
    if pid < 0 {
        // SAFETY: the address of this thread's error number is always valid.
        return Err(Errno::from_raw_os_error(unsafe { *libc::__errno_location() }));
    }
    Ok(pid)
}

/// A process that works in our memory, and the memory that it needs.
pub(crate) struct Guest<T> {
    process: OwnedFd,
    pid: i32,
    memory: ManuallyDrop<Box<(T, Stack)>>,
}

impl<T: Body> Guest<T> {
    /// Starts such a process, in new namespaces according to the flags.
    pub(crate) fn start(body: T, namespaces: c_int) -> Result<Self> {
        let memory = ManuallyDrop::new(Box::new((body, Stack::new())));
        let mut pidfd = -1;
        let (body, stack) = &**memory;
        // SAFETY: the memory is freed only when the process has ended: see `drop`.
        let started = unsafe { start(stack, namespaces | libc::CLONE_PIDFD | libc::SIGCHLD, body, &mut pidfd) };
        match started {
            Ok(pid) => Ok(Self { process: owned(pidfd as usize), pid, memory }),
            Err(error) => {
                drop(ManuallyDrop::into_inner(memory));
                Err(error)
            }
        }
    }
}

impl<T> Guest<T> {
    /// The descriptor of the process.
    pub(crate) fn process(&self) -> &OwnedFd {
        &self.process
    }

    /// The pid of the process.
    pub(crate) fn pid(&self) -> i32 {
        self.pid
    }

    /// Reaps the process if it has ended.
    pub(crate) fn reap(&self) {
        let _ = waitid(WaitId::PidFd(self.process.as_fd()), WaitIdOptions::EXITED | WaitIdOptions::NOHANG);
    }
}

impl<T> Drop for Guest<T> {
    fn drop(&mut self) {
        let mut watched = [PollFd::new(&self.process, PollFlags::IN)];
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        if poll(&mut watched, Some(&at_once)) == Ok(1) {
            // SAFETY: dropped once, here, and the process that used it has ended.
            unsafe { ManuallyDrop::drop(&mut self.memory) };
        }
        // Otherwise the memory is still in use, and is leaked.
    }
}

/// Starts a process in our memory and waits until it executes a program or ends. Returns its pid.
pub(crate) fn start_and_wait<T: Body>(stack: &Stack, body: &T) -> Result<i32> {
    // SAFETY: with CLONE_VFORK the kernel resumes us only after the process has executed a program or ended.
    unsafe { start(stack, libc::CLONE_VFORK | libc::SIGCHLD, body, &mut 0) }
}

/// A set of signals, one bit for each.
type Signals = u64;

const ALL: Signals = !0;
const NONE: Signals = 0;

fn set_mask(mask: Signals) -> Signals {
    let mut old = NONE;
    let (new, before) = (&raw const mask as usize, &raw mut old as usize);
    // SAFETY: both sets live through the call, and have the given size.
    let _ =
        unsafe { call(libc::SYS_rt_sigprocmask, [libc::SIG_SETMASK as usize, new, before, size_of::<Signals>(), 0]) };
    old
}

/// Calls a function with all signals blocked.
pub(crate) fn undisturbed<T>(act: impl FnOnce() -> T) -> T {
    let old = set_mask(ALL);
    let result = act();
    set_mask(old);
    result
}

/// A descriptor that becomes readable when a child has ended. The signal has to be blocked.
pub(crate) fn child_signals() -> Result<OwnedFd> {
    let set: Signals = 1 << (libc::SIGCHLD - 1);
    let flags = (libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) as usize;
    // SAFETY: the set lives through the call, and has the given size.
    let fd =
        unsafe { call(libc::SYS_signalfd4, [usize::MAX, &raw const set as usize, size_of::<Signals>(), flags, 0]) };
    fd.map(owned)
}

/// Resets all signals to their default action and unblocks them.
pub(crate) fn usual_signals() {
    // The kernel's representation of an action; all zeros mean the default.
    let usual = [0_usize; 4];
    for signal in 1..=64 {
        // SAFETY: the action lives through the call; for signals that cannot be set it returns an error.
        let _ = unsafe { call(libc::SYS_rt_sigaction, [signal, usual.as_ptr() as usize, 0, size_of::<Signals>(), 0]) };
    }
    set_mask(NONE);
}

/// A process that has ended or stopped, and its wait status.
pub(crate) struct Reaped {
    pub(crate) pid: i32,
    pub(crate) status: i32,
}

impl Reaped {
    /// The signal to deliver if the process has stopped and not ended; 0 for none. Only a tracer is notified of stops.
    pub(crate) fn stopped(&self) -> Option<i32> {
        let signal = (self.status >> 8) & 0xff;
        // The kernel marks stops of its own by a trap, or by bits above the signal: no signal to deliver.
        let is_trap = signal & 0x7f == libc::SIGTRAP || self.status >> 16 != 0;
        (self.status & 0xff == 0x7f).then_some(if is_trap { 0 } else { signal & 0x7f })
    }
}

/// Waits for a child to end, and reaps it.
pub(crate) fn reap() -> Result<Option<Reaped>> {
    wait4(0)
}

/// Reaps a child if one has ended. A child that has stopped is returned too, if we trace it.
pub(crate) fn try_reap() -> Result<Option<Reaped>> {
    wait4(libc::WNOHANG as usize)
}

fn wait4(options: usize) -> Result<Option<Reaped>> {
    let mut status = 0_i32;
    // SAFETY: the pointer is to a live local of the right type.
    let pid = unsafe { call(libc::SYS_wait4, [usize::MAX, &raw mut status as usize, options, 0, 0]) }? as i32;
    Ok((pid > 0).then_some(Reaped { pid, status }))
}

/// The resource usage of all reaped children: user and system time, and the peak resident size of the largest.
pub(crate) fn used_by_children() -> (Duration, Duration, u64) {
    // SAFETY: an all-zero value is a valid one, and the call overwrites it.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a live local of the right type.
    let _ = unsafe { call(libc::SYS_getrusage, [libc::RUSAGE_CHILDREN as usize, &raw mut usage as usize, 0, 0, 0]) };
    let span = |time: libc::timeval| Duration::new(time.tv_sec as u64, time.tv_usec as u32 * 1000);
    (span(usage.ru_utime), span(usage.ru_stime), usage.ru_maxrss as u64 * 1024)
}

/// Marks all descriptors from this one on to be closed when a program is executed.
pub(crate) fn close_on_exec(first: RawFd) -> Result<()> {
    close_range(first, RawFd::MAX, libc::CLOSE_RANGE_CLOEXEC as usize)
}

fn close_range(first: RawFd, last: RawFd, flags: usize) -> Result<()> {
    // SAFETY: the call touches no memory, and callers no longer use descriptors in the range.
    unsafe { call(libc::SYS_close_range, [first as usize, last as usize, flags, 0, 0]) }.map(drop)
}

/// Closes every descriptor except stdin, stdout, stderr and the given ones, which must be sorted.
pub(crate) fn close_all_but(kept: &[RawFd]) -> Result<()> {
    let mut first = 3;
    for fd in kept {
        if *fd > first {
            close_range(first, fd - 1, 0)?;
        }
        first = first.max(fd + 1);
    }
    close_range(first, RawFd::MAX, 0)
}

/// Duplicates a descriptor to a given number, for the program to inherit.
pub(crate) fn place_descriptor(from: RawFd, onto: RawFd) -> Result<()> {
    let (number, words) = if from == onto {
        (libc::SYS_fcntl, [from as usize, libc::F_SETFD as usize, 0, 0, 0])
    } else {
        (libc::SYS_dup3, [from as usize, onto as usize, 0, 0, 0])
    };
    // SAFETY: neither call touches memory; nothing else owns numbers 0 to 2 of a new process.
    unsafe { call(number, words) }.map(drop)
}

/// Which mounts a change applies to.
#[derive(Clone, Copy)]
pub(crate) enum Extent {
    One,
    /// The mount and all mounts below it.
    WithAllBelow,
}

/// Sets attributes of a mount. With a user namespace, file owners are translated by its map.
pub(crate) fn set_mount_attributes(
    mount: impl AsFd,
    path: &CStr,
    set: u64,
    owners: Option<&OwnedFd>,
    extent: Extent,
) -> Result<()> {
    let set = set | if owners.is_some() { libc::MOUNT_ATTR_IDMAP } else { 0 };
    let namespace = owners.map_or(0, |namespace| namespace.as_raw_fd() as u64);
    let attributes = libc::mount_attr { attr_set: set, attr_clr: 0, propagation: 0, userns_fd: namespace };
    let recursive = if matches!(extent, Extent::WithAllBelow) { libc::AT_RECURSIVE } else { 0 };
    let flags = (recursive | libc::AT_EMPTY_PATH) as usize;
    let (mount, path) = (mount.as_fd().as_raw_fd() as usize, path.as_ptr() as usize);
    let (attributes, size) = (&raw const attributes as usize, size_of::<libc::mount_attr>());
    // SAFETY: the path and the attributes live through the call, and the size is that of the attributes.
    unsafe { call(libc::SYS_mount_setattr, [mount, path, flags, attributes, size]) }.map(drop)
}

/// Installs a system call filter for this process and its descendants. Returns the descriptor that delivers the calls
/// which the filter leaves to another process to decide.
pub(crate) fn filter_calls(filter: &[libc::sock_filter]) -> Result<OwnedFd> {
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_ptr().cast_mut() };
    let mode = libc::SECCOMP_SET_MODE_FILTER as usize;
    let flags = libc::SECCOMP_FILTER_FLAG_NEW_LISTENER as usize;
    // SAFETY: the program and its instructions live through the call; the kernel copies and checks them.
    unsafe { call(libc::SYS_seccomp, [mode, flags, &raw const program as usize, 0, 0]) }.map(owned)
}

/// Answers one question of a filter. `decide` gets the number of a call, and returns the error it fails with, if it may
/// not proceed.
pub(crate) fn answer_question(
    listener: &OwnedFd,
    decide: impl FnOnce(c_int) -> std::result::Result<(), Errno>,
) -> Result<()> {
    // SAFETY: the kernel requires the question to be all zeros.
    let mut question: libc::seccomp_notif = unsafe { std::mem::zeroed() };
    let listener = listener.as_raw_fd() as usize;
    // SAFETY: the question is of the type that the request fills in, and lives through the call.
    unsafe {
        call(libc::SYS_ioctl, [listener, libc::SECCOMP_IOCTL_NOTIF_RECV as usize, &raw mut question as usize, 0, 0])
    }?;
    let decision = decide(question.data.nr);
    let answer = libc::seccomp_notif_resp {
        id: question.id,
        val: 0,
        error: decision.map_or_else(|error| -error.raw_os_error(), |()| 0),
        flags: if decision.is_ok() { libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32 } else { 0 },
    };
    // SAFETY: the answer is of the type that the request takes, and lives through the call.
    unsafe {
        call(libc::SYS_ioctl, [listener, libc::SECCOMP_IOCTL_NOTIF_SEND as usize, &raw const answer as usize, 0, 0])
    }
    .map(drop)
}

/// Switches to another user and group permanently, without supplementary groups.
///
/// These calls affect a single process; the C library would apply them to all threads of the runner.
pub(crate) fn become_user(id: u32) -> Result<()> {
    let id = id as usize;
    // SAFETY: none of these calls touches memory: the list of groups is empty.
    unsafe {
        call(libc::SYS_setgroups, [0, 0, 0, 0, 0])?;
        call(libc::SYS_setresgid, [id, id, id, 0, 0])?;
        call(libc::SYS_setresuid, [id, id, id, 0, 0])?;
    }
    Ok(())
}

/// Enters a new user namespace, in which no ids are mapped yet.
pub(crate) fn leave_user_namespace() -> Result<()> {
    // SAFETY: the call touches no memory.
    unsafe { call(libc::SYS_unshare, [libc::CLONE_NEWUSER as usize, 0, 0, 0, 0]) }.map(drop)
}

/// Drops all capabilities.
pub(crate) fn drop_capabilities() -> Result<()> {
    const VERSION_3: u32 = 0x2008_0522;
    let header: [u32; 2] = [VERSION_3, 0];
    let none: [u32; 6] = [0; 6];
    // SAFETY: both live through the call and have the layout of this version.
    unsafe { call(libc::SYS_capset, [header.as_ptr() as usize, none.as_ptr() as usize, 0, 0, 0]) }.map(drop)
}

/// How the scheduler treats a thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scheduling {
    /// The nice value: a lower one gets more CPU time. Lowering it needs a privilege.
    pub(crate) nice: i32,
    /// Its time slice in nanoseconds; 0 is the default. A thread with a short slice is scheduled sooner. Older kernels
    /// ignore it.
    pub(crate) slice: u64,
}

impl Scheduling {
    /// Applies these settings to this thread.
    pub(crate) fn apply(self) -> Result<()> {
        // The kernel's `sched_attr`: size and policy, flags, nice and priority, slice, deadline, period, two clamps.
        let attributes: [u64; 7] = [56, 0, u64::from(self.nice as u32), self.slice, 0, 0, 0];
        // SAFETY: the attributes live through the call, and their first word states their length.
        unsafe { call(libc::SYS_sched_setattr, [0, attributes.as_ptr() as usize, 0, 0, 0]) }.map(drop)
    }
}

/// The CPU time of a process, or of this one if `None`.
pub(crate) fn cpu_time(pid: Option<i32>) -> Option<Duration> {
    // The kernel's encoding of another process's CPU clock.
    let clock = pid.map_or(libc::CLOCK_PROCESS_CPUTIME_ID, |pid| (!pid << 3) | 2);
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a live local of the right type.
    unsafe { call(libc::SYS_clock_gettime, [clock as usize, &raw mut time as usize, 0, 0, 0]) }.ok()?;
    Some(Duration::new(time.tv_sec as u64, time.tv_nsec as u32))
}

/// Detaches from a process that made us its tracer, and delivers the signal that stopped it.
pub(crate) fn stop_tracing(pid: i32, signal: i32) {
    const DETACH: usize = 17;
    // SAFETY: the call touches no memory of ours.
    let _ = unsafe { call(libc::SYS_ptrace, [DETACH, pid as usize, 0, signal as usize, 0]) };
}

/// Whether the kernel refuses a call with this argument, followed by zeros. Only for calls that take no pointers.
pub(crate) fn is_refused(number: c_long, argument: usize) -> bool {
    // SAFETY: with these arguments no memory is touched; a descriptor that may be returned is leaked.
    unsafe { call(number, [argument, 0, 0, 0, 0]) }.is_err()
}

/// The arguments or the environment of a program, in the form that the kernel expects.
pub(crate) struct Words {
    _owned: Vec<CString>,
    pointers: Vec<*const c_char>,
}

// SAFETY: the pointers are to the heap memory of the strings next to them, which do not change.
unsafe impl Send for Words {}
// SAFETY: as above.
unsafe impl Sync for Words {}

impl Words {
    pub(crate) fn new(words: Vec<CString>) -> Self {
        let pointers = words.iter().map(|word| word.as_ptr()).chain([ptr::null()]).collect();
        Self { _owned: words, pointers }
    }
}

/// Executes a program. Returns the error if that fails. The first of `words` is a shell, which runs a program that the
/// kernel does not recognize; the program's own arguments start at the second.
pub(crate) fn execute(program: &CStr, words: &Words, environment: &Words) -> Errno {
    let become_it = |program: &CStr, words: &[*const c_char]| {
        let arguments = [program.as_ptr() as usize, words.as_ptr() as usize, environment.pointers.as_ptr() as usize];
        // SAFETY: both lists end with a null pointer, and their strings live as long as they do.
        unsafe { call(libc::SYS_execve, [arguments[0], arguments[1], arguments[2], 0, 0]) }
    };
    let error = become_it(program, &words.pointers[1..]).err().unwrap_or(Errno::IO);
    if error == Errno::NOEXEC {
        // A script without an interpreter line, which shells, and thus StarExec, run nevertheless.
        let _ = become_it(c"/bin/sh", &words.pointers);
    }
    error
}

/// Brings up the loopback device of a new network namespace.
pub(crate) fn bring_up_loopback() -> Result<()> {
    use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};
    let socket = socket_with(AddressFamily::INET, SocketType::DGRAM, SocketFlags::CLOEXEC, None)?;
    // SAFETY: an all-zero request is a valid one.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    request.ifr_name[0] = b'l' as c_char;
    request.ifr_name[1] = b'o' as c_char;
    request.ifr_ifru.ifru_flags = libc::IFF_UP as i16;
    let arguments = [socket.as_raw_fd() as usize, libc::SIOCSIFFLAGS as usize, &raw const request as usize, 0, 0];
    // SAFETY: the request lives through the call and is of the type that it takes.
    unsafe { call(libc::SYS_ioctl, arguments) }.map(drop)
}
