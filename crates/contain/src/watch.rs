//! Watches a run: its output, its resources, and when it has to end.

use crate::conversation::{Conversation, EndedBy, Partner, Times};
use crate::group::{Accounts, Cpu, Group};
use crate::init::Plan;
use crate::loan::Loan;
use crate::messages::{End, Instruction, Report, Step};
use crate::pace::{Pace, REST};
use crate::spawn::Spawned;
use crate::stream::Stream;
use crate::surroundings::Counters;
use crate::survey::Survey;
use crate::sys::{Guest, cpu_time, now};
use crate::{ContainError, Ending, Host, Isolation, Job, Limit, Limits, Measured};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Signal, pidfd_send_signal};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

/// The longest interval between two polls.
const LOOK: Duration = Duration::from_millis(250);

/// How long starting the program may take. A longer delay is a failure of the machine.
const SET_UP: Duration = Duration::from_secs(60);

/// The maximum age of the CPU time that is passed to a conversation.
const CPU_LOOK: Duration = Duration::from_millis(10);

/// The shortest interval between two surveys of a run's processes.
const SURVEY: Duration = Duration::from_millis(50);

/// Runs with fewer processes than this are surveyed regularly, since that is cheap.
const FEW: usize = 32;

/// How long a program has to exit after the partner hung up.
const PARTING: Duration = Duration::from_secs(2);

/// How long the init process has to kill the rest before it is killed itself.
const CLEARING: Duration = Duration::from_secs(5);

/// A run being watched.
pub(crate) struct Watch<'a> {
    init: Guest<Plan>,
    socket: OwnedFd,
    group: Group,
    streams: [Stream; 2],
    host: &'a Host,
    limits: &'a Limits,
    job: &'a Job<'a>,
    loan: Option<Loan>,
    /// When the run was started, and when its program was executed.
    begun: Duration,
    started: Option<Duration>,
    /// The CPU time that the init process had used when the program was executed.
    init_cpu: Duration,
    /// The largest CPU time of the run seen while it ran.
    most_cpu: Duration,
    /// The end of the run as its init process reported it.
    end: Option<End>,
    /// Whether the run has exceeded the output limit. Its pipe is then closed, which may end it before we kill it.
    is_over: bool,
    /// When a limit was reached.
    limited: Option<Duration>,
    /// The peak anonymous memory, and when it was last polled.
    anonymous: (Option<u64>, Duration),
    conversation: Option<Conversation<'a>>,
    /// The CPU time at the last poll, and the wall-clock time of that poll.
    cpu_seen: Times,
    /// When its processes were last surveyed, and the CPU time that they had used.
    surveyed: (Duration, Duration),
    survey: Survey,
    /// How often the run wakes us with little output.
    pace: Pace,
    /// Until when its output is ignored because it woke us too often.
    resting: Option<Duration>,
}

/// Why watching ends.
enum Ended {
    /// The program or its conversation ended.
    Itself,
    /// The run reached a limit.
    By(Limit),
}

