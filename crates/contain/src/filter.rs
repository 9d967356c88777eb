//! The system call filter, compiled for the kernel from the rows in `calls.rs`.
//!
//! Call numbers are found by bisection: the kernel evaluates the filter for every number once per run, and a linear
//! search would cost more than the rest of the filter.

use crate::calls::{
    ALWAYS, NONE, OWN_CORES, PIPED_CORES, PLAIN_CORES, REVIEWED, SHARED_CORES, WITH_NETWORK, WITHOUT_NETWORK,
};
use libc::{c_int, c_long, sock_filter};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The filter's decision on a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// Allowed.
    Allow,
    /// Fails with `EPERM`.
    Refuse,
    /// Fails with `ENOSYS`, as if this kernel had no such call, so that libraries fall back.
    Absent,
    /// Fails with this error.
    Fail(c_int),
    /// Does nothing and reports success.
    Succeed,
    /// The init process decides.
    Ask,
}

impl Decision {
    fn code(self) -> u32 {
        let fails = |error: c_int| libc::SECCOMP_RET_ERRNO | error as u32;
        match self {
            Self::Allow => libc::SECCOMP_RET_ALLOW,
            Self::Refuse => fails(libc::EPERM),
            Self::Absent => fails(libc::ENOSYS),
            Self::Fail(error) => fails(error),
            Self::Succeed => fails(0),
            Self::Ask => libc::SECCOMP_RET_USER_NOTIF,
        }
    }
}

/// Half of a system call argument, as its offset in the filter's input (`seccomp_data`).
pub(crate) type Half = u32;

/// The low half of an argument, which comes first on little-endian machines.
pub(crate) const fn low(argument: u32) -> Half {
    16 + 8 * argument
}

/// The high half of an argument.
pub(crate) const fn high(argument: u32) -> Half {
    low(argument) + 4
}

/// A test on half an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Test {
    /// One of these bits is set.
    Has(u32),
    Is(u32),
    AtLeast(u32),
}

/// A decision for calls that pass all tests.
#[derive(Debug)]
pub(crate) struct Clause {
    pub(crate) when: &'static [(Half, Test)],
    pub(crate) then: Decision,
}

/// The rules for one call: the first clause that applies decides.
#[derive(Debug)]
pub(crate) struct Row {
    /// The call's number on this architecture.
    pub(crate) native: c_long,
    /// The call's number for 32-bit programs.
    pub(crate) old: c_long,
    pub(crate) clauses: &'static [Clause],
    pub(crate) otherwise: Decision,
}

/// The properties of a run that its filter depends on.
#[derive(Clone, Copy)]
pub(crate) struct Terms {
    /// The run has cores of its own, and must stay on them.
    pub(crate) own_cores: bool,
    /// The run keeps the network, so it may create sockets of all kinds.
    pub(crate) network: bool,
    /// The kernel pipes core dumps to a program of the host.
    pub(crate) piped_cores: bool,
}

impl Terms {
    fn rows(self) -> impl Iterator<Item = &'static Row> {
        let parts = [
            ALWAYS,
            if self.network { WITH_NETWORK } else { WITHOUT_NETWORK },
            if self.own_cores { OWN_CORES } else { SHARED_CORES },
            if self.piped_cores { PIPED_CORES } else { PLAIN_CORES },
        ];
        parts.into_iter().flatten()
    }
}

/// The offsets of the call number and the architecture in the filter's input.
const NUMBER: u32 = 0;
const MACHINE: u32 = 4;

const NATIVE: u32 = if cfg!(target_arch = "x86_64") { 0xc000_003e } else { 0xc000_00b7 };
/// The kernel's identifier for the architecture of 32-bit programs, such as the solvers of the first competitions.
#[cfg(target_arch = "x86_64")]
const OLD: u32 = 0x4000_0003;

