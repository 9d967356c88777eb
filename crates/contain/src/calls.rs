//! The system calls that a run is denied, one row each.
//!
//! Every call up to [`REVIEWED`] was reviewed. Calls without a row are allowed, and calls that a newer kernel adds fail
//! as unknown. A row exists because the call reaches something that namespaces and control groups do not divide: kernel
//! state shared by all users (quotas, leases, policies), uncharged memory, privileges, or the run's init process. Calls
//! that need a capability are left to the kernel, which refuses them.

use crate::filter::Test::{AtLeast, Has, Is};
use crate::filter::{Clause, Decision, Row, high, low};
use Decision::{Absent, Allow, Ask, Fail, Refuse, Succeed};
use libc::c_long;

/// The first system call number that was not reviewed. Numbers from 424 on are the same on all architectures.
pub(crate) const REVIEWED: u32 = 463;

/// Marks a call that an architecture does not have.
pub(crate) const NONE: c_long = -1;

/// The number of a call that newer architectures dropped.
macro_rules! classic {
    ($name:ident) => {{
        #[cfg(target_arch = "x86_64")]
        const NUMBER: c_long = libc::$name;
        #[cfg(not(target_arch = "x86_64"))]
        const NUMBER: c_long = NONE;
        NUMBER
    }};
}

/// A row with one decision for all uses of a call.
const fn all(native: c_long, old: c_long, verdict: Decision) -> Row {
    Row { native, old, clauses: &[], otherwise: verdict }
}

/// A row that allows a call unless a clause applies.
const fn when(native: c_long, old: c_long, clauses: &'static [Clause]) -> Row {
    Row { native, old, clauses, otherwise: Allow }
}

/// A row for a call that has the same number on every architecture.
const fn new(number: c_long, verdict: Decision) -> Row {
    all(number, number, verdict)
}

/// The flags of `clone` that create namespaces.
const NAMESPACES: u32 = (libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP) as u32;

/// The set-user-id and set-group-id bits of a file mode.
const SET_ID: u32 = 0o6000;
const CREATE: u32 = libc::O_CREAT as u32;
/// The part of `O_TMPFILE` that is not `O_DIRECTORY`.
const UNNAMED: u32 = 0o20_000_000;

/// The pid of the run's init process.
const FIRST: u32 = 1;

/// `PTRACE_O_TRACEEXIT`: a traced process stops before it exits.
const TRACE_EXIT: u32 = 0x40;

const NOT_A_FAMILY: Decision = Fail(libc::EAFNOSUPPORT);
const NOT_A_PROTOCOL: Decision = Fail(libc::EPROTONOSUPPORT);
const NOT_AN_OPTION: Decision = Fail(libc::ENOPROTOOPT);
const INVALID: Decision = Fail(libc::EINVAL);

/// `fcntl`: leases and notifications delay or reveal other processes' use of a file, a changed signal owner reaches the
/// init process, larger pipes use up the user's quota. Record locks are not charged to any control group, so the init
/// process counts them.
///
/// 1024 is `F_SETLEASE`, 1026 `F_NOTIFY`, 1031 `F_SETPIPE_SZ`, 10 `F_SETSIG`, 15 `F_SETOWN_EX`; 6, 7, 13, 14, 37 and 38
/// set record locks; commands from 1039 on were not reviewed.
const FCNTL: &[Clause] = &[
    Clause { when: &[(low(1), AtLeast(1039))], then: INVALID },
    Clause { when: &[(low(1), Is(1024))], then: Refuse },
    Clause { when: &[(low(1), Is(1026))], then: Refuse },
    Clause { when: &[(low(1), Is(1031))], then: Refuse },
    Clause { when: &[(low(1), Is(libc::F_SETOWN as u32))], then: Refuse },
    Clause { when: &[(low(1), Is(10))], then: Refuse },
    Clause { when: &[(low(1), Is(15))], then: Refuse },
    Clause { when: &[(low(1), Is(6))], then: Ask },
    Clause { when: &[(low(1), Is(7))], then: Ask },
    Clause { when: &[(low(1), Is(13))], then: Ask },
    Clause { when: &[(low(1), Is(14))], then: Ask },
    Clause { when: &[(low(1), Is(37))], then: Ask },
    Clause { when: &[(low(1), Is(38))], then: Ask },
];