/// How a run ended, once nothing of it is left.
pub(crate) struct Settled {
    end: End,
    wall: Duration,
    limit: Option<Limit>,
    cpu: Cpu,
    accounts: Accounts,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(
        spawned: Spawned,
        group: Group,
        host: &'a Host,
        job: &'a Job<'a>,
        limits: &'a Limits,
        partner: Option<&'a mut (dyn Partner + 'a)>,
    ) -> Result<Self, ContainError> {
        let Spawned { init, socket, outputs, input, loan } = spawned;
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
            loan,
            begun,
            started: None,
            init_cpu: Duration::ZERO,
            most_cpu: Duration::ZERO,
            end: None,
            is_over: false,
            limited: None,
            anonymous: (None, begun),
            conversation,
            cpu_seen: Times::default(),
            surveyed: (Duration::ZERO, Duration::ZERO),
            survey: Survey::default(),
            pace: Pace::default(),
            resting: None,
        })
    }

    /// How many cores it may use at a time.
    fn cores(&self) -> u32 {
        self.job.core_count() as u32
    }

    /// The time since the program was executed, if it has been.
    fn elapsed(&self) -> Result<Duration, ContainError> {
        match self.started {
            Some(started) => Ok(now().saturating_sub(started)),
            None if now().saturating_sub(self.begun) < SET_UP => Ok(Duration::ZERO),
            None => Err(ContainError::Watch(io::Error::other("starting the program took over a minute"))),
        }
    }

    /// The CPU time that the run has used, including what the init process did for it.
    fn cpu(&mut self) -> Option<Duration> {
        let used = self.group.cpu().or_else(|| self.survey())?;
        let own = cpu_time(Some(self.init.pid())).unwrap_or_default().saturating_sub(self.init_cpu);
        let all = used + if self.started.is_some() { own } else { Duration::ZERO };
        self.most_cpu = self.most_cpu.max(all);
        Some(all)
    }

    /// The CPU time of a run that no control group counts, from a survey of its processes. Surveying many processes is
    /// slow, so it waits until the run can have reached its limit, even if all its cores were busy.
    fn survey(&mut self) -> Option<Duration> {
        let limit = self.limits.cpu.filter(|_| self.host.walled().is_some_and(|walled| walled.own_proc))?;
        let (at, used) = self.surveyed;
        let earliest = (limit.saturating_sub(used) / self.cores()).max(SURVEY);
        let earliest = if self.survey.processes < FEW { earliest.min(LOOK) } else { earliest };
        if now() >= at.max(self.started?) + earliest {
            self.surveyed = (now(), self.survey.look(self.init.pid())?);
        }
        Some(self.surveyed.1)
    }

    /// The time limit that has been reached, if one has.
    fn time_limit(&self, wall: Duration, cpu: Option<Duration>) -> Option<Limit> {
        if self.limits.wall.is_some_and(|limit| wall >= limit) {
            Some(Limit::Wall)
        } else if self.limits.cpu.zip(cpu).is_some_and(|(limit, cpu)| cpu >= limit) {
            Some(Limit::Cpu)
        } else {
            None
        }
    }

    /// Waits until the program has ended or a limit is reached (R08-3.7).
    pub(crate) fn until_end(&mut self) -> Result<Option<Limit>, ContainError> {
        let limit = loop {
            match self.look()? {
                Some(Ended::Itself) => return Ok(None),
                Some(Ended::By(limit)) => break limit,
                None => {}
            }
        };
        self.limited = Some(now());
        if matches!(limit, Limit::Wall | Limit::Cpu) && !self.limits.grace.is_zero() {
            Instruction::Ask.send(&self.socket);
            let until = now() + self.limits.grace;
            while !self.hear()? && now() < until && !self.host.has_given_up() {
                self.sleep_without_listening(until.saturating_sub(now()).min(LOOK))?;
            }
        }
        Ok(Some(limit))
    }

    /// Reads what is available, checks the limits, and sleeps until something happens or the next poll is due.
    fn look(&mut self) -> Result<Option<Ended>, ContainError> {
        if self.host.has_given_up() {
            return Err(ContainError::Interrupted);
        }
        self.is_over |= self.drain()?;
        if self.hear()? {
            return Ok(Some(Ended::Itself));
        }
        // Check the clocks after reading: an answer counts if they show that it came in time (R19-7.3).
        let elapsed = self.elapsed()?;
        if let Some(limit) = self.time_limit(elapsed, None) {
            return Ok(Some(Ended::By(limit)));
        }
        let cpu = if self.limits.cpu.is_some() && self.started.is_some() { self.cpu() } else { None };
        if let Some(limit) = self.time_limit(elapsed, cpu) {
            return Ok(Some(Ended::By(limit)));
        }
        let is_trickle = self.streams.iter().any(Stream::trickles);
        self.streams.iter_mut().for_each(Stream::confirm);
        if self.is_over {
            return Ok(Some(Ended::By(Limit::Output)));
        }
        self.converse(elapsed);
        if let Some(parted) = self.conversation.as_ref().and_then(Conversation::parted)
            && now().saturating_sub(parted) >= PARTING
        {
            // The conversation is over; the time until the program exits does not count.
            self.limited = Some(parted);
            return Ok(Some(Ended::Itself));
        }
        if self.limits.memory.is_some() && elapsed >= LOOK && self.group.has_run_out() {
            return Ok(Some(Ended::By(Limit::Memory)));
        }
        self.look_at_memory();
        if is_trickle && self.pace.is_too_fast(now()) {
            self.resting = Some(now() + REST);
        }
        let pause = self.next_look(elapsed, cpu);
        if self.conversation.is_some() && self.started.is_some() {
            self.talk(pause)?;
        } else {
            self.sleep(pause)?;
        }
        Ok(None)
    }

    /// Passes messages between the program and its partner, until something else happens or the time is up. The other
    /// checks of [`Watch::look`] would cost more than a message, so they are made only between calls.
    fn talk(&mut self, time: Duration) -> Result<(), ContainError> {
        self.rest()?;
        let Some(conversation) = &mut self.conversation else { return Ok(()) };
        let [output, errors] = &self.streams;
        let Some(output) = &output.pipe else { return self.sleep(time) };
        let others =
            [Some(self.init.process().as_fd()), Some(self.socket.as_fd()), errors.pipe.as_ref().map(AsFd::as_fd)];
        conversation.watch(output.as_fd(), &others, time).map_err(ContainError::Watch)?;
        while let Some(conversation) = &self.conversation
            && conversation.has_only_words().map_err(ContainError::Watch)?
        {
            let said = conversation.said();
            // One read at a time: what is available is an answer, or part of one.
            if self.streams[0].read_once().map_err(ContainError::Watch)? {
                break;
            }
            let elapsed = self.elapsed()?;
            if self.time_limit(elapsed, None).is_some() || !self.has_cpu_left(elapsed) {
                break;
            }
            self.streams[0].confirm();
            self.converse(elapsed);
            // Output to which the partner has no reply must not wake us too often.
            let is_vain = self.conversation.as_ref().is_some_and(|conversation| conversation.said() == said);
            if is_vain && self.pace.is_too_fast(now()) {
                self.resting = Some(now() + REST);
                break;
            }
        }
        Ok(())
    }

    /// Whether CPU time was left at the last poll. Polling for every message would cost more than the message.
    fn has_cpu_left(&mut self, elapsed: Duration) -> bool {
        if elapsed.saturating_sub(self.cpu_seen.wall) >= CPU_LOOK {
            self.cpu_seen = Times { wall: elapsed, cpu: self.cpu().unwrap_or(self.cpu_seen.cpu) };
        }
        self.limits.cpu.is_none_or(|limit| self.cpu_seen.cpu < limit)
    }

    /// Passes new output to the partner, and sends its reply.
    fn converse(&mut self, elapsed: Duration) {
        if self.conversation.is_none() || self.started.is_none() {
            return;
        }
        self.has_cpu_left(elapsed);
        if let Some(conversation) = &mut self.conversation {
            conversation.go_on(self.streams[0].confirmed(), Times { wall: elapsed, cpu: self.cpu_seen.cpu });
            // Closed stdout means no more answers; closed stdin means that none will come.
            let is_over = self.streams[0].pipe.is_none() || conversation.is_deaf();
            if is_over && self.limited.is_none() {
                conversation.hang_up();
            }
        }
    }

    /// Passes the rest of the output to the partner, and ends the conversation.
    pub(crate) fn end_conversation(&mut self) {
        let elapsed = self.elapsed().unwrap_or_default();
        self.converse(elapsed);
        if let Some(conversation) = &mut self.conversation {
            let by = if self.limited.is_some() { EndedBy::Limit } else { EndedBy::Program };
            conversation.end(self.streams[0].confirmed(), by);
        }
    }

    /// How long to sleep: until the wall limit, or the earliest moment at which all cores together could have used up
    /// the CPU limit, but at most a quarter of a second.
    fn next_look(&self, elapsed: Duration, cpu: Option<Duration>) -> Duration {
        let mut wait = LOOK;
        if let Some(wall) = self.limits.wall {
            wait = wait.min(wall.saturating_sub(elapsed));
        }
        if let Some((limit, used)) = self.limits.cpu.zip(cpu) {
            wait = wait.min((limit.saturating_sub(used) / self.cores()).max(CPU_LOOK / 2));
        }
        wait
    }

    /// Polls the anonymous memory of the run, a few times a second.
    fn look_at_memory(&mut self) {
        let (most, last) = self.anonymous;
        if now().saturating_sub(last) >= LOOK {
            self.anonymous = (most.max(self.group.anonymous()), now());
        }
    }

    /// Receives the reports of the init process. Returns true once it has reported the end.
    fn hear(&mut self) -> Result<bool, ContainError> {
        // Checked before its reports are read: if it has ended, no report can follow those.
        let is_gone = is_over(self.init.process(), Duration::ZERO)?;
        while let Some(report) = Report::next(&self.socket) {
            match report {
                Report::Started(at) => {
                    self.started = Some(at);
                    self.init_cpu = cpu_time(Some(self.init.pid())).unwrap_or_default();
                }
                Report::Failed(Step::Input, error) => {
                    return Err(ContainError::Input(self.job.stdin.clone().unwrap_or_default(), error.into()));
                }
                Report::Failed(Step::Program, error) => {
                    return Err(ContainError::Start(self.job.program.clone(), error.into()));
                }
                Report::Failed(step, error) if self.started.is_none() => {
                    return Err(ContainError::Wall(step.to_string(), error.into()));
                }
                // The program has started, so it may have caused the failure: that counts against the run.
                Report::Failed(..) => self.end = Some(End::lost()),
                Report::Ended(end) => self.end = Some(end),
            }
        }
        if self.end.is_none() && is_gone {
            if self.started.is_none() {
                return Err(ContainError::Watch(io::Error::other("the init process was killed")));
            }
            self.end = Some(End::lost());
        }
        Ok(self.end.is_some())
    }

    /// Sleeps until there is output or a report, the init process has ended, or the time is up.
    fn sleep(&mut self, time: Duration) -> Result<(), ContainError> {
        self.rest()?;
        let mut watched =
            vec![PollFd::new(self.init.process(), PollFlags::IN), PollFd::new(&self.socket, PollFlags::IN)];
        watched.extend(self.streams.iter().filter_map(|s| s.pipe.as_ref()).map(|p| PollFd::new(p, PollFlags::IN)));
        wait_on(&mut watched, time)
    }

    /// Ignores output for a while, unless a limit is near: then it has to be read in time.
    fn rest(&mut self) -> Result<(), ContainError> {
        let Some(until) = self.resting.take() else { return Ok(()) };
        let is_near = |limit: Duration| self.elapsed().is_ok_and(|elapsed| limit.saturating_sub(elapsed) < 4 * REST);
        if self.limits.wall.is_some_and(is_near) {
            return Ok(());
        }
        self.sleep_without_listening(until.saturating_sub(now()))
    }

    /// Sleeps until there is a report, the init process has ended, or the time is up.
    fn sleep_without_listening(&self, time: Duration) -> Result<(), ContainError> {
        let mut watched = [PollFd::new(self.init.process(), PollFlags::IN), PollFd::new(&self.socket, PollFlags::IN)];
        wait_on(&mut watched, time)
    }

    /// Waits at most this long for the init process to report the end.
    fn await_end(&mut self, time: Duration) -> Result<(), ContainError> {
        let until = now() + time;
        while !self.hear()? && now() < until {
            self.sleep_without_listening(until.saturating_sub(now()))?;
        }
        Ok(())
    }

    /// Reads what is available in both pipes. Returns true if the output limit is exceeded.
    fn drain(&mut self) -> Result<bool, ContainError> {
        let [output, errors] = &mut self.streams;
        let over = [output.drain(), errors.drain()];
        over.into_iter().try_fold(false, |any, over| Ok(any | over.map_err(ContainError::Watch)?))
    }

    /// Kills what is left of the run, including child processes (R08-3.8), and makes sure that nothing survives.
    pub(crate) fn clear(&mut self) -> Result<(), ContainError> {
        if self.end.is_none() {
            Instruction::End.send(&self.socket);
            // An error is ignored: the init process may have died already, which is fine.
            let _ = self.await_end(CLEARING);
        }
        if !is_over(self.init.process(), if self.end.is_some() { CLEARING } else { Duration::ZERO })? {
            let _ = pidfd_send_signal(self.init.process(), Signal::KILL);
            is_over(self.init.process(), CLEARING)?;
        }
        self.init.reap();
        let survivors = self.group.kill();
        if survivors > 0 {
            return Err(ContainError::Survivors(survivors));
        }
        match self.loan.take().map(Loan::take_back) {
            Some(Err(error)) => Err(ContainError::Leftovers(self.job.work.root().to_owned(), error)),
            _ => Ok(()),
        }
    }

    /// Decides how a run ended, once nothing of it is left, and how much of its output counts.
    pub(crate) fn settle(&mut self, limit: Option<Limit>) -> Result<Settled, ContainError> {
        let accounts = self.group.accounts();
        if accounts.killed_for_memory && !accounts.reached_memory_limit {
            return Err(ContainError::MachineMemory);
        }
        let reached = |limit: u64| accounts.processes.is_none_or(|most| most >= limit);
        if accounts.refused_processes > 0 && !self.group.limits.processes.is_none_or(reached) {
            return Err(ContainError::MachineProcesses);
        }
        let started = self.started.ok_or_else(|| ContainError::Watch(io::Error::other("the program never started")))?;
        let end = self.end.unwrap_or_else(End::lost);
        // Without control groups, add the CPU time of processes that the survey saw but nobody waited for.
        let unseen = self.surveyed.1.saturating_sub(end.user + end.system);
        let reaped = Cpu { all: end.user + end.system + unseen, user: end.user + unseen, system: end.system };
        let counted = accounts.cpu.unwrap_or(reaped);
        // What the init process did for the run counts as system time. The runner and the init process start counting
        // it at slightly different moments; the larger figure is used, so that a run that hit its limit never reports
        // less.
        let own = end.own.max(self.most_cpu.saturating_sub(counted.all));
        let cpu = Cpu { all: counted.all + own, user: counted.user, system: counted.system + own };
        // The program may have ended just before we saw it reach a limit. Then it ended by itself.
        let stopped = self.limited.map_or(end.at, |limited| limited.min(end.at));
        let wall = stopped.saturating_sub(started);
        let has_ended_first = stopped == end.at;
        let by_time = limit.filter(|limit| matches!(limit, Limit::Wall | Limit::Cpu) && !has_ended_first);
        let by_time = by_time.or_else(|| self.time_limit(wall, Some(cpu.all)));
        // If a run ended in time, all of its output counts; otherwise what was read in time.
        let over = by_time.is_none() && self.drain_to_end()? || self.is_over;
        // The cause that ended the run comes first; a full directory or a refused process does not end a run.
        let limit = if let Some(limit @ (Limit::Memory | Limit::Output | Limit::Disk | Limit::Processes)) = limit {
            Some(limit)
        } else if accounts.killed_for_memory {
            Some(Limit::Memory)
        } else if over {
            Some(Limit::Output)
        } else if by_time.is_some() {
            by_time
        } else if end.is_full {
            Some(Limit::Disk)
        } else {
            (accounts.refused_processes > 0).then_some(Limit::Processes)
        };
        self.streams.iter_mut().for_each(Stream::forget_the_rest);
        Ok(Settled { end, wall, limit, cpu, accounts })
    }

    /// Collects what was measured.
    pub(crate) fn measured(self, settled: Settled, isolation: Isolation, before: &Counters) -> Measured {
        let Settled { end, wall, limit, cpu, accounts } = settled;
        let observer = &self.host.observer;
        // Reading the counters takes too long for every short run.
        let after = if wall > Duration::from_secs(1) { observer.current(now()) } else { observer.recent(now()) };
        let first_core = self.job.cores.first().copied().unwrap_or(0);
        let surroundings = before.until(&after, accounts.pressure, first_core);
        let [stdout, stderr] = self.streams.map(Stream::into_confirmed);
        Measured {
            ending: ending(end.status),
            limit,
            wall,
            cpu: cpu.all,
            user: cpu.user,
            system: cpu.system,
            memory: accounts.memory_peak,
            anonymous: self.anonymous.0,
            largest_process: end.largest,
            processes: accounts.processes,
            stdout,
            stderr,
            isolation,
            surroundings,
        }
    }

    /// Reads and confirms what is left in the pipes. Returns true if it exceeds the output limit.
    fn drain_to_end(&mut self) -> Result<bool, ContainError> {
        let mut over = false;
        loop {
            let before = self.streams.each_ref().map(Stream::length);
            over |= self.drain()?;
            if over || before == self.streams.each_ref().map(Stream::length) {
                self.streams.iter_mut().for_each(Stream::confirm);
                return Ok(over);
            }
        }
    }
}

/// Whether a process has ended, or ends within this time.
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
