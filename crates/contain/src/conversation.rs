//! Talking to a program on its standard input, one sentence at a time.

use rustix::fs::OFlags;
use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

/// How long a program has run, and how much CPU time all of it has used, up to a hundredth of a second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// By the clock.
    pub wall: Duration,
    /// CPU time.
    pub cpu: Duration,
}

/// Somebody who talks to a program.
pub trait Partner {
    /// Hears what the program wrote since the last time, at first nothing, and when. What it puts into
    /// `say` is sent. It gives whether the conversation goes on; otherwise the program's input is closed.
    fn hear(&mut self, new: &[u8], elapsed: Times, say: &mut Vec<u8>) -> bool;

    /// Hears that nothing more comes: the program has ended, or it was stopped at a limit.
    fn end(&mut self, was_stopped: bool);
}

/// A conversation under way.
pub(crate) struct Conversation<'a> {
    partner: &'a mut (dyn Partner + 'a),
    /// The program's input, until the partner hangs up or the program closes it.
    input: Option<OwnedFd>,
    /// What is to be sent, and how much of it was.
    words: Vec<u8>,
    sent: usize,
    /// How much of the output the partner has heard.
    heard: Option<usize>,
    parted: Option<Duration>,
}

impl<'a> Conversation<'a> {
    pub(crate) fn new(partner: &'a mut (dyn Partner + 'a), input: OwnedFd) -> io::Result<Self> {
        rustix::fs::fcntl_setfl(&input, OFlags::NONBLOCK)?;
        Ok(Self { partner, input: Some(input), words: vec![], sent: 0, heard: None, parted: None })
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
        if self.partner.hear(&output[heard..], elapsed, &mut self.words) {
            self.send();
        } else {
            self.send();
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
                // It does not listen any more; what it says may still count.
                Err(_) => self.input = None,
            }
        }
        self.words.clear();
        self.sent = 0;
    }

    /// The input, if there is something to write to it.
    pub(crate) fn waits_to_write(&self) -> Option<&OwnedFd> {
        self.input.as_ref().filter(|_| self.sent < self.words.len())
    }

    /// When the partner hung up, on the clock of the host.
    pub(crate) fn parted(&self) -> Option<Duration> {
        self.parted
    }

    pub(crate) fn end(&mut self, was_stopped: bool) {
        self.partner.end(was_stopped);
    }
}
