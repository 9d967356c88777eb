//! The life of one run: start, watch, end, measure.

use crate::cgroup::{Cpu, Group};
use crate::conversation::{Conversation, Partner, Times};
use crate::init::Plan;
use crate::report::{End, Order, Report, Step};
use crate::spawn::{Spawned, spawn};
use crate::surroundings::Counters;
use crate::sys::{Guest, now};
use crate::{ContainError, Ending, Host, Isolation, Job, Limit, Limits, Measured};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::process::{Signal, WaitId, WaitIdOptions, pidfd_send_signal, waitid};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

/// How long nothing is looked at, at most.
const LOOK: Duration = Duration::from_millis(250);

/// How long a run may take to get to its program. Beyond that the machine is at fault.
const SET_UP: Duration = Duration::from_secs(60);

/// How long after a run that a signal ended it may still turn out that the signal was meant for the runner as well.
const HINDSIGHT: Duration = Duration::from_millis(200);

/// How old a CPU time may be that a conversation is told.
const CPU_LOOK: Duration = Duration::from_millis(10);

/// How long a program that was said good-bye to has to end.
const PARTING: Duration = Duration::from_secs(2);

/// How long the first process has to clear away the rest before it is killed itself.
const CLEARING: Duration = Duration::from_secs(5);

pub(crate) fn run<'a>(
    host: &'a Host,
    job: &'a Job<'a>,
    limits: &'a Limits,
    partner: Option<&'a mut (dyn Partner + 'a)>,
) -> Result<Measured, ContainError> {
    let isolation = host.isolation(job);
    let group = host.hierarchies.create(limits).map_err(ContainError::Cgroup)?;
    let before = host.observer.look(now(), false);
    let spawned = spawn(host, job, limits, &group, &isolation, partner.is_some())?;
    let mut watch = Watch::new(spawned, group, host, job, limits, partner)?;
    let limit = watch.until_end();
    // Whatever came of it, nothing of the run is left when this returns.
    let cleared = watch.clear();
    watch.end_conversation();
    let limit = limit?;
    cleared?;
    let measured = watch.measure(limit, isolation, &before)?;
    // Who stops a whole job or service signals all of its processes: then it was not the program's own end.
    let is_ordered =
        matches!(measured.ending, Ending::Signal(libc::SIGHUP | libc::SIGINT | libc::SIGKILL | libc::SIGTERM));
    if is_ordered && measured.limit.is_none() && host.may_be_stopped() {
        std::thread::sleep(HINDSIGHT);
    }
    if host.has_given_up() { Err(ContainError::Interrupted) } else { Ok(measured) }
}

/// One end of a pipe from the run, and what came out of it.
struct Stream {
    pipe: Option<OwnedFd>,
    bytes: Vec<u8>,
    cap: usize,
}

impl Stream {
    fn new(pipe: OwnedFd, limits: &Limits) -> io::Result<Self> {
        rustix::fs::fcntl_setfl(&pipe, OFlags::NONBLOCK)?;
        let cap = limits.output.map_or(usize::MAX, |cap| usize::try_from(cap).unwrap_or(usize::MAX));
        Ok(Self { pipe: Some(pipe), bytes: vec![], cap })
    }

