//! The life of one run: start, watch, end, measure.

use crate::cgroup::Group;
use crate::spawn::{Confinement, SpawnError, Walls, now, reap, spawn};
use crate::{ContainError, Ending, Host, Isolation, Job, Limit, Limits, Measured};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::process::{Pid, PidfdFlags, Signal};
use rustix::thread::CpuSet;
use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

pub(crate) fn run(host: &Host, job: &Job, limits: &Limits) -> Result<Measured, ContainError> {
    let isolation = host.isolation(job);
    let group = host.hierarchies.create(limits).map_err(ContainError::Cgroup)?;
    let walls = walls(host, job, limits, &group, &isolation)?;
    let input = match &job.stdin {
        Some(file) => File::open(file).map_err(|error| ContainError::Input(file.clone(), error))?.into(),
        None => Stdio::null(),
    };
    let mut command = Command::new(&job.program);
    command
        .args(&job.arguments)
        .env_clear()
        .envs(job.environment.iter().map(|(name, value)| (name, value)))
        .current_dir(&job.folder)
        .stdin(input)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let (child, started) = spawn(&mut command, walls).map_err(|error| match error {
        SpawnError::Wall(what, error) => ContainError::Wall(what, error),
        SpawnError::Program(error) => ContainError::Start(job.program.clone(), error),
    })?;
    let mut watch = Watch::new(child, group, host, limits, started).map_err(ContainError::Watch)?;
    let limit = watch.until_end()?;
    watch.measure(limit, isolation)
}

fn walls(host: &Host, job: &Job, limits: &Limits, group: &Group, isolation: &Isolation) -> Result<Walls, ContainError> {
    let path = |path: &Path| {
        CString::new(path.as_os_str().as_bytes()).map_err(|error| ContainError::Wall("folder", error.into()))
    };
    let confinement = match &host.network {
        Some(network) => Some(Confinement {
            network: (!job.network).then(|| Arc::clone(network)),
            writable: path(&job.writable)?,
            start: path(&job.folder)?,
        }),
        None => None,
    };
    let cores = (!job.cores.is_empty()).then(|| {
        let mut set = CpuSet::new();
        job.cores.iter().for_each(|core| set.set(*core));
        set
    });
    Ok(Walls {
        doors: group.doors().map_err(ContainError::Cgroup)?,
        confinement,
        cores,
        address_space: limits.memory.filter(|_| !isolation.tree_memory),
        cpu_seconds: limits.cpu.filter(|_| !isolation.tree_cpu).map(|cpu| cpu.as_secs() + 1),
    })
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

    /// Reads what is there, up to a megabyte at a time so that limits are looked at in between. Says whether the cap
    /// was passed; what is beyond it is thrown away.
    fn drain(&mut self) -> io::Result<bool> {
        let mut buffer = [0; 65536];
        for _ in 0..16 {
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
}

/// A process being watched.
struct Watch<'a> {
    child: Child,
    pidfd: OwnedFd,
    group: Group,
    streams: [Stream; 2],
    host: &'a Host,
    limits: &'a Limits,
    started: Duration,
    ended: Option<Duration>,
}

impl<'a> Watch<'a> {
    fn new(mut child: Child, group: Group, host: &'a Host, limits: &'a Limits, started: Duration) -> io::Result<Self> {
        let stdout = child.stdout.take().map(OwnedFd::from);
        let stderr = child.stderr.take().map(OwnedFd::from);
        let pidfd = rustix::process::pidfd_open(pid_of(&child), PidfdFlags::empty())?;
        let streams = [Stream::new(stdout, limits)?, Stream::new(stderr, limits)?];
        Ok(Self { child, pidfd, group, streams, host, limits, started, ended: None })
    }

    fn elapsed(&self) -> Duration {
        now().saturating_sub(self.started)
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
            let elapsed = self.elapsed();
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
        self.ended = Some(self.elapsed());
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
    fn measure(mut self, limit: Option<Limit>, isolation: Isolation) -> Result<Measured, ContainError> {
        let reaped = reap(&self.child).map_err(ContainError::Watch)?;
        let survivors = self.group.kill();
        if survivors > 0 {
            return Err(ContainError::Survivors(survivors));
        }
        let over = self.drain_to_end().map_err(ContainError::Watch)?;
        let accounts = self.group.accounts();
        if accounts.killed_for_memory && !accounts.reached_memory_limit {
            return Err(ContainError::MachineMemory);
        }
        let cpu = accounts.cpu.unwrap_or(reaped.cpu);
        let limit = match limit {
            Some(limit) => Some(limit),
            None if accounts.killed_for_memory => Some(Limit::Memory),
            None if over => Some(Limit::Output),
            // Without control groups the kernel's limit per process has done it.
            None if accounts.cpu.is_none() && self.limits.cpu.is_some_and(|limit| cpu >= limit) => Some(Limit::Cpu),
            None => None,
        };
        let wall = self.ended.unwrap_or_else(|| self.elapsed());
        let [stdout, stderr] = self.streams.map(|stream| stream.bytes);
        Ok(Measured {
            ending: ending(reaped.status),
            limit,
            wall,
            cpu,
            memory: accounts.memory_peak,
            processes: accounts.processes,
            refused_processes: accounts.refused_processes,
            stdout,
            stderr,
            isolation,
        })
    }

    /// Reads what is left in the pipes: an answer that was there when the limit struck has been given in time (R19-7.3).
    fn drain_to_end(&mut self) -> io::Result<bool> {
        let mut over = false;
        loop {
            let before = self.streams.each_ref().map(|stream| stream.bytes.len());
            over |= self.drain()?;
            if over || before == self.streams.each_ref().map(|stream| stream.bytes.len()) {
                return Ok(over);
            }
        }
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
