//! Talking to a program on its standard input, one sentence at a time.

use rustix::event::{Timespec, epoll};
use rustix::fs::OFlags;
use rustix::time::{Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, timerfd_create, timerfd_settime};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::time::Duration;

/// How long a program has run, and how much CPU time all of it has used, up to a hundredth of a second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// By the clock.
    pub wall: Duration,
    /// CPU time.
    pub cpu: Duration,
}

/// Who ended a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndedBy {
    /// The program: it exited, or closed its output.
    Program,
    /// The runner, at a limit.
    Limit,
}

/// The other side of a conversation with a program.
pub trait Partner {
    /// Hears what the program wrote since the last time, at first nothing, and when. What it puts into
    /// `say` is sent. It gives whether the conversation goes on; otherwise the program's input is closed.
    fn hear(&mut self, new: &[u8], elapsed: Times, say: &mut Vec<u8>) -> bool;

    /// Hears what the program wrote after the conversation, and that nothing more comes.
    fn end(&mut self, rest: &[u8], by: EndedBy);
}

/// A conversation under way.
pub(crate) struct Conversation<'a> {
    partner: &'a mut (dyn Partner + 'a),
    /// The program's input, until the partner hangs up or the program closes it.
    input: Option<OwnedFd>,
    /// What is to be sent, and how much of it was.
    words: Vec<u8>,
    sent: usize,
    /// How often the partner had something to say.
    said: u64,
    /// How much of the output the partner has heard.
    heard: Option<usize>,
    parted: Option<Duration>,
    /// Whether it was the program that hung up.
    has_closed: bool,
    /// Whether the program does not take what is sent, so that what it says is no answer.
    is_deaf: bool,
    /// What is waited on, once that was set up: with this, waiting costs the same however many there are.
    watched: Option<OwnedFd>,
    clock: OwnedFd,
    /// Whether what is waited on has the input among it, and is to be made anew.
    is_passing: bool,
}

/// Marks the program's output among what is waited on.
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

    /// Tells the partner what is new in the output, and sends what it has to say.
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

    /// How often the partner has had something to say.
    pub(crate) fn said(&self) -> u64 {
        self.said
    }

    /// Whether the program has closed its input.
    pub(crate) fn is_deaf(&self) -> bool {
        self.is_deaf
    }

    /// Ends it because the program has closed its input or its output.
    pub(crate) fn hang_up(&mut self) {
        if self.parted.is_none() {
            self.has_closed = true;
            self.input = None;
            self.parted = Some(crate::sys::now());
        }
    }

    /// Sends as much as the pipe takes.
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

    /// Sets up what is waited on: the program's output, and others that end the talk for a look.
    pub(crate) fn watch(
        &mut self,
        output: BorrowedFd<'_>,
        others: &[Option<BorrowedFd<'_>>],
        time: Duration,
    ) -> io::Result<()> {
        // A clock of its own: setting one for every word would cost as much as the word.
        let value = Timespec { tv_sec: time.as_secs().cast_signed(), tv_nsec: i64::from(time.subsec_nanos().max(1)) };
        let none = Timespec { tv_sec: 0, tv_nsec: 0 };
        timerfd_settime(&self.clock, TimerfdTimerFlags::empty(), &Itimerspec { it_interval: none, it_value: value })?;
        // What has to be written first is waited on as well, which is rare.
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
        // With something to write it is made anew the next time.
        self.watched = Some(watched);
        self.is_passing = pending.is_some();
        Ok(())
    }

    /// Waits, and gives whether there are words of the program's and nothing else.
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

    /// When the partner hung up, on the clock of the host.
    pub(crate) fn parted(&self) -> Option<Duration> {
        self.parted
    }

    pub(crate) fn end(&mut self, output: &[u8], by: EndedBy) {
        let rest = output.get(self.heard.unwrap_or(0)..).unwrap_or_default();
        self.partner.end(rest, if self.has_closed { EndedBy::Program } else { by });
    }
}
