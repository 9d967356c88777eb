//! A conversation with a program on its stdin and stdout, one message at a time.

use rustix::event::{Timespec, epoll};
use rustix::fs::OFlags;
use rustix::time::{Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, timerfd_create, timerfd_settime};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::time::Duration;

/// How long a program has run, and how much CPU time its processes have used, to a hundredth of a second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// Wall-clock time.
    pub wall: Duration,
    /// CPU time.
    pub cpu: Duration,
}

/// Which side ended a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndedBy {
    /// The program exited or closed its stdout.
    Program,
    /// The runner stopped it at a limit.
    Limit,
}

/// The other side of a conversation with a program.
pub trait Partner {
    /// Receives the program's output since the last call (empty on the first call), and the time elapsed. Bytes
    /// appended to `say` are sent to the program. Returns whether the conversation continues; if not, the program's
    /// stdin is closed.
    fn hear(&mut self, new: &[u8], elapsed: Times, say: &mut Vec<u8>) -> bool;

    /// Receives the output that [`Partner::hear`] has not received yet, and which side ended the conversation. Called
    /// once, at the end.
    fn end(&mut self, rest: &[u8], by: EndedBy);
}

/// A conversation in progress.
pub(crate) struct Conversation<'a> {
    partner: &'a mut (dyn Partner + 'a),
    /// The program's stdin, until the partner hangs up or the program closes it.
    input: Option<OwnedFd>,
    /// Bytes to send to the program, and how many of them have been sent.
    words: Vec<u8>,
    sent: usize,
    /// How many times the partner had something to send.
    said: u64,
    /// How much of the output the partner has received; `None` before its first call.
    heard: Option<usize>,
    /// When the conversation ended, by the host's clock.
    parted: Option<Duration>,
    /// Whether the program ended the conversation by closing its stdin or stdout.
    has_closed: bool,
    /// Whether the program has closed its stdin, so that further output cannot be an answer.
    is_deaf: bool,
    /// The epoll instance, once it is set up: with it, the cost of waiting does not depend on the number of
    /// descriptors.
    watched: Option<OwnedFd>,
    clock: OwnedFd,
    /// Whether the epoll instance includes the program's stdin, and so has to be set up again.
    is_passing: bool,
}

/// Marks the program's stdout in the epoll instance.
const WORDS: u64 = 1;

impl<'a> Conversation<'a> {
    pub(crate) fn new(partner: &'a mut (dyn Partner + 'a), input: OwnedFd) -> io::Result<Self> {
        rustix::fs::fcntl_setfl(&input, OFlags::NONBLOCK)?;
        let clock = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK)?;
        Ok(Self {
            clock,
            partner,
            input: Some(input),
            words: vec![],
            sent: 0,
            said: 0,
            heard: None,
            parted: None,
            has_closed: false,
            is_deaf: false,
            watched: None,
            is_passing: false,
        })
    }

    /// Passes new output to the partner, and sends its reply.
    pub(crate) fn go_on(&mut self, output: &[u8], elapsed: Times) {
        self.send();
        let heard = self.heard.unwrap_or(0);
        let is_news = self.heard.is_none() || output.len() > heard;
        if !is_news || self.parted.is_some() {
            return;
        }
        self.heard = Some(output.len());
        let before = self.words.len();
        let goes_on = self.partner.hear(&output[heard..], elapsed, &mut self.words);
        self.said += u64::from(self.words.len() > before);
        if goes_on {
            self.send();
        } else {
            self.send();
            self.input = None;
            self.parted = Some(crate::sys::now());
        }
    }

    /// How many times the partner has had something to send.
    pub(crate) fn said(&self) -> u64 {
        self.said
    }

    /// Whether the program has closed its stdin.
    pub(crate) fn is_deaf(&self) -> bool {
        self.is_deaf
    }

    /// Ends the conversation because the program has closed its stdin or stdout.
    pub(crate) fn hang_up(&mut self) {
        if self.parted.is_none() {
            self.has_closed = true;
            self.input = None;
            self.parted = Some(crate::sys::now());
        }
    }

    /// Sends as much as the pipe accepts.
    fn send(&mut self) {
        while let Some(input) = self.input.as_ref().filter(|_| self.sent < self.words.len()) {
            match rustix::io::write(input, &self.words[self.sent..]) {
                Ok(count) => self.sent += count,
                Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::AGAIN) => return,
                Err(_) => {
                    self.input = None;
                    self.is_deaf = true;
                }
            }
        }
        self.words.clear();
        self.sent = 0;
    }

    /// Sets up waiting for the program's stdout, and for other descriptors that interrupt the conversation.
    pub(crate) fn watch(
        &mut self,
        output: BorrowedFd<'_>,
        others: &[Option<BorrowedFd<'_>>],
        time: Duration,
    ) -> io::Result<()> {
        // One timer for the whole wait: a timeout for every message would cost as much as the message.
        let value = Timespec { tv_sec: time.as_secs().cast_signed(), tv_nsec: i64::from(time.subsec_nanos().max(1)) };
        let none = Timespec { tv_sec: 0, tv_nsec: 0 };
        timerfd_settime(&self.clock, TimerfdTimerFlags::empty(), &Itimerspec { it_interval: none, it_value: value })?;
        // Rarely, input is pending; then also wait until the pipe accepts it.
        let pending = self.input.as_ref().filter(|_| self.sent < self.words.len());
        if self.watched.is_some() && pending.is_none() && !self.is_passing {
            return Ok(());
        }
        let watched = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        epoll::add(&watched, output, epoll::EventData::new_u64(WORDS), epoll::EventFlags::IN)?;
        epoll::add(&watched, &self.clock, epoll::EventData::new_u64(0), epoll::EventFlags::IN)?;
        for other in others.iter().flatten() {
            epoll::add(&watched, other, epoll::EventData::new_u64(0), epoll::EventFlags::IN)?;
        }
        if let Some(input) = pending {
            epoll::add(&watched, input, epoll::EventData::new_u64(0), epoll::EventFlags::OUT)?;
        }
        // If input was pending, the instance is set up again next time.
        self.watched = Some(watched);
        self.is_passing = pending.is_some();
        Ok(())
    }

    /// Waits for an event. Returns whether the program has written output and nothing else happened.
    pub(crate) fn has_only_words(&self) -> io::Result<bool> {
        let Some(watched) = &self.watched else { return Ok(false) };
        if self.sent < self.words.len() && !self.is_passing {
            return Ok(false);
        }
        let mut events = [const { MaybeUninit::uninit() }; 4];
        match epoll::wait(watched, &mut events, None) {
            Ok((found, _)) => Ok(matches!(found, [one] if one.data.u64() == WORDS)),
            Err(rustix::io::Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// When the conversation ended, by the host's clock, if it has.
    pub(crate) fn parted(&self) -> Option<Duration> {
        self.parted
    }

    /// Passes the rest of the output to the partner.
    pub(crate) fn end(&mut self, output: &[u8], by: EndedBy) {
        let rest = output.get(self.heard.unwrap_or(0)..).unwrap_or_default();
        self.partner.end(rest, if self.has_closed { EndedBy::Program } else { by });
    }
}
