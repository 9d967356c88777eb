//! Kernel objects that are not charged to any control group, counted by the init process: record locks and sockets.
//!
//! The init process is asked before each object is created, but not notified when one is freed. When the budget is used
//! up, it asks the kernel how many exist.

use rustix::fs::{Mode, OFlags};
use std::ffi::CStr;

/// The number of objects a run may have at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    most: u64,
    used: u64,
    recount: fn() -> Option<u64>,
}

impl Budget {
    /// The budget of record locks. A lock takes about 200 bytes, so one per page of the memory limit amounts to a
    /// twentieth of the limit.
    pub(crate) fn of_locks(memory: Option<u64>) -> Self {
        let most = memory.map_or(1 << 20, |memory| (memory / 4096).clamp(1024, 1 << 20));
        Self { most, used: 0, recount: locks }
    }

    /// The budget of sockets. A socket with default buffers holds up to 256 KB in each direction.
    pub(crate) fn of_sockets(memory: Option<u64>) -> Self {
        let most = memory.map_or(4096, |memory| (memory >> 22).clamp(64, 4096));
        Self { most, used: 0, recount: sockets }
    }

    /// Takes one more object. Returns false if none is left.
    pub(crate) fn take(&mut self) -> bool {
        if self.used >= self.most {
            self.used = (self.recount)().unwrap_or(self.used);
        }
        let is_left = self.used < self.most;
        self.used += u64::from(is_left);
        is_left
    }
}

/// Counts the locks held in this namespace: the lines of `/proc/locks`.
fn locks() -> Option<u64> {
    let mut lines = 0;
    read(c"/proc/locks", |bytes| lines += bytes.iter().filter(|byte| **byte == b'\n').count() as u64)?;
    Some(lines)
}

/// Counts the sockets of this network namespace: the first number in `/proc/net/sockstat`.
fn sockets() -> Option<u64> {
    let mut number = None;
    let mut is_over = false;
    read(c"/proc/net/sockstat", |bytes| {
        for byte in bytes {
            match byte {
                b'0'..=b'9' if !is_over => number = Some(number.unwrap_or(0) * 10 + u64::from(byte - b'0')),
                _ => is_over |= number.is_some(),
            }
        }
    })?;
    number
}

/// Reads a file block by block, without allocating.
fn read(file: &CStr, mut take: impl FnMut(&[u8])) -> Option<()> {
    let file = rustix::fs::open(file, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok()?;
    let mut buffer = [0_u8; 4096];
    loop {
        match rustix::io::read(&file, &mut buffer).ok()? {
            0 => return Some(()),
            count => take(&buffer[..count]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exhausted_budget_is_counted_again() {
        let mut budget = Budget { most: 3, used: 0, recount: || Some(1) };
        assert!((0..100).all(|_| budget.take()), "most of them have been freed");
        let mut budget = Budget { most: 3, used: 0, recount: || Some(3) };
        assert_eq!((0..100).filter(|_| budget.take()).count(), 3);
        let mut budget = Budget { most: 3, used: 0, recount: || None };
        assert_eq!((0..100).filter(|_| budget.take()).count(), 3);
    }

    #[test]
    fn the_kernel_counts_locks_and_sockets() {
        assert!(locks().is_some());
        let before = sockets().unwrap();
        let _some: Vec<_> = (0..50).map(|_| std::net::UdpSocket::bind("127.0.0.1:0").unwrap()).collect();
        assert!(sockets().unwrap() >= before.saturating_sub(20) + 30, "{before} and then {:?}", sockets());
    }
}
