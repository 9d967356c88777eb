//! The output of a run: the read end of a pipe, and the bytes that were read in time.

use crate::Limits;
use rustix::fs::OFlags;
use std::io;
use std::os::fd::OwnedFd;

/// Reads of at least this many bytes do not count as a trickle.
const MUCH: usize = 4096;

/// Output read from a pipe. It counts only once it is confirmed: when the clocks, read after the output, show that no
/// limit was reached.
#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) pipe: Option<OwnedFd>,
    bytes: Vec<u8>,
    confirmed: usize,
    cap: usize,
    /// A read crossed the cap; the next [`Stream::drain`] reports it.
    exceeded: bool,
}

impl Stream {
    pub(crate) fn new(pipe: OwnedFd, limits: &Limits) -> io::Result<Self> {
        rustix::fs::fcntl_setfl(&pipe, OFlags::NONBLOCK)?;
        let cap = limits.output.map_or(usize::MAX, |cap| usize::try_from(cap).unwrap_or(usize::MAX));
        Ok(Self { pipe: Some(pipe), bytes: vec![], confirmed: 0, cap, exceeded: false })
    }

    /// Reads what is available, once. Returns whether the cap was exceeded or the pipe is closed.
    pub(crate) fn read_once(&mut self) -> io::Result<bool> {
        // Small, since most answers are one word and the buffer is cleared for each.
        let mut buffer = [0; 256];
        let Some(pipe) = &self.pipe else { return Ok(true) };
        match rustix::io::read(pipe, &mut buffer) {
            Ok(0) => {
                self.pipe = None;
                Ok(true)
            }
            Ok(count) if count > self.cap - self.bytes.len() => {
                self.exceeded = true;
                Ok(true)
            }
            Ok(count) => {
                self.bytes.extend_from_slice(&buffer[..count]);
                Ok(false)
            }
            Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Reads what is available, at most a megabyte at a time so that limits are checked in between. Returns whether the
    /// cap was exceeded; output beyond it is discarded.
    pub(crate) fn drain(&mut self) -> io::Result<bool> {
        if self.exceeded {
            self.pipe = None;
            return Ok(true);
        }
        // Small, since it is cleared at every poll.
        let mut buffer = [0; 8192];
        for _ in 0..128 {
            let Some(pipe) = &self.pipe else { break };
            match rustix::io::read(pipe, &mut buffer) {
                Ok(0) => self.pipe = None,
                Ok(count) => {
                    let room = self.cap - self.bytes.len();
                    self.bytes.extend_from_slice(&buffer[..count.min(room)]);
                    if count > room {
                        self.pipe = None;
                        return Ok(true);
                    }
                }
                Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::AGAIN) => break,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(false)
    }

    /// The number of bytes read so far, confirmed or not.
    pub(crate) fn length(&self) -> usize {
        self.bytes.len()
    }

    /// Whether little, but not nothing, was read since the last confirmation.
    pub(crate) fn trickles(&self) -> bool {
        (1..MUCH).contains(&(self.bytes.len() - self.confirmed))
    }

    /// Confirms everything that was read.
    pub(crate) fn confirm(&mut self) {
        self.confirmed = self.bytes.len();
    }

    /// Discards what was not confirmed in time.
    pub(crate) fn forget_the_rest(&mut self) {
        self.bytes.truncate(self.confirmed);
    }

    /// The confirmed output.
    pub(crate) fn confirmed(&self) -> &[u8] {
        &self.bytes[..self.confirmed]
    }

    pub(crate) fn into_confirmed(mut self) -> Vec<u8> {
        self.forget_the_rest();
        self.bytes
    }
}
