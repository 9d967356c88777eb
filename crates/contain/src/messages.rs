//! Messages between the runner and the init process of a run, over a socket that preserves message boundaries.

use crate::sys::now;
use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, recv,
    recvmsg, send, sendmsg,
};
use std::fmt;
use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

/// A step in starting the program, named in errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Step {
    Descriptors,
    User,
    Files,
    WorkingDirectory,
    Input,
    Processes,
    Network,
    Groups,
    Limits,
    Filter,
    Start,
    Program,
}

impl Step {
    const ALL: [Self; 12] = [
        Self::Descriptors,
        Self::User,
        Self::Files,
        Self::WorkingDirectory,
        Self::Input,
        Self::Processes,
        Self::Network,
        Self::Groups,
        Self::Limits,
        Self::Filter,
        Self::Start,
        Self::Program,
    ];
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Descriptors => "closing descriptors",
            Self::User => "user namespace",
            Self::Files => "read-only files",
            Self::WorkingDirectory => "working directory",
            Self::Input => "standard input",
            Self::Processes => "own view of processes",
            Self::Network => "own network",
            Self::Groups => "control groups",
            Self::Limits => "limits",
            Self::Filter => "system call filter",
            Self::Start => "init process",
            Self::Program => "program",
        })
    }
}

/// A failed step and its error.
pub(crate) type Failure = (Step, Errno);

/// Adds the failed step to an error.
pub(crate) trait At<T> {
    fn at(self, step: Step) -> Result<T, Failure>;
}

impl<T> At<T> for Result<T, Errno> {
    fn at(self, step: Step) -> Result<T, Failure> {
        self.map_err(|error| (step, error))
    }
}

/// A message from the run to the runner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Report {
    /// The program is about to be executed, at this time.
    Started(Duration),
    /// A step failed. Before `Started`, this means that the program is not executed.
    Failed(Step, Errno),
    /// The program has ended and nothing of the run is left.
    Ended(End),
}

/// The end of a run as its init process saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct End {
    /// When the program ended.
    pub(crate) at: Duration,
    /// The program's wait status.
    pub(crate) status: i32,
    /// User CPU time of the processes that were waited for.
    pub(crate) user: Duration,
    /// System CPU time of the processes that were waited for.
    pub(crate) system: Duration,
    /// CPU time of the init process itself since the program started.
    pub(crate) own: Duration,
    /// The peak resident size of the largest process, in bytes.
    pub(crate) largest: u64,
    /// Whether the run's file system in memory is full.
    pub(crate) is_full: bool,
}

impl End {
    /// The end of a run whose init process could not report it, noticed now.
    pub(crate) fn lost() -> Self {
        let none = Duration::ZERO;
        Self { at: now(), status: libc::SIGKILL, user: none, system: none, own: none, largest: 0, is_full: false }
    }
}

/// A message from the runner to the init process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Instruction {
    /// Continue: the user namespace is mapped.
    Go,
    /// Terminate all processes (SIGTERM).
    Ask,
    /// Kill all processes (SIGKILL).
    End,
}

/// The length of a message, in 64-bit words.
const WORDS: usize = 8;

impl Report {
    fn words(&self) -> [u64; WORDS] {
        let nanos = |time: Duration| time.as_nanos() as u64;
        match *self {
            Self::Started(at) => [0, nanos(at), 0, 0, 0, 0, 0, 0],
            Self::Failed(step, error) => [1, step as u64, error.raw_os_error() as u64, 0, 0, 0, 0, 0],
            Self::Ended(End { at, status, user, system, own, largest, is_full }) => {
                [2, nanos(at), status as u64, nanos(user), nanos(system), nanos(own), largest, u64::from(is_full)]
            }
        }
    }

    fn of([kind, a, b, c, d, e, f, g]: [u64; WORDS]) -> Option<Self> {
        let time = Duration::from_nanos;
        match kind {
            0 => Some(Self::Started(time(a))),
            1 => Some(Self::Failed(*Step::ALL.get(a as usize)?, Errno::from_raw_os_error(b as i32))),
            2 => Some(Self::Ended(End {
                at: time(a),
                status: b as i32,
                user: time(c),
                system: time(d),
                own: time(e),
                largest: f,
                is_full: g == 1,
            })),
            _ => None,
        }
    }

    /// Reports that the program is about to be executed.
    pub(crate) fn started_now() -> Self {
        Self::Started(now())
    }

