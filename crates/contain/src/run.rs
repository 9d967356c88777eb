//! The life of one run: start, watch, end, measure.

use crate::cgroup::Group;
use crate::spawn::{Before, reap, spawn};
use crate::{Host, Isolation};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::process::{Pid, PidfdFlags, Signal};
use serde::Serialize;
use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What to run.
#[derive(Clone, Debug)]
pub struct Job {
    /// The program: a path, or a name on the search path.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Its whole environment.
    pub environment: Vec<(OsString, OsString)>,
    /// The folder to start in.
    pub folder: PathBuf,
}

/// How much it may use. What is absent is unlimited.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Wall-clock time.
    pub wall: Option<Duration>,
    /// CPU time over the whole tree.
    pub cpu: Option<Duration>,
    /// Memory in bytes over the whole tree.
    pub memory: Option<u64>,
    /// Bytes on standard output and on standard error, each.
    pub output: Option<u64>,
}

/// How the first process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ending {
    /// With an exit code.
    Exit(i32),
    /// By a signal.
    Signal(i32),
}

/// The limit that ended a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Limit {
    /// Wall-clock time.
    Wall,
    /// CPU time.
    Cpu,
    /// Memory.
    Memory,
    /// Output.
    Output,
}

/// What a run did and used.
#[derive(Clone, Debug)]
pub struct Measured {
    /// How the first process ended.
    pub ending: Ending,
    /// The limit that ended the run, if one did.
    pub limit: Option<Limit>,
    /// Wall-clock time from the start until the first process was gone.
    pub wall: Duration,
    /// CPU time, of the tree where [`Isolation::tree_cpu`] says so.
    pub cpu: Duration,
    /// Peak memory in bytes.
    pub memory: Option<u64>,
    /// Standard output, up to the limit.
    pub stdout: Vec<u8>,
    /// Standard error, up to the limit.
    pub stderr: Vec<u8>,
    /// Processes that could not be killed: zero, or something is very wrong with this machine.
    pub survivors: usize,
    /// What was in force.
    pub isolation: Isolation,
}

/// Why a run could not be made. None of these is the solver's doing, except that it cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum ContainError {
    /// The program is missing or cannot be executed.
    #[error("cannot start {0}: {1}")]
    Start(PathBuf, io::Error),
    /// A control group could not be made or entered.
    #[error("cannot make a control group: {0}")]
    Cgroup(io::Error),
    /// Watching the process failed.
    #[error("cannot watch the run: {0}")]
    Watch(io::Error),
    /// Somebody asked for the run to be given up.
    #[error("the run was interrupted")]
    Interrupted,
}