/// `madvise`: merging memory with other processes' (12, `MADV_MERGEABLE`), and evicting pages that may be shared (20,
/// `MADV_COLD`; 21, `MADV_PAGEOUT`).
const MADVISE: &[Clause] = &[
    Clause { when: &[(low(2), Is(12))], then: INVALID },
    Clause { when: &[(low(2), Is(20))], then: INVALID },
    Clause { when: &[(low(2), Is(21))], then: INVALID },
];

/// `prctl`: further filters use up the machine's memory for compiled filters; names of mappings are not charged;
/// options that were not reviewed are refused, except the one that lets a debugger attach.
const PRCTL: &[Clause] = &[
    Clause { when: &[(low(0), Is(libc::PR_SET_SECCOMP as u32))], then: INVALID },
    Clause { when: &[(low(0), Is(0x5961_6d61))], then: Allow },
    Clause { when: &[(low(0), AtLeast(62))], then: INVALID },
];

/// Rows for every run.
pub(crate) const ALWAYS: &[Row] = &[
    // Namespaces, and file systems that could be mounted in them.
    when(libc::SYS_clone, 120, &[Clause { when: &[(low(0), Has(NAMESPACES))], then: Refuse }]),
    all(libc::SYS_unshare, 310, Refuse),
    all(libc::SYS_setns, 346, Refuse),
    all(libc::SYS_mount, 21, Refuse),
    all(libc::SYS_umount2, 52, Refuse),
    all(NONE, 22, Refuse),
    all(libc::SYS_pivot_root, 217, Refuse),
    all(libc::SYS_chroot, 61, Refuse),
    new(428, Refuse),
    new(429, Refuse),
    new(430, Refuse),
    new(431, Refuse),
    new(432, Refuse),
    new(433, Refuse),
    new(442, Refuse),
    // `clone3` and `openat2` take their flags through a pointer, which a filter cannot read; C libraries fall back.
    new(435, Absent),
    new(437, Absent),
    // Set-user-id and set-group-id files.
    when(libc::SYS_fchmod, 94, &[Clause { when: &[(low(1), Has(SET_ID))], then: Refuse }]),
    when(libc::SYS_fchmodat, 306, &[Clause { when: &[(low(2), Has(SET_ID))], then: Refuse }]),
    when(452, 452, &[Clause { when: &[(low(2), Has(SET_ID))], then: Refuse }]),
    when(classic!(SYS_chmod), 15, &[Clause { when: &[(low(1), Has(SET_ID))], then: Refuse }]),
    when(classic!(SYS_creat), 8, &[Clause { when: &[(low(1), Has(SET_ID))], then: Refuse }]),
    when(classic!(SYS_mknod), 14, &[Clause { when: &[(low(1), Has(SET_ID))], then: Refuse }]),
    when(libc::SYS_mknodat, 297, &[Clause { when: &[(low(2), Has(SET_ID))], then: Refuse }]),
    when(
        classic!(SYS_open),
        5,
        &[
            Clause { when: &[(low(1), Has(CREATE)), (low(2), Has(SET_ID))], then: Refuse },
            Clause { when: &[(low(1), Has(UNNAMED)), (low(2), Has(SET_ID))], then: Refuse },
        ],
    ),
    when(
        libc::SYS_openat,
        295,
        &[
            Clause { when: &[(low(2), Has(CREATE)), (low(3), Has(SET_ID))], then: Refuse },
            Clause { when: &[(low(2), Has(UNNAMED)), (low(3), Has(SET_ID))], then: Refuse },
        ],
    ),
    all(libc::SYS_name_to_handle_at, 341, Absent),
    all(libc::SYS_open_by_handle_at, 342, Absent),
    // Programs that run in the kernel, and tracing of the kernel.
    all(libc::SYS_bpf, 357, Refuse),
    all(libc::SYS_seccomp, 354, INVALID),
    all(libc::SYS_perf_event_open, 336, Refuse),
    all(libc::SYS_userfaultfd, 374, Refuse),
    all(libc::SYS_syslog, 103, Refuse),
    all(libc::SYS_kcmp, 349, Absent),
    new(425, Absent),
    new(426, Absent),
    new(427, Absent),
    new(444, Absent),
    new(445, Absent),
    new(446, Absent),
    new(457, Absent),
    new(458, Absent),
    new(459, Absent),
    new(460, Absent),
    new(461, Absent),
    #[cfg(target_arch = "x86_64")]
    all(libc::SYS_modify_ldt, 123, Absent),
    all(NONE, 113, Absent),
    all(NONE, 166, Absent),
    all(classic!(SYS_uselib), 86, Absent),
    // Quotas of a user or of the machine: keys, watches, asynchronous I/O, message queues.
    all(libc::SYS_add_key, 286, Refuse),
    all(libc::SYS_request_key, 287, Refuse),
    all(libc::SYS_keyctl, 288, Refuse),
    all(classic!(SYS_inotify_init), 291, Absent),
    all(libc::SYS_inotify_init1, 332, Absent),
    all(libc::SYS_fanotify_init, 338, Absent),
    all(libc::SYS_io_setup, 245, Absent),
    all(libc::SYS_mq_open, 277, Absent),
    all(libc::SYS_mq_unlink, 278, Absent),
    all(libc::SYS_mq_timedsend, 279, Absent),
    all(libc::SYS_mq_timedreceive, 280, Absent),
    all(libc::SYS_mq_notify, 281, Absent),
    all(libc::SYS_mq_getsetattr, 282, Absent),
    all(NONE, 418, Absent),
    all(NONE, 419, Absent),
    all(libc::SYS_quotactl, 131, Refuse),
    new(443, Refuse),
    // Memory that is not charged to the run, or comes from a shared pool.
    all(libc::SYS_mbind, 274, Refuse),
    all(libc::SYS_set_mempolicy, 276, Refuse),
    all(libc::SYS_migrate_pages, 294, Refuse),
    all(libc::SYS_move_pages, 317, Refuse),
    new(450, Refuse),
    new(440, Absent),
    new(447, Absent),
    new(448, Absent),
    new(451, Absent),
    when(libc::SYS_madvise, 219, MADVISE),
    when(libc::SYS_mmap, 192, &[Clause { when: &[(low(3), Has(libc::MAP_HUGETLB as u32))], then: Fail(libc::ENOMEM) }]),
    when(libc::SYS_memfd_create, 356, &[Clause { when: &[(low(1), Has(libc::MFD_HUGETLB))], then: INVALID }]),
    when(libc::SYS_shmget, 395, &[Clause { when: &[(low(2), Has(libc::SHM_HUGETLB as u32))], then: Refuse }]),
    when(NONE, 117, &[Clause { when: &[(low(0), Is(23)), (low(3), Has(libc::SHM_HUGETLB as u32))], then: Refuse }]),
    when(libc::SYS_prctl, 172, PRCTL),
    when(libc::SYS_fcntl, 55, FCNTL),
    when(NONE, 221, FCNTL),
    // Two processes that trace each other with this option would wait for each other forever, even when killed.
    when(
        libc::SYS_ptrace,
        26,
        &[
            Clause { when: &[(low(0), Is(0x4200)), (low(3), Has(TRACE_EXIT))], then: Refuse },
            Clause { when: &[(low(0), Is(0x4206)), (low(3), Has(TRACE_EXIT))], then: Refuse },
            Clause { when: &[(low(0), Is(21)), (low(3), Has(TRACE_EXIT))], then: Refuse },
        ],
    ),
    // The disks and the page cache are shared with other runs: report success and do nothing.
    all(libc::SYS_sync, 36, Succeed),
    all(libc::SYS_syncfs, 344, Succeed),
    when(libc::SYS_fadvise64, NONE, &[Clause { when: &[(low(3), Is(4))], then: Succeed }]),
    when(NONE, 250, &[Clause { when: &[(low(4), Is(4))], then: Succeed }]),
    when(NONE, 272, &[Clause { when: &[(low(5), Is(4))], then: Succeed }]),
    // The run's init process must not be signaled, limited or rescheduled.
    when(libc::SYS_kill, 37, &[Clause { when: &[(low(0), Is(FIRST))], then: Refuse }]),
    when(libc::SYS_tkill, 238, &[Clause { when: &[(low(0), Is(FIRST))], then: Refuse }]),
    when(
        libc::SYS_tgkill,
        270,
        &[Clause { when: &[(low(0), Is(FIRST))], then: Refuse }, Clause { when: &[(low(1), Is(FIRST))], then: Refuse }],
    ),
    when(libc::SYS_rt_sigqueueinfo, 178, &[Clause { when: &[(low(0), Is(FIRST))], then: Refuse }]),
    when(
        libc::SYS_rt_tgsigqueueinfo,
        335,
        &[Clause { when: &[(low(0), Is(FIRST))], then: Refuse }, Clause { when: &[(low(1), Is(FIRST))], then: Refuse }],
    ),
    // A directory of /proc also serves as a process descriptor, and a filter cannot tell whose it is.
    new(424, Absent),
    when(434, 434, &[Clause { when: &[(low(0), Is(FIRST))], then: Refuse }]),
    new(438, Absent),
    when(
        libc::SYS_setpriority,
        97,
        &[
            // Selecting by user would include the init process.
            Clause { when: &[(low(0), Is(2))], then: Refuse },
            Clause { when: &[(low(0), Is(0)), (low(1), Is(FIRST))], then: Refuse },
        ],
    ),
    when(libc::SYS_sched_setparam, 154, &[Clause { when: &[(low(0), Is(FIRST))], then: Refuse }]),
    when(libc::SYS_sched_setscheduler, 156, &[Clause { when: &[(low(0), Is(FIRST))], then: Refuse }]),
    when(libc::SYS_sched_setattr, 351, &[Clause { when: &[(low(0), Is(FIRST))], then: Refuse }]),
    when(
        libc::SYS_ioprio_set,
        289,
        &[
            Clause { when: &[(low(0), Is(3))], then: Refuse },
            Clause { when: &[(low(0), Is(1)), (low(1), Is(FIRST))], then: Refuse },
        ],
    ),
    // Only `AF_UNIX` has socket pairs; asking for others loads kernel modules. A datagram socket could be redirected to
    // the host's sockets by path, whatever it was connected to before; both kinds that can do this have bit 2 in their
    // type.
    Row {
        native: libc::SYS_socketpair,
        old: 360,
        clauses: &[
            Clause { when: &[(low(0), Is(libc::AF_UNIX as u32)), (low(1), Has(2))], then: NOT_A_PROTOCOL },
            Clause { when: &[(low(0), Is(libc::AF_UNIX as u32))], then: Allow },
        ],
        otherwise: NOT_A_FAMILY,
    },
    // `socketcall` multiplexes all socket calls and takes their arguments through a pointer; C libraries fall back.
    all(NONE, 102, Absent),
];

