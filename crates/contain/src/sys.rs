//! System calls that have no safe wrapper elsewhere. All unsafe code of the crate is here.
//!
//! What runs in a new process before it executes its program may allocate nothing and take no lock: another thread of
//! the runner may have held one at the moment of the copy. Everything here keeps to that, but for [`Stack::new`].

#![allow(unsafe_code)]

use rustix::io::Errno;
use rustix::time::{ClockId, clock_gettime};
use std::cell::UnsafeCell;
use std::ffi::{CStr, CString, c_char, c_int, c_long, c_void};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::ptr;
use std::time::Duration;

type Result<T> = rustix::io::Result<T>;

/// The time on the clock that all times are taken from. Setting the system's time does not change it.
pub(crate) fn now() -> Duration {
    let time = clock_gettime(ClockId::Monotonic);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// The result of a raw call.
fn call(result: c_long) -> Result<c_long> {
    if result >= 0 {
        return Ok(result);
    }
    // SAFETY: the address of this thread's error number is always valid.
    Err(Errno::from_raw_os_error(unsafe { *libc::__errno_location() }))
}

/// Memory for the stack of a new process. Not written to in advance: each page that is costs a fault after every start.
pub(crate) struct Stack(Box<[UnsafeCell<MaybeUninit<u128>>]>);

impl Stack {
    pub(crate) fn new() -> Self {
        let memory = Box::<[UnsafeCell<MaybeUninit<u128>>]>::new_uninit_slice((64 << 10) / size_of::<u128>());
        // SAFETY: memory that may hold anything needs no value.
        Self(unsafe { memory.assume_init() })
    }
}

/// What a new process runs: a function and its argument.
struct Entry<'a, T> {
    body: fn(&T) -> i32,
    argument: &'a T,
}

extern "C" fn enter<T>(entry: *mut c_void) -> c_int {
    // SAFETY: `start` passes the address of an entry of this type that outlives the process's use of it.
    let entry = unsafe { &*entry.cast::<Entry<'_, T>>() };
    (entry.body)(entry.argument)
}

fn start<T>(stack: &Stack, flags: c_int, body: fn(&T) -> i32, argument: &T, pidfd: &mut c_int) -> Result<i32> {
    let mut entry = Entry { body, argument };
    // SAFETY: one past the end of the allocation, as the stack grows downwards; aligned as its elements are.
    let top = unsafe { stack.0.as_ptr().add(stack.0.len()) }.cast_mut();
    let entry: *mut Entry<'_, T> = &raw mut entry;
    // SAFETY: the new process either has its own copy of this memory or, with CLONE_VFORK, the caller waits until it
    // is done with it; the stack belongs to this call alone.
    let pid = unsafe { libc::clone(enter::<T>, top.cast(), flags, entry.cast(), ptr::from_mut(pidfd)) };
    call(c_long::from(pid)).map(|pid| pid as i32)
}

/// Starts a process with a copy of our memory, in new namespaces by the flags. Gives a descriptor of it.
pub(crate) fn start_copy<T>(stack: &Stack, namespaces: c_int, body: fn(&T) -> i32, argument: &T) -> Result<OwnedFd> {
    let mut pidfd = -1;
    start(stack, namespaces | libc::CLONE_PIDFD | libc::SIGCHLD, body, argument, &mut pidfd)?;
    // SAFETY: the kernel has just made it for us.
    Ok(unsafe { OwnedFd::from_raw_fd(pidfd) })
}

/// Starts a process in our memory and waits until it executes a program or ends. Gives its number.
pub(crate) fn start_shared<T>(stack: &Stack, body: fn(&T) -> i32, argument: &T) -> Result<i32> {
    start(stack, libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD, body, argument, &mut 0)
}

fn all_signals() -> libc::sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: the call fills the set.
    unsafe {
        libc::sigfillset(set.as_mut_ptr());
        set.assume_init()
    }
}

fn no_signals() -> libc::sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: the call fills the set.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        set.assume_init()
    }
}

fn set_mask(mask: &libc::sigset_t) -> libc::sigset_t {
    let mut old = no_signals();
    // SAFETY: both sets live through the call; it cannot fail with this argument.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, mask, &raw mut old) };
    old
}

/// Does something while no signal can come in between.
pub(crate) fn undisturbed<T>(act: impl FnOnce() -> T) -> T {
    let old = set_mask(&all_signals());
    let result = act();
    set_mask(&old);
    result
}

/// A descriptor that can be read when a child has ended. The signal has to be blocked.
pub(crate) fn child_signals() -> Result<OwnedFd> {
    let mut set = no_signals();
    // SAFETY: the set is a valid one.
    unsafe { libc::sigaddset(&raw mut set, libc::SIGCHLD) };
    // SAFETY: the set lives through the call.
    let fd = call(c_long::from(unsafe { libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) }))?;
    // SAFETY: the kernel has just made it for us.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as RawFd) })
}