fn load(offset: u32) -> sock_filter {
    sock_filter { code: (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16, jt: 0, jf: 0, k: offset }
}

/// A conditional jump: skips `if_so` instructions if the comparison with the accumulator holds, else `if_not`.
fn compare(comparison: u32, value: u32, if_so: usize, if_not: usize) -> sock_filter {
    let short = |skip: usize| u8::try_from(skip).expect("a short jump");
    let code = (libc::BPF_JMP | comparison | libc::BPF_K) as u16;
    sock_filter { code, jt: short(if_so), jf: short(if_not), k: value }
}

fn skip(count: usize) -> sock_filter {
    sock_filter { code: (libc::BPF_JMP | libc::BPF_JA) as u16, jt: 0, jf: 0, k: count as u32 }
}

fn finish(verdict: Decision) -> sock_filter {
    sock_filter { code: (libc::BPF_RET | libc::BPF_K) as u16, jt: 0, jf: 0, k: verdict.code() }
}

/// Generates the instructions that decide one call.
fn decide(row: &Row) -> Vec<sock_filter> {
    let mut program = vec![];
    for Clause { when, then } in row.clauses {
        for (at, (half, test)) in when.iter().enumerate() {
            // Skip the other tests of this clause, and its decision.
            let to_the_next = 2 * (when.len() - at - 1) + 1;
            let (comparison, value) = match *test {
                Test::Has(bits) => (libc::BPF_JSET, bits),
                Test::Is(value) => (libc::BPF_JEQ, value),
                Test::AtLeast(value) => (libc::BPF_JGE, value),
            };
            program.extend([load(*half), compare(comparison, value, 0, to_the_next)]);
        }
        program.push(finish(*then));
    }
    program.push(finish(row.otherwise));
    program
}

/// A range of call numbers, up to the next range: its first number, the row that decides if there is one, and
/// otherwise the decision.
type Range = (u32, Option<&'static Row>, Decision);

/// Generates a binary search for the range of the loaded call number, and each range's decision.
fn bisect(ranges: &[Range]) -> Vec<sock_filter> {
    if let [(_, row, verdict)] = ranges {
        return row.map_or_else(|| vec![finish(*verdict)], decide);
    }
    let (below, above) = ranges.split_at(ranges.len() / 2);
    let (first, mut left) = (above[0].0, bisect(below));
    // A conditional jump skips at most 255 instructions; longer ones need an unconditional jump.
    let mut program = match u8::try_from(left.len()) {
        Ok(length) => vec![compare(libc::BPF_JGE, first, usize::from(length), 0)],
        Err(_) => vec![compare(libc::BPF_JGE, first, 0, 1), skip(left.len())],
    };
    program.append(&mut left);
    program.extend(bisect(above));
    program
}

/// Generates the decisions for all calls of one architecture.
fn section(rows: impl Iterator<Item = (c_long, &'static Row)>) -> Vec<sock_filter> {
    let rows: BTreeMap<u32, &Row> =
        rows.filter(|(number, _)| *number != NONE).map(|(number, row)| (number as u32, row)).collect();
    let mut ranges: Vec<Range> = vec![(0, None, Decision::Allow)];
    for (number, row) in rows {
        let guarded = (!row.clauses.is_empty()).then_some(row);
        ranges.extend([(number, guarded, row.otherwise), (number + 1, None, Decision::Allow)]);
    }
    ranges.push((REVIEWED, None, Decision::Absent));
    // Of two ranges that start at the same number the later one wins; equal neighbors are merged.
    ranges.dedup_by(|next, range| {
        let is_empty = range.0 == next.0;
        if is_empty {
            *range = *next;
        }
        is_empty
    });
    ranges.dedup_by(|next, range| range.1.is_none() && next.1.is_none() && range.2 == next.2);
    bisect(&ranges)
}

/// The filter as a program for the kernel, compiled once for each set of terms.
pub(crate) fn filter(terms: Terms) -> &'static [sock_filter] {
    static FILTERS: [OnceLock<Vec<sock_filter>>; 8] = [const { OnceLock::new() }; 8];
    let at = usize::from(terms.own_cores) | usize::from(terms.network) << 1 | usize::from(terms.piped_cores) << 2;
    FILTERS[at].get_or_init(|| compile(terms))
}

fn compile(terms: Terms) -> Vec<sock_filter> {
    let mut program = vec![load(MACHINE)];
    let mut add = |machine: u32, section: Vec<sock_filter>| {
        program.extend([compare(libc::BPF_JEQ, machine, 1, 0), skip(section.len() + 1), load(NUMBER)]);
        program.extend(section);
    };
    add(NATIVE, section(terms.rows().map(|row| (row.native, row))));
    #[cfg(target_arch = "x86_64")]
    add(OLD, section(terms.rows().map(|row| (row.old, row))));
    // Calls of any other architecture are refused.
    program.push(finish(Decision::Refuse));
    program
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRICT: Terms = Terms { own_cores: true, network: false, piped_cores: true };
    const LAX: Terms = Terms { own_cores: false, network: true, piped_cores: false };

    /// The compiled filter's decision on a call, found by interpreting its instructions.
    fn verdict(terms: Terms, machine: u32, number: c_long, arguments: [u64; 6]) -> u32 {
        let program = filter(terms);
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
                    half if (half - 16) % 8 == 4 => (arguments[(half as usize - 16) / 8] >> 32) as u32,
                    half => arguments[(half as usize - 16) / 8] as u32,
                };
                continue;
            }
            let holds = match code & 0xf0 {
                libc::BPF_JA => {
                    at += k as usize;
                    continue;
                }
                libc::BPF_JEQ => loaded == k,
                libc::BPF_JGE => loaded >= k,
                _ => loaded & k != 0,
            };
            at += usize::from(if holds { jt } else { jf });
        }
    }

    /// An architecture, and the number of a call on it.
    type Machine = (u32, fn(&Row) -> c_long);

    fn machines() -> Vec<Machine> {
        vec![
            (NATIVE, |row| row.native),
            #[cfg(target_arch = "x86_64")]
            (OLD, |row| row.old),
        ]
    }

    /// Arguments that pass all tests of a clause and are zero otherwise.
    fn passing(clause: &Clause) -> [u64; 6] {
        let mut arguments = [0; 6];
        for (half, test) in clause.when {
            let (Test::Has(value) | Test::Is(value) | Test::AtLeast(value)) = *test;
            let place = &mut arguments[(*half as usize - 16) / 8];
            *place |= if (half - 16) % 8 == 4 { u64::from(value) << 32 } else { u64::from(value) };
        }
        arguments
    }

    /// A row's decision on arguments, found by evaluating its clauses directly.
    fn expected(row: &Row, arguments: [u64; 6]) -> Decision {
        let holds = |(half, test): &(Half, Test)| {
            let argument = arguments[(*half as usize - 16) / 8];
            let value = if (half - 16) % 8 == 4 { (argument >> 32) as u32 } else { argument as u32 };
            match *test {
                Test::Has(bits) => value & bits != 0,
                Test::Is(other) => value == other,
                Test::AtLeast(other) => value >= other,
            }
        };
        let clause = row.clauses.iter().find(|clause| clause.when.iter().all(holds));
        clause.map_or(row.otherwise, |clause| clause.then)
    }

    #[test]
    fn every_row_decides_as_written_on_every_architecture() {
        for terms in [STRICT, LAX] {
            for (machine, number) in machines() {
                for row in terms.rows().filter(|row| number(row) != NONE) {
                    let some = [[0; 6], [u64::MAX; 6], [1; 6], [u64::from(u32::MAX); 6]];
                    for arguments in row.clauses.iter().map(passing).chain(some) {
                        let said = verdict(terms, machine, number(row), arguments);
                        assert_eq!(said, expected(row, arguments).code(), "{row:?} {arguments:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn calls_have_at_most_one_row_and_reviewed_calls_without_one_are_allowed() {
        for terms in [STRICT, LAX] {
            for (machine, number) in machines() {
                let mut numbers: Vec<c_long> = terms.rows().map(number).filter(|number| *number != NONE).collect();
                numbers.sort_unstable();
                assert!(numbers.windows(2).all(|pair| pair[0] != pair[1]), "{numbers:?}");
                for call in (0..i64::from(REVIEWED)).filter(|call| numbers.binary_search(call).is_err()) {
                    let said = verdict(terms, machine, call, [u64::MAX; 6]);
                    assert_eq!(said, libc::SECCOMP_RET_ALLOW, "{call}");
                }
                for call in [i64::from(REVIEWED), 500, 0x4000_0000, 0xffff_ffff] {
                    assert_eq!(verdict(terms, machine, call, [0; 6]), Decision::Absent.code(), "{call}");
                }
            }
        }
        assert_eq!(verdict(LAX, 1, libc::SYS_read, [0; 6]), Decision::Refuse.code(), "unknown architecture");
    }

    #[test]
    fn everyday_calls_are_allowed() {
        let allow = libc::SECCOMP_RET_ALLOW;
        let said = |number, arguments| verdict(STRICT, NATIVE, number, arguments);
        assert_eq!(said(libc::SYS_openat, [0, 0, u64::from(libc::O_CREAT as u32), 0o644, 0, 0]), allow);
        assert_eq!(said(libc::SYS_clone, [libc::CLONE_VM as u64, 0, 0, 0, 0, 0]), allow);
        assert_eq!(said(libc::SYS_fcntl, [3, libc::F_DUPFD_CLOEXEC as u64, 0, 0, 0, 0]), allow);
        assert_eq!(said(libc::SYS_kill, [17, 9, 0, 0, 0, 0]), allow);
        assert_eq!(said(libc::SYS_kill, [u64::MAX, 9, 0, 0, 0, 0]), allow);
        // Reads one limit and sets another.
        assert_eq!(said(libc::SYS_prlimit64, [0, u64::from(libc::RLIMIT_CORE), 0, 0x7fff_0000_0000, 0, 0]), allow);
        assert_eq!(said(libc::SYS_prlimit64, [0, u64::from(libc::RLIMIT_STACK), 1 << 32, 0, 0, 0]), allow);
        let refuse = Decision::Refuse.code();
        assert_eq!(said(libc::SYS_prlimit64, [0, u64::from(libc::RLIMIT_CORE), 1 << 32, 0, 0, 0]), refuse);
    }
}