/// Sockets of a run without a network: those confined to its own network namespace, with the protocols that are always
/// available and the options that carry no program and hold no memory. Socket buffers are not charged everywhere, so
/// the init process counts the sockets.
pub(crate) const WITHOUT_NETWORK: &[Row] = &[
    Row {
        native: libc::SYS_socket,
        old: 359,
        clauses: &[
            Clause { when: &[(low(0), Is(INET)), (low(2), Is(0))], then: Ask },
            Clause { when: &[(low(0), Is(INET)), (low(2), Is(TCP))], then: Ask },
            Clause { when: &[(low(0), Is(INET)), (low(2), Is(UDP))], then: Ask },
            Clause { when: &[(low(0), Is(INET))], then: NOT_A_PROTOCOL },
            Clause { when: &[(low(0), Is(INET6)), (low(2), Is(0))], then: Ask },
            Clause { when: &[(low(0), Is(INET6)), (low(2), Is(TCP))], then: Ask },
            Clause { when: &[(low(0), Is(INET6)), (low(2), Is(UDP))], then: Ask },
            Clause { when: &[(low(0), Is(INET6))], then: NOT_A_PROTOCOL },
            Clause { when: &[(low(0), Is(libc::AF_NETLINK as u32)), (low(2), Is(0))], then: Ask },
            Clause { when: &[(low(0), Is(libc::AF_NETLINK as u32))], then: NOT_A_PROTOCOL },
        ],
        otherwise: NOT_A_FAMILY,
    },
    Row {
        native: libc::SYS_setsockopt,
        old: 366,
        clauses: &[
            // Timeouts of 32-bit programs.
            Clause { when: &[(low(1), Is(SOCKET)), (low(2), Is(66))], then: Allow },
            Clause { when: &[(low(1), Is(SOCKET)), (low(2), Is(67))], then: Allow },
            Clause { when: &[(low(1), Is(SOCKET)), (low(2), AtLeast(26))], then: NOT_AN_OPTION },
            Clause { when: &[(low(1), Is(SOCKET))], then: Allow },
            Clause { when: &[(low(1), Is(TCP)), (low(2), Is(18))], then: Allow },
            Clause { when: &[(low(1), Is(TCP)), (low(2), AtLeast(13))], then: NOT_AN_OPTION },
            Clause { when: &[(low(1), Is(TCP))], then: Allow },
            Clause { when: &[(low(1), Is(0)), (low(2), AtLeast(4))], then: NOT_AN_OPTION },
            Clause { when: &[(low(1), Is(0))], then: Allow },
            Clause { when: &[(low(1), Is(libc::IPPROTO_IPV6 as u32)), (low(2), Is(26))], then: Allow },
        ],
        otherwise: NOT_AN_OPTION,
    },
];