/// Gives all signals their usual meaning back and lets them in.
pub(crate) fn usual_signals() {
    for signal in 1..=64 {
        // SAFETY: the usual meaning is a valid one for every signal; those that cannot be set give an error.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    set_mask(&no_signals());
}

/// A process that has ended, and its wait status.
pub(crate) struct Reaped {
    pub(crate) pid: i32,
    pub(crate) status: i32,
}

/// Reaps a child that has ended; none if none has.
pub(crate) fn reap(wait: bool) -> Result<Option<Reaped>> {
    let mut status = 0;
    let options = if wait { 0 } else { libc::WNOHANG };
    // SAFETY: the pointer is to a live local of the right type.
    let pid = call(c_long::from(unsafe { libc::waitpid(-1, &raw mut status, options) }))? as i32;
    Ok((pid > 0).then_some(Reaped { pid, status }))
}

/// What all children that were reaped have used: user and system time, and the resident size of the largest.
pub(crate) fn used_by_children() -> (Duration, Duration, u64) {
    // SAFETY: an all-zero value is a valid one, and the call overwrites it.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a live local of the right type.
    unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage) };
    let span = |time: libc::timeval| Duration::new(time.tv_sec as u64, time.tv_usec as u32 * 1000);
    (span(usage.ru_utime), span(usage.ru_stime), usage.ru_maxrss as u64 * 1024)
}

/// Closes or marks all descriptors in a range.
pub(crate) fn close_range(first: RawFd, last: RawFd, only_on_exec: bool) -> Result<()> {
    let flags = if only_on_exec { libc::CLOSE_RANGE_CLOEXEC } else { 0 };
    // SAFETY: the call touches no memory; who uses it owns nothing in the range any more.
    call(unsafe { libc::syscall(libc::SYS_close_range, first, last, flags) }).map(drop)
}

/// Duplicates a descriptor onto a number.
pub(crate) fn place_descriptor(from: BorrowedFd<'_>, onto: RawFd) -> Result<()> {
    // SAFETY: the call touches no memory; numbers 0 to 2 of a new process belong to nobody else.
    call(c_long::from(unsafe { libc::dup2(from.as_raw_fd(), onto) })).map(drop)
}

/// Sets attributes of a mount and all below it.
pub(crate) fn set_mount_attributes(mount: impl AsFd, path: &CStr, set: u64) -> Result<()> {
    let attributes = libc::mount_attr { attr_set: set, attr_clr: 0, propagation: 0, userns_fd: 0 };
    // SAFETY: the path and the attributes live through the call, and the size is theirs.
    call(unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            mount.as_fd().as_raw_fd(),
            path.as_ptr(),
            libc::AT_RECURSIVE | libc::AT_EMPTY_PATH,
            &raw const attributes,
            size_of::<libc::mount_attr>(),
        )
    })
    .map(drop)
}

/// Puts a filter on the system calls of this process and all it starts.
pub(crate) fn filter_calls(filter: &[libc::sock_filter]) -> Result<()> {
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_ptr().cast_mut() };
    // SAFETY: the program and its instructions live through the call; the kernel copies and checks them.
    call(unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, 0, &raw const program) }).map(drop)
}

/// Words for a program, ready to be handed to the kernel.
pub(crate) struct Words {
    _owned: Vec<CString>,
    pointers: Vec<*const c_char>,
}

// SAFETY: the pointers are to the heap memory of the strings beside them, which nobody changes.
unsafe impl Send for Words {}
// SAFETY: as above.
unsafe impl Sync for Words {}

impl Words {
    pub(crate) fn new(words: Vec<CString>) -> Self {
        let pointers = words.iter().map(|word| word.as_ptr()).chain([ptr::null()]).collect();
        Self { _owned: words, pointers }
    }
}

/// Becomes the program; gives the error if that fails. `words` are those of a shell that would run it, so the program's
/// own are those from the second on.
pub(crate) fn execute(program: &CStr, words: &Words, environment: &Words) -> Errno {
    // SAFETY: both lists end with a null pointer and hold strings that live as long.
    unsafe {
        libc::execve(program.as_ptr(), words.pointers[1..].as_ptr(), environment.pointers.as_ptr());
        let error = *libc::__errno_location();
        if error == libc::ENOEXEC {
            // A script that does not name its shell; shells, and with them StarExec, run it all the same.
            libc::execve(c"/bin/sh".as_ptr(), words.pointers.as_ptr(), environment.pointers.as_ptr());
        }
        Errno::from_raw_os_error(error)
    }
}

/// Brings up the loopback device of a new network.
pub(crate) fn bring_up_loopback() -> Result<()> {
    // SAFETY: the call touches no memory.
    let fd = call(c_long::from(unsafe { libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0) }))?;
    // SAFETY: the kernel has just made it for us.
    let socket = unsafe { OwnedFd::from_raw_fd(fd as RawFd) };
    // SAFETY: an all-zero request is a valid one.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    request.ifr_name[0] = b'l' as c_char;
    request.ifr_name[1] = b'o' as c_char;
    request.ifr_ifru.ifru_flags = libc::IFF_UP as i16;
    // SAFETY: the request lives through the call and is of the type that it takes.
    call(c_long::from(unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS, &raw const request) })).map(drop)
}