    /// Reads once what is there. Says whether the cap was passed, or the pipe is closed.
    fn read_once(&mut self) -> io::Result<bool> {
        // Most answers are a word, and this is cleared for each.
        let mut buffer = [0; 256];
        let Some(pipe) = &self.pipe else { return Ok(true) };
        match rustix::io::read(pipe, &mut buffer) {
            Ok(0) => {
                self.pipe = None;
                Ok(true)
            }
            Ok(count) if count > self.cap - self.bytes.len() => {
                // Left for the next look, which says so; only this part of it is lost.
                self.cap = self.bytes.len();
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

    /// Reads what is there, up to a megabyte at a time so that limits are looked at in between. Says whether the cap
    /// was passed; what is beyond it is thrown away.
    fn drain(&mut self) -> io::Result<bool> {
        // Small, since it is cleared at every look.
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
}

/// A run being watched.
struct Watch<'a> {
    init: Guest<Plan>,
    socket: OwnedFd,
    group: Group,
    streams: [Stream; 2],
    host: &'a Host,
    limits: &'a Limits,
    job: &'a Job<'a>,
    /// When everything was begun, and when its program was executed.
    begun: Duration,
    started: Option<Duration>,
    /// Its end as its first process told it.
    end: Option<End>,
    /// When a limit was reached.
    limited: Option<Duration>,
    /// The most memory of its own that was seen, and when that was looked at.
    anonymous: (Option<u64>, Duration),
    /// Somebody who talks to it, and the CPU time that was seen last for that.
    conversation: Option<Conversation<'a>>,
    cpu_seen: Times,
}

/// Something that ends the watching.
enum Ended {
    /// By itself.
    Itself,
    By(Limit),
}

impl<'a> Watch<'a> {
    fn new(
        spawned: Spawned,
        group: Group,
        host: &'a Host,
        job: &'a Job<'a>,
        limits: &'a Limits,
        partner: Option<&'a mut (dyn Partner + 'a)>,
    ) -> Result<Self, ContainError> {
        let Spawned { init, socket, outputs, input } = spawned;
        let conversation = partner.zip(input).map(|(partner, input)| Conversation::new(partner, input));
        let conversation = conversation.transpose().map_err(ContainError::Watch)?;
        let [output, errors] = outputs.map(|pipe| Stream::new(pipe, limits));
        let streams = [output.map_err(ContainError::Watch)?, errors.map_err(ContainError::Watch)?];
        let begun = now();
        Ok(Self {
            init,
            socket,
            group,
            streams,
            host,
            limits,
            job,
            begun,
            started: None,
            end: None,
            limited: None,
            anonymous: (None, begun),
            conversation,
            cpu_seen: Times::default(),
        })
    }

    /// How many cores it may use at a time.
    fn cores(&self) -> u32 {
        let all = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        (if self.job.cores.is_empty() { all() } else { self.job.cores.len() }) as u32
    }

    /// The time since the program was executed, if it has been.
    fn elapsed(&self) -> Result<Duration, ContainError> {
        match self.started {
            Some(started) => Ok(now().saturating_sub(started)),
            None if now().saturating_sub(self.begun) < SET_UP => Ok(Duration::ZERO),
            None => Err(ContainError::Watch(io::Error::other("it took over a minute to get to its program"))),
        }
    }

    /// Waits until the program has ended or a limit is reached (R08-3.7).
    fn until_end(&mut self) -> Result<Option<Limit>, ContainError> {
        let limit = loop {
            match self.look()? {
                Some(Ended::Itself) => return Ok(None),
                Some(Ended::By(limit)) => break limit,
                None => {}
            }
        };
        // An answer that is in the pipe now has been given in time (R19-7.3); what comes later has not.
        self.limited = Some(now());
        self.drain()?;
        self.converse();
        self.streams.iter_mut().for_each(|stream| stream.pipe = None);
        if matches!(limit, Limit::Wall | Limit::Cpu) && !self.limits.grace.is_zero() {
            Order::Ask.send(&self.socket);
            let until = now() + self.limits.grace;
            while !self.hear()? && now() < until && !self.host.has_given_up() {
                self.sleep(until.saturating_sub(now()).min(LOOK))?;
            }
        }
        Ok(Some(limit))
    }

    /// Takes in what there is, compares it with the limits, and sleeps until something happens or has to be looked at.
    fn look(&mut self) -> Result<Option<Ended>, ContainError> {
        if self.host.has_given_up() {
            return Err(ContainError::Interrupted);
        }
        if self.drain()? {
            return Ok(Some(Ended::By(Limit::Output)));
        }
        if self.hear()? {
            return Ok(Some(Ended::Itself));
        }
        let elapsed = self.elapsed()?;
        self.converse();
        if let Some(parted) = self.conversation.as_ref().and_then(Conversation::parted)
            && now().saturating_sub(parted) >= PARTING
        {
            // All was said; that it does not go is not counted.
            self.limited = Some(parted);
            return Ok(Some(Ended::Itself));
        }
        if self.limits.wall.is_some_and(|wall| elapsed >= wall) {
            return Ok(Some(Ended::By(Limit::Wall)));
        }
        let cpu = self.limits.cpu.and_then(|limit| Some((limit, self.group.cpu()?)));
        if cpu.is_some_and(|(limit, used)| used >= limit) {
            return Ok(Some(Ended::By(Limit::Cpu)));
        }
        if self.limits.memory.is_some() && elapsed >= LOOK && self.group.has_run_out() {
            return Ok(Some(Ended::By(Limit::Memory)));
        }
        self.look_at_memory();
        let pause = self.next_look(elapsed, cpu);
        if self.conversation.is_some() && self.started.is_some() {
            self.talk(pause)?;
        } else {
            self.sleep(pause)?;
        }
        Ok(None)
    }

    /// Lets the program and its partner talk, until something else happens or the time is up. What has to be looked at
    /// now and then is not looked at for every word.
    fn talk(&mut self, time: Duration) -> Result<(), ContainError> {
        let Some(conversation) = &mut self.conversation else { return Ok(()) };
        let [output, errors] = &self.streams;
        let Some(output) = &output.pipe else { return self.sleep(time) };
        let others =
            [Some(self.init.process().as_fd()), Some(self.socket.as_fd()), errors.pipe.as_ref().map(AsFd::as_fd)];
        conversation.watch(output.as_fd(), &others, time).map_err(ContainError::Watch)?;
        while let Some(conversation) = &self.conversation
            && conversation.has_only_words().map_err(ContainError::Watch)?
            // One reading at a time: what is there is an answer, or a part of one.
            && !self.streams[0].read_once().map_err(ContainError::Watch)?
        {
            self.converse();
        }
        Ok(())
    }

    /// Tells the partner what came in, and sends what it says.
    fn converse(&mut self) {
        if let (Some(conversation), Some(started)) = (&mut self.conversation, self.started) {
            let wall = now().saturating_sub(started);
            // Asking for it at every word would cost more than the word.
            if wall.saturating_sub(self.cpu_seen.wall) >= CPU_LOOK {
                self.cpu_seen = Times { wall, cpu: self.group.cpu().unwrap_or(self.cpu_seen.cpu) };
            }
            conversation.go_on(&self.streams[0].bytes, Times { wall, cpu: self.cpu_seen.cpu });
            // Who has closed its output has nothing more to say, and who has closed its input no answer.
            let is_over = self.streams[0].pipe.is_none() || conversation.is_deaf();
            if is_over && self.limited.is_none() {
                conversation.hang_up();
            }
        }
    }

    /// Tells the partner the rest, and that nothing more comes.
    fn end_conversation(&mut self) {
        if self.conversation.is_some() && self.limited.is_none() {
            // An error is found again when the rest is read for the record.
            let _ = self.drain_to_end();
        }
        self.converse();
        if let Some(conversation) = &mut self.conversation {
            conversation.end(&self.streams[0].bytes, self.limited.is_some());
        }
    }

    /// How long nothing has to be looked at: until the wall limit, or the earliest moment at which all cores
    /// together could have used up the CPU limit, but not over a quarter of a second.
    fn next_look(&self, elapsed: Duration, cpu: Option<(Duration, Duration)>) -> Duration {
        let mut wait = LOOK;
        if let Some(wall) = self.limits.wall {
            wait = wait.min(wall.saturating_sub(elapsed));
        }
        if let Some((limit, used)) = cpu {
            wait = wait.min((limit.saturating_sub(used) / self.cores()).max(Duration::from_millis(5)));
        }
        wait
    }

    /// Notes how much memory of its own the run has now, a few times a second.
    fn look_at_memory(&mut self) {
        let (most, last) = self.anonymous;
        if now().saturating_sub(last) >= LOOK {
            self.anonymous = (most.max(self.group.anonymous()), now());
        }
    }

    /// Takes in the reports of the first process. True when it has told of the end.
    fn hear(&mut self) -> Result<bool, ContainError> {
        // Asked before its reports are read, so that none can come in between.
        let is_gone = is_over(self.init.process(), Duration::ZERO)?;
        while let Some(report) = Report::next(&self.socket) {
            match report {
                Report::Started(at) => self.started = Some(at),
                Report::Failed(Step::Input, error) => {
                    return Err(ContainError::Input(self.job.stdin.clone().unwrap_or_default(), error.into()));
                }
                Report::Failed(Step::Program, error) => {
                    return Err(ContainError::Start(self.job.program.clone(), error.into()));
                }
                Report::Failed(step, error) => return Err(ContainError::Wall(step.to_string(), error.into())),
                Report::Ended(end) => self.end = Some(end),
            }
        }
        if self.end.is_none() && is_gone {
            return Err(ContainError::Watch(io::Error::other("somebody has killed its first process")));
        }
        Ok(self.end.is_some())
    }

    /// Sleeps until there is output or a report, the first process has ended, or the time is up.
    fn sleep(&self, time: Duration) -> Result<(), ContainError> {
        let mut watched =
            vec![PollFd::new(self.init.process(), PollFlags::IN), PollFd::new(&self.socket, PollFlags::IN)];
        watched.extend(self.streams.iter().filter_map(|s| s.pipe.as_ref()).map(|p| PollFd::new(p, PollFlags::IN)));
        wait_on(&mut watched, time)
    }

    /// Waits until the first process has told of the end, for so long.
    fn await_end(&mut self, time: Duration) -> Result<(), ContainError> {
        let until = now() + time;
        while !self.hear()? && now() < until {
            self.sleep(until.saturating_sub(now()))?;
        }
        Ok(())
    }

    fn drain(&mut self) -> Result<bool, ContainError> {
        let [output, errors] = &mut self.streams;
        let over = [output.drain(), errors.drain()];
        over.into_iter().try_fold(false, |any, over| Ok(any | over.map_err(ContainError::Watch)?))
    }

    /// Ends all that is left of the run, child processes too (R08-3.8), and makes sure that nothing is.
    fn clear(&mut self) -> Result<(), ContainError> {
        if self.end.is_none() {
            Order::End.send(&self.socket);
            // An error here says that the first process is gone, which is what is wanted.
            let _ = self.await_end(CLEARING);
        }
        if !is_over(self.init.process(), if self.end.is_some() { CLEARING } else { Duration::ZERO })? {
            let _ = pidfd_send_signal(self.init.process(), Signal::KILL);
            is_over(self.init.process(), CLEARING)?;
        }
        let _ = waitid(WaitId::PidFd(self.init.process().as_fd()), WaitIdOptions::EXITED | WaitIdOptions::NOHANG);
        match self.group.kill() {
            0 => Ok(()),
            survivors => Err(ContainError::Survivors(survivors)),
        }
    }

    /// Reads the last output and the accounts of a run in which nothing runs any more.
    fn measure(
        mut self,
        limit: Option<Limit>,
        isolation: Isolation,
        before: &Counters,
    ) -> Result<Measured, ContainError> {
        let over = self.drain_to_end()?;
        let accounts = self.group.accounts();
        if accounts.killed_for_memory && !accounts.reached_memory_limit {
            return Err(ContainError::MachineMemory);
        }
        let reached = |limit: u64| accounts.processes.is_none_or(|most| most >= limit);
        if accounts.refused_processes > 0 && !self.limits.processes.is_none_or(reached) {
            return Err(ContainError::MachineProcesses);
        }
        let gone = || ContainError::Watch(io::Error::other("its first process did not tell how it ended"));
        let end = self.end.ok_or_else(gone)?;
        let Cpu { all: cpu, user, system } =
            accounts.cpu.unwrap_or(Cpu { all: end.user + end.system, user: end.user, system: end.system });
        let started = self.started.ok_or_else(gone)?;
        // The program may have ended just before it was seen to reach a limit, while others of the run were cleared away.
        let stopped = self.limited.map_or(end.at, |limited| limited.min(end.at));
        let wall = stopped.saturating_sub(started);
        let has_ended_first = stopped == end.at;
        let limit = limit.filter(|limit| !has_ended_first || !matches!(limit, Limit::Wall | Limit::Cpu)).or(match () {
            () if accounts.killed_for_memory => Some(Limit::Memory),
            () if over => Some(Limit::Output),
            () if self.limits.wall.is_some_and(|limit| wall >= limit) => Some(Limit::Wall),
            () if self.limits.cpu.is_some_and(|limit| cpu >= limit) => Some(Limit::Cpu),
            () if end.is_full => Some(Limit::Disk),
            () if accounts.refused_processes > 0 => Some(Limit::Processes),
            () => None,
        });
        let after = self.host.observer.look(now(), wall > Duration::from_secs(1));
        let first_core = self.job.cores.first().copied().unwrap_or(0);
        let surroundings = before.until(&after, accounts.pressure, first_core);
        let [stdout, stderr] = self.streams.map(|stream| stream.bytes);
        Ok(Measured {
            ending: ending(end.status),
            limit,
            wall,
            cpu,
            user,
            system,
            memory: accounts.memory_peak,
            anonymous: self.anonymous.0,
            largest_process: end.largest,
            processes: accounts.processes,
            stdout,
            stderr,
            isolation,
            surroundings,
        })
    }

    /// Reads what is left in the pipes.
    fn drain_to_end(&mut self) -> Result<bool, ContainError> {
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

/// Whether a process has ended, or does so within the time.
fn is_over(process: &OwnedFd, within: Duration) -> Result<bool, ContainError> {
    let mut watched = [PollFd::new(process, PollFlags::IN)];
    wait_on(&mut watched, within)?;
    Ok(!watched[0].revents().is_empty())
}

fn wait_on(watched: &mut [PollFd<'_>], time: Duration) -> Result<(), ContainError> {
    let time = Timespec { tv_sec: time.as_secs() as i64, tv_nsec: i64::from(time.subsec_nanos()) };
    match poll(watched, Some(&time)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(ContainError::Watch(error.into())),
    }
}

/// Decodes a wait status.
fn ending(status: i32) -> Ending {
    match status & 0x7f {
        0 => Ending::Exit((status >> 8) & 0xff),
        signal => Ending::Signal(signal),
    }
}