const INET: u32 = libc::AF_INET as u32;
const INET6: u32 = libc::AF_INET6 as u32;
const TCP: u32 = libc::IPPROTO_TCP as u32;
const UDP: u32 = libc::IPPROTO_UDP as u32;
const SOCKET: u32 = libc::SOL_SOCKET as u32;

/// Sockets of a run that keeps the network: everything except programs that run in the kernel (`SO_ATTACH_FILTER`,
/// `SO_ATTACH_BPF` and their two variants for `SO_REUSEPORT`).
pub(crate) const WITH_NETWORK: &[Row] = &[when(
    libc::SYS_setsockopt,
    366,
    &[
        Clause { when: &[(low(1), Is(SOCKET)), (low(2), Is(26))], then: Refuse },
        Clause { when: &[(low(1), Is(SOCKET)), (low(2), Is(50))], then: Refuse },
        Clause { when: &[(low(1), Is(SOCKET)), (low(2), Is(51))], then: Refuse },
        Clause { when: &[(low(1), Is(SOCKET)), (low(2), Is(52))], then: Refuse },
    ],
)];

/// A run with cores of its own cannot move to others.
pub(crate) const OWN_CORES: &[Row] = &[all(libc::SYS_sched_setaffinity, 241, Refuse)];

/// A run that shares all cores may choose among them, but not for the init process.
pub(crate) const SHARED_CORES: &[Row] =
    &[when(libc::SYS_sched_setaffinity, 241, &[Clause { when: &[(low(0), Is(FIRST))], then: Refuse }])];

/// A run cannot change the resource limits of other processes.
pub(crate) const PLAIN_CORES: &[Row] =
    &[when(libc::SYS_prlimit64, 340, &[Clause { when: &[(low(0), Has(u32::MAX))], then: Refuse }])];

/// Additional rules where the kernel pipes core dumps to a program of the host. Only a size limit of one byte prevents
/// that, so a program must not be able to lower it to zero.
pub(crate) const PIPED_CORES: &[Row] = &[
    when(
        libc::SYS_prlimit64,
        340,
        &[
            Clause { when: &[(low(0), Has(u32::MAX))], then: Refuse },
            Clause { when: &[(low(1), Is(CORE)), (low(2), Has(u32::MAX))], then: Refuse },
            Clause { when: &[(low(1), Is(CORE)), (high(2), Has(u32::MAX))], then: Refuse },
        ],
    ),
    when(classic!(SYS_setrlimit), 75, &[Clause { when: &[(low(0), Is(CORE))], then: Refuse }]),
];

const CORE: u32 = libc::RLIMIT_CORE;
