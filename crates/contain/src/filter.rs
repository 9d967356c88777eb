//! The system calls that a run has no business with: those that would give it capabilities in namespaces of its own,
//! those that reach what namespaces do not divide (keyrings), and large attack surfaces that no solver needs.

use libc::{c_long, sock_filter};

/// The calls in question, by the numbers of one machine.
struct Calls {
    /// How the kernel names the machine.
    machine: u32,
    /// Refused as not permitted.
    refused: &'static [c_long],
    /// Said to be absent, so that programs fall back: `clone3` hides its flags behind a pointer, where a filter does
    /// not see them.
    absent: &'static [c_long],
    /// Refused where each of these arguments has one of these bits.
    guarded: &'static [(c_long, &'static [(u32, u32)])],
    /// Makes a socket of the kind in its first argument.
    socket: c_long,
    /// Refused to those who have cores of their own: they would leave them for others'.
    choose_cores: c_long,
}

const NATIVE: Calls = Calls {
    machine: if cfg!(target_arch = "x86_64") { 0xc000_003e } else { 0xc000_00b7 },
    refused: &[
        libc::SYS_unshare,
        libc::SYS_setns,
        libc::SYS_mount,
        libc::SYS_umount2,
        libc::SYS_pivot_root,
        libc::SYS_chroot,
        libc::SYS_open_tree,
        libc::SYS_move_mount,
        libc::SYS_fsopen,
        libc::SYS_fsconfig,
        libc::SYS_fsmount,
        libc::SYS_fspick,
        libc::SYS_mount_setattr,
        libc::SYS_add_key,
        libc::SYS_request_key,
        libc::SYS_keyctl,
        libc::SYS_bpf,
        libc::SYS_perf_event_open,
        libc::SYS_userfaultfd,
        libc::SYS_quotactl,
    ],
    absent: &[libc::SYS_clone3, libc::SYS_io_uring_setup, libc::SYS_openat2],
    guarded: &[
        (libc::SYS_clone, &[(0, NAMESPACES)]),
        (libc::SYS_fchmod, &[(1, RISING)]),
        (libc::SYS_fchmodat, &[(2, RISING)]),
        (CHMOD_AT_2, &[(2, RISING)]),
        (libc::SYS_mknodat, &[(2, RISING)]),
        (libc::SYS_openat, &[(2, CREATE), (3, RISING)]),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_chmod, &[(1, RISING)]),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_creat, &[(1, RISING)]),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_mknod, &[(1, RISING)]),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_open, &[(1, CREATE), (2, RISING)]),
    ],
    socket: libc::SYS_socket,
    choose_cores: libc::SYS_sched_setaffinity,
};

/// The same number everywhere; younger than the C library's list.
const CHMOD_AT_2: c_long = 452;

/// The same calls by the numbers of 32-bit programs, such as the solvers of the first competitions.
#[cfg(target_arch = "x86_64")]
const OLD: Calls = Calls {
    machine: 0x4000_0003,
    refused: &[310, 346, 21, 22, 52, 217, 61, 428, 429, 430, 431, 432, 433, 442, 286, 287, 288, 357, 336, 374, 131],
    // With the call that hides all calls on sockets behind a pointer.
    absent: &[435, 425, 437, 102],
    guarded: &[
        (120, &[(0, NAMESPACES)]),
        (15, &[(1, RISING)]),
        (94, &[(1, RISING)]),
        (306, &[(2, RISING)]),
        (CHMOD_AT_2, &[(2, RISING)]),
        (14, &[(1, RISING)]),
        (297, &[(2, RISING)]),
        (8, &[(1, RISING)]),
        (5, &[(1, CREATE), (2, RISING)]),
        (295, &[(2, CREATE), (3, RISING)]),
    ],
    socket: 359,
    choose_cores: 241,
};

/// The flags of `clone` that make namespaces.
const NAMESPACES: u32 = (libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP) as u32;

/// The bits of a file's mode that give who executes it the rights of its owner or group.
const RISING: u32 = 0o6000;

/// The bit with which a file is made.
const CREATE: u32 = libc::O_CREAT as u32;

/// The kinds of sockets that reach no further than the network namespace.
const SOCKETS: [i32; 3] = [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];

/// From this number on are calls of a third kind, with 64-bit registers and 32-bit pointers, that nobody uses.
const THIRD_KIND: u32 = 0x4000_0000;

/// Where in what the filter is given the call's number and the machine are.
const NUMBER: u32 = 0;
const MACHINE: u32 = 4;

/// Where the low half of an argument is.
fn argument(at: u32) -> u32 {
    16 + 8 * at
}

const REFUSE: u32 = libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;
const ABSENT: u32 = libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;
const NO_SUCH_SOCKET: u32 = libc::SECCOMP_RET_ERRNO | libc::EAFNOSUPPORT as u32;

