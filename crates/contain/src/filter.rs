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
    clone: c_long,
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
    absent: &[libc::SYS_clone3, libc::SYS_io_uring_setup],
    clone: libc::SYS_clone,
    choose_cores: libc::SYS_sched_setaffinity,
};

/// The same calls by the numbers of 32-bit programs, such as the solvers of the first competitions.
#[cfg(target_arch = "x86_64")]
const OLD: Calls = Calls {
    machine: 0x4000_0003,
    refused: &[310, 346, 21, 22, 52, 217, 61, 428, 429, 430, 431, 432, 433, 442, 286, 287, 288, 357, 336, 374, 131],
    absent: &[435, 425],
    clone: 120,
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

/// From this number on are calls of a third kind, with 64-bit registers and 32-bit pointers, that nobody uses.
const THIRD_KIND: u32 = 0x4000_0000;

/// Where in what the filter is given the call's number, the machine and the low half of the first argument are.
const NUMBER: u32 = 0;
const MACHINE: u32 = 4;
const FIRST_ARGUMENT: u32 = 16;

const REFUSE: u32 = libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;
const ABSENT: u32 = libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;

fn load(offset: u32) -> sock_filter {
    sock_filter { code: (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16, jt: 0, jf: 0, k: offset }
}

/// Goes on with the next instruction if the comparison with what was loaded holds, and skips so many if it does not.
fn only_if(comparison: u32, value: u32, skip: usize) -> sock_filter {
    sock_filter { code: (libc::BPF_JMP | comparison | libc::BPF_K) as u16, jt: 0, jf: skip as u8, k: value }
}

fn finish(verdict: u32) -> sock_filter {
    sock_filter { code: (libc::BPF_RET | libc::BPF_K) as u16, jt: 0, jf: 0, k: verdict }
}

/// What is said to the calls of one machine.
fn section(calls: &Calls, has_own_cores: bool) -> Vec<sock_filter> {
    let mut program = vec![load(NUMBER), only_if(libc::BPF_JGE, THIRD_KIND, 1), finish(REFUSE)];
    let cores = if has_own_cores { &[calls.choose_cores][..] } else { &[] };
    for (numbers, verdict) in [(calls.refused, REFUSE), (cores, REFUSE), (calls.absent, ABSENT)] {
        for number in numbers {
            program.extend([only_if(libc::BPF_JEQ, *number as u32, 1), finish(verdict)]);
        }
    }
    program.extend([
        only_if(libc::BPF_JEQ, calls.clone as u32, 3),
        load(FIRST_ARGUMENT),
        only_if(libc::BPF_JSET, NAMESPACES, 1),
        finish(REFUSE),
        finish(libc::SECCOMP_RET_ALLOW),
    ]);
    program
}

/// The filter as a program for the kernel.
pub(crate) fn filter(has_own_cores: bool) -> Vec<sock_filter> {
    let mut program = vec![load(MACHINE)];
    let mut add = |calls: &Calls| {
        let section = section(calls, has_own_cores);
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

    /// What the filter says to a call, by the meaning of its instructions.
    fn verdict(machine: u32, number: u32, argument: u32, has_own_cores: bool) -> u32 {
        let program = filter(has_own_cores);
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
                    NUMBER => number,
                    MACHINE => machine,
                    _ => argument,
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

    #[test]
    fn each_call_gets_its_verdict() {
        let allow = libc::SECCOMP_RET_ALLOW;
        let check = |calls: &Calls, free: [c_long; 2]| {
            let said = |number: c_long, argument: u32| verdict(calls.machine, number as u32, argument, false);
            assert!(calls.refused.iter().all(|number| said(*number, 0) == REFUSE));
            assert!(calls.absent.iter().all(|number| said(*number, 0) == ABSENT));
            assert!(free.iter().all(|number| said(*number, u32::MAX) == allow));
            assert_eq!(said(calls.clone, libc::CLONE_VM as u32 | 17), allow);
            assert_eq!(said(calls.clone, libc::CLONE_NEWUSER as u32 | 17), REFUSE);
            assert_eq!(said(c_long::from(THIRD_KIND), 0), REFUSE);
            let pinned = |number: c_long| verdict(calls.machine, number as u32, 0, true);
            assert_eq!((pinned(calls.choose_cores), pinned(free[0])), (REFUSE, allow));
        };
        check(&NATIVE, [libc::SYS_read, libc::SYS_sched_setaffinity]);
        #[cfg(target_arch = "x86_64")]
        check(&OLD, [3, 241]);
        assert_eq!(verdict(1, libc::SYS_read as u32, 0, false), REFUSE);
    }
}