    /// Sends the report. An error is ignored: it means that the runner has died.
    pub(crate) fn send(&self, socket: impl AsFd) {
        let mut bytes = [0; WORDS * 8];
        for (place, word) in bytes.chunks_exact_mut(8).zip(self.words()) {
            place.copy_from_slice(&word.to_ne_bytes());
        }
        let _ = send(socket, &bytes, SendFlags::NOSIGNAL);
    }

    /// Receives the next message, if there is one.
    pub(crate) fn next(socket: impl AsFd) -> Option<Self> {
        let mut bytes = [0; WORDS * 8];
        let (_, length) = recv(socket, &mut bytes, RecvFlags::DONTWAIT).ok()?;
        let mut words = [0; WORDS];
        for (word, place) in words.iter_mut().zip(bytes.chunks_exact(8)) {
            *word = place.try_into().map_or(0, u64::from_ne_bytes);
        }
        (length == bytes.len()).then(|| Self::of(words))?
    }
}

impl Instruction {
    /// Sends the instruction. An error is ignored: it means that the run is over.
    pub(crate) fn send(self, socket: impl AsFd) {
        let _ = send(socket, &[self as u8], SendFlags::NOSIGNAL);
    }

    /// Receives the next instruction: `End` if the runner has died or the message is unknown.
    pub(crate) fn next(socket: impl AsFd) -> Self {
        let mut byte = [0];
        match recv(socket, &mut byte, RecvFlags::DONTWAIT) {
            Ok((_, 1)) if byte[0] == Self::Ask as u8 => Self::Ask,
            Ok((_, 1)) if byte[0] == Self::Go as u8 => Self::Go,
            _ => Self::End,
        }
    }
}

/// Sends a descriptor over a socket.
pub(crate) fn send_descriptor(socket: impl AsFd, descriptor: BorrowedFd<'_>) -> rustix::io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let descriptors = [descriptor];
    if !control.push(SendAncillaryMessage::ScmRights(&descriptors)) {
        return Err(Errno::NOBUFS);
    }
    sendmsg(socket, &[IoSlice::new(b"0")], &mut control, SendFlags::NOSIGNAL).map(drop)
}

/// Receives the descriptor that was sent over a socket, if any.
pub(crate) fn receive_descriptor(socket: impl AsFd) -> Option<OwnedFd> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    let flags = RecvFlags::DONTWAIT | RecvFlags::CMSG_CLOEXEC;
    recvmsg(socket, &mut [IoSliceMut::new(&mut byte)], &mut control, flags).ok()?;
    control.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_arrive_as_they_were_sent() {
        let (ours, theirs) = crate::spawn::socket_pair().unwrap();
        let end = End {
            at: Duration::from_nanos(7),
            status: 0x8b,
            user: Duration::from_secs(1),
            system: Duration::from_millis(2),
            own: Duration::from_micros(5),
            largest: 1 << 40,
            is_full: true,
        };
        let reports = [
            Report::Started(Duration::from_secs(3)),
            Report::Failed(Step::Filter, Errno::PERM),
            Report::Failed(Step::Program, Errno::NOENT),
            Report::Ended(end),
        ];
        reports.iter().for_each(|report| report.send(&theirs));
        for report in reports {
            assert_eq!(Report::next(&ours), Some(report));
        }
        assert_eq!(Report::next(&ours), None);
        for order in [Instruction::Go, Instruction::Ask] {
            order.send(&ours);
            assert_eq!(Instruction::next(&theirs), order);
        }
        drop(ours);
        assert_eq!(Instruction::next(&theirs), Instruction::End);
    }

    #[test]
    fn sent_descriptors_are_received() {
        let (ours, theirs) = crate::spawn::socket_pair().unwrap();
        assert!(receive_descriptor(&ours).is_none());
        let null = std::fs::File::open("/dev/null").unwrap();
        send_descriptor(&theirs, null.as_fd()).unwrap();
        let arrived = rustix::fs::fstat(receive_descriptor(&ours).unwrap()).unwrap();
        assert_eq!(arrived.st_rdev, rustix::fs::fstat(&null).unwrap().st_rdev);
    }

    #[test]
    fn step_numbers_are_positions_in_the_list() {
        for (at, step) in Step::ALL.into_iter().enumerate() {
            assert_eq!(at, step as usize);
        }
    }
}