fn load(offset: u32) -> sock_filter {
    sock_filter { code: (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16, jt: 0, jf: 0, k: offset }
}

/// Goes on with the next instruction if the comparison with what was loaded holds, and skips so many if it does not.
fn only_if(comparison: u32, value: u32, skip: usize) -> sock_filter {
    sock_filter {
        code: (libc::BPF_JMP | comparison | libc::BPF_K) as u16,
        jt: 0,
        jf: u8::try_from(skip).expect("a short jump"),
        k: value,
    }
}

fn finish(verdict: u32) -> sock_filter {
    sock_filter { code: (libc::BPF_RET | libc::BPF_K) as u16, jt: 0, jf: 0, k: verdict }
}

/// What a run may do beyond what is usual.
#[derive(Clone, Copy)]
pub(crate) struct Leave {
    /// It has no cores of its own, so it may choose.
    pub(crate) to_choose_cores: bool,
    /// It keeps the network, so it may have sockets of all kinds.
    pub(crate) to_use_sockets: bool,
}

/// What is said to the calls of one machine.
fn section(calls: &Calls, leave: Leave) -> Vec<sock_filter> {
    let mut program = vec![load(NUMBER), only_if(libc::BPF_JGE, THIRD_KIND, 1), finish(REFUSE)];
    let cores = if leave.to_choose_cores { &[] } else { &[calls.choose_cores][..] };
    for (numbers, verdict) in [(calls.refused, REFUSE), (cores, REFUSE), (calls.absent, ABSENT)] {
        for number in numbers {
            program.extend([only_if(libc::BPF_JEQ, *number as u32, 1), finish(verdict)]);
        }
    }
    for (number, conditions) in calls.guarded {
        // Two instructions for each condition, then the two verdicts.
        let length = 2 * conditions.len();
        program.push(only_if(libc::BPF_JEQ, *number as u32, length + 2));
        for (at, (place, bits)) in conditions.iter().enumerate() {
            program.extend([load(argument(*place)), only_if(libc::BPF_JSET, *bits, length - 2 * at - 1)]);
        }
        program.extend([finish(REFUSE), finish(libc::SECCOMP_RET_ALLOW)]);
    }
    if !leave.to_use_sockets {
        program.extend([only_if(libc::BPF_JEQ, calls.socket as u32, 2 + 2 * SOCKETS.len()), load(argument(0))]);
        for kind in SOCKETS {
            program.extend([only_if(libc::BPF_JEQ, kind as u32, 1), finish(libc::SECCOMP_RET_ALLOW)]);
        }
        program.push(finish(NO_SUCH_SOCKET));
    }
    program.push(finish(libc::SECCOMP_RET_ALLOW));
    program
}

/// The filter as a program for the kernel.
pub(crate) fn filter(leave: Leave) -> Vec<sock_filter> {
    let mut program = vec![load(MACHINE)];
    let mut add = |calls: &Calls| {
        let section = section(calls, leave);
        program.push(only_if(libc::BPF_JEQ, calls.machine, section.len()));
        program.extend(section);
    };
    add(&NATIVE);
    #[cfg(target_arch = "x86_64")]
    add(&OLD);
    program.push(finish(REFUSE));
    program
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Leave = Leave { to_choose_cores: false, to_use_sockets: false };
    const ALL: Leave = Leave { to_choose_cores: true, to_use_sockets: true };

    /// What the filter says to a call, by the meaning of its instructions.
    fn verdict(leave: Leave, machine: u32, number: c_long, arguments: [u32; 4]) -> u32 {
        let program = filter(leave);
        let (mut at, mut loaded) = (0, 0);
        loop {
            let sock_filter { code, jt, jf, k } = program[at];
            at += 1;
            let code = u32::from(code);
            if code & 7 == libc::BPF_RET {
                return k;
            }
            if code & 7 == libc::BPF_LD {
                loaded = match k {
                    NUMBER => number as u32,
                    MACHINE => machine,
                    place => arguments[(place as usize - 16) / 8],
                };
                continue;
            }
            let holds = match code & 0xf0 {
                libc::BPF_JEQ => loaded == k,
                libc::BPF_JGE => loaded >= k,
                _ => loaded & k != 0,
            };
            at += usize::from(if holds { jt } else { jf });
        }
    }

    fn check(calls: &Calls, read: c_long) {
        let allow = libc::SECCOMP_RET_ALLOW;
        let said = |number: c_long, arguments| verdict(NONE, calls.machine, number, arguments);
        assert!(calls.refused.iter().all(|number| said(*number, [0; 4]) == REFUSE));
        assert!(calls.absent.iter().all(|number| said(*number, [0; 4]) == ABSENT));
        assert_eq!(said(read, [u32::MAX; 4]), allow);
        assert_eq!(said(c_long::from(THIRD_KIND), [0; 4]), REFUSE);
        for (number, conditions) in calls.guarded {
            let mut arguments = [0; 4];
            conditions.iter().for_each(|(place, bits)| arguments[*place as usize] = *bits);
            assert_eq!(said(*number, arguments), REFUSE, "{number}");
            for (place, bits) in *conditions {
                // Without one of its conditions, and with everything else.
                let mut others = [u32::MAX; 4];
                others[*place as usize] = !bits;
                assert_eq!(said(*number, others), allow, "{number}");
            }
        }
        for kind in 0..50 {
            let expected = if SOCKETS.contains(&(kind as i32)) { allow } else { NO_SUCH_SOCKET };
            assert_eq!(said(calls.socket, [kind, 0, 0, 0]), expected, "{kind}");
        }
        assert_eq!(said(calls.choose_cores, [0; 4]), REFUSE);
        assert_eq!(verdict(ALL, calls.machine, calls.choose_cores, [0; 4]), allow);
        assert_eq!(verdict(ALL, calls.machine, calls.socket, [1, 0, 0, 0]), allow);
    }

    #[test]
    fn each_call_gets_its_verdict() {
        check(&NATIVE, libc::SYS_read);
        #[cfg(target_arch = "x86_64")]
        check(&OLD, 3);
        assert_eq!(verdict(ALL, 1, libc::SYS_read, [0; 4]), REFUSE);
    }
}