pub(crate) fn run(host: &Host, job: &Job, limits: &Limits) -> Result<Measured, ContainError> {
    let isolation = host.isolation();
    let group = host.hierarchies.create(limits.memory).map_err(ContainError::Cgroup)?;
    let before = Before {
        doors: group.doors().map_err(ContainError::Cgroup)?,
        address_space: limits.memory.filter(|_| !isolation.tree_memory),
        cpu_seconds: limits.cpu.filter(|_| !isolation.tree_cpu).map(|cpu| cpu.as_secs() + 1),
    };
    let mut command = Command::new(&job.program);
    command
        .args(&job.arguments)
        .env_clear()
        .envs(job.environment.iter().map(|(name, value)| (name, value)))
        .current_dir(&job.folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let child = spawn(&mut command, before).map_err(|e| ContainError::Start(job.program.clone(), e))?;
    // The program has just been executed; entering the control groups is not its time.
    let started = Instant::now();
    let mut watch = Watch::new(child, group, host, limits, started).map_err(ContainError::Watch)?;
    let limit = watch.until_end()?;
    watch.measure(limit, isolation).map_err(ContainError::Watch)
}

/// One end of a pipe from the run, and what came out of it.
struct Stream {
    pipe: Option<OwnedFd>,
    bytes: Vec<u8>,
    cap: usize,
}

impl Stream {
    fn new(pipe: Option<OwnedFd>, limits: &Limits) -> io::Result<Self> {
        if let Some(pipe) = &pipe {
            rustix::fs::fcntl_setfl(pipe, OFlags::NONBLOCK)?;
        }
        let cap = limits.output.map_or(usize::MAX, |cap| usize::try_from(cap).unwrap_or(usize::MAX));
        Ok(Self { pipe, bytes: vec![], cap })
    }

    /// Reads what is there. Says whether the cap was passed; what is beyond it is thrown away.
    fn drain(&mut self) -> io::Result<bool> {
        let mut buffer = [0; 65536];
        while let Some(pipe) = &self.pipe {
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
}

/// A process being watched.
struct Watch<'a> {
    child: Child,
    pidfd: OwnedFd,
    group: Group,
    streams: [Stream; 2],
    host: &'a Host,
    limits: &'a Limits,
    started: Instant,
    ended: Option<Duration>,
}

impl<'a> Watch<'a> {
    fn new(mut child: Child, group: Group, host: &'a Host, limits: &'a Limits, started: Instant) -> io::Result<Self> {
        let stdout = child.stdout.take().map(OwnedFd::from);
        let stderr = child.stderr.take().map(OwnedFd::from);
        let pidfd = rustix::process::pidfd_open(pid_of(&child), PidfdFlags::empty())?;
        let streams = [Stream::new(stdout, limits)?, Stream::new(stderr, limits)?];
        Ok(Self { child, pidfd, group, streams, host, limits, started, ended: None })
    }

    /// Waits until the first process is gone or a limit is reached, and leaves nothing running.
    fn until_end(&mut self) -> Result<Option<Limit>, ContainError> {
        let limit = loop {
            if self.drain().map_err(ContainError::Watch)? {
                break Some(Limit::Output);
            }
            if self.host.has_given_up() {
                self.kill();
                let _ = reap(&self.child);
                return Err(ContainError::Interrupted);
            }
            let elapsed = self.started.elapsed();
            if self.limits.wall.is_some_and(|wall| elapsed >= wall) {
                break Some(Limit::Wall);
            }
            let cpu = self.limits.cpu.and_then(|limit| Some((limit, self.group.cpu()?)));
            if cpu.is_some_and(|(limit, used)| used >= limit) {
                break Some(Limit::Cpu);
            }
            if self.wait(self.next_look(elapsed, cpu)).map_err(ContainError::Watch)? {
                break None;
            }
        };
        self.ended = Some(self.started.elapsed());
        self.kill();
        Ok(limit)
    }

    /// How long nothing has to be looked at: until the wall limit, or the earliest moment at which all cores
    /// together could have used up the CPU limit, but not over a quarter of a second.
    fn next_look(&self, elapsed: Duration, cpu: Option<(Duration, Duration)>) -> Duration {
        let mut wait = Duration::from_millis(250);
        if let Some(wall) = self.limits.wall {
            wait = wait.min(wall.saturating_sub(elapsed));
        }
        if let Some((limit, used)) = cpu {
            let cores = std::thread::available_parallelism().map_or(1, |n| n.get() as u32);
            wait = wait.min((limit.saturating_sub(used) / cores).max(Duration::from_millis(5)));
        }
        wait
    }

    /// Sleeps until there is output, the first process has ended, or the time is up. True if it has ended.
    fn wait(&self, time: Duration) -> io::Result<bool> {
        let time = Timespec { tv_sec: time.as_secs() as i64, tv_nsec: i64::from(time.subsec_nanos()) };
        let mut watched = vec![PollFd::new(&self.pidfd, PollFlags::IN)];
        watched.extend(self.streams.iter().filter_map(|s| s.pipe.as_ref()).map(|p| PollFd::new(p, PollFlags::IN)));
        match poll(&mut watched, Some(&time)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(!watched[0].revents().is_empty()),
            Err(error) => Err(error.into()),
        }
    }

    fn drain(&mut self) -> io::Result<bool> {
        let over = [self.streams[0].drain()?, self.streams[1].drain()?];
        Ok(over.contains(&true))
    }

    /// Kills the process group, for hosts without control groups, and the control group.
    fn kill(&self) -> usize {
        let _ = rustix::process::kill_process_group(pid_of(&self.child), Signal::KILL);
        self.group.kill()
    }

    /// Reads the last output and the accounts of a run in which nothing runs any more.
    fn measure(mut self, limit: Option<Limit>, isolation: Isolation) -> io::Result<Measured> {
        let reaped = reap(&self.child)?;
        let survivors = self.group.kill();
        // An answer that was in the pipe when the limit struck has been given in time (R19-7.3).
        let over = self.drain()?;
        let accounts = self.group.accounts();
        let limit = match limit {
            Some(limit) => Some(limit),
            None if accounts.out_of_memory => Some(Limit::Memory),
            None if over => Some(Limit::Output),
            None => None,
        };
        let [stdout, stderr] = self.streams.map(|stream| stream.bytes);
        Ok(Measured {
            ending: ending(reaped.status),
            limit,
            wall: self.ended.unwrap_or_else(|| self.started.elapsed()),
            cpu: accounts.cpu.unwrap_or(reaped.cpu),
            memory: accounts.memory_peak.or(Some(reaped.max_rss_bytes)),
            stdout,
            stderr,
            survivors,
            isolation,
        })
    }
}

fn pid_of(child: &Child) -> Pid {
    Pid::from_child(child)
}

/// Decodes a wait status.
fn ending(status: i32) -> Ending {
    match status & 0x7f {
        0 => Ending::Exit((status >> 8) & 0xff),
        signal => Ending::Signal(signal),
    }
}
