//! Getting a run started: everything its first processes need, made ready in the runner.

use crate::cgroup::Group;
use crate::filter::{Leave, filter};
use crate::init::{Plan, Walls};
use crate::program::{Input, Program};
use crate::report::Step;
use crate::sys::{self, Guest, Stack, Words};
use crate::view::{View, c_path};
use crate::{ContainError, Host, Isolation, Job, Limits};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::thread::CpuSet;
use std::ffi::{CString, OsStr};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Who a confined run is, in its own eyes. Not root: executing a program then takes away all privileges.
const INSIDE: u32 = 1000;

/// A run's first process and the ways to it.
pub(crate) struct Spawned {
    /// The process.
    pub(crate) init: Guest<Plan>,
    /// Its reports, and our orders to it.
    pub(crate) socket: OwnedFd,
    /// Where standard output and standard error come from.
    pub(crate) outputs: [OwnedFd; 2],
    /// Where standard input goes to, if somebody talks to the program.
    pub(crate) input: Option<OwnedFd>,
}

/// Two ends of a connection that keeps messages whole.
pub(crate) fn socket_pair() -> rustix::io::Result<(OwnedFd, OwnedFd)> {
    socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)
}

/// Starts a job in its group.
pub(crate) fn spawn(
    host: &Host,
    job: &Job<'_>,
    limits: &Limits,
    group: &Group,
    isolation: &Isolation,
    converses: bool,
) -> Result<Spawned, ContainError> {
    let machine = |error: rustix::io::Errno| ContainError::Watch(error.into());
    let (socket, theirs) = socket_pair().map_err(machine)?;
    let (output, output_end) = pipe_with(PipeFlags::CLOEXEC).map_err(machine)?;
    let (errors, errors_end) = pipe_with(PipeFlags::CLOEXEC).map_err(machine)?;
    let pipe = if converses { Some(pipe_with(PipeFlags::CLOEXEC).map_err(machine)?) } else { None };
    let input = match &pipe {
        Some((theirs, _)) => Input::Pipe(theirs.as_raw_fd()),
        None => Input::File(text(job.stdin.as_deref().unwrap_or(Path::new("/dev/null")).as_os_str())?),
    };
    let program = Program {
        path: text(job.program.as_os_str())?,
        words: words(
            [OsStr::new("/bin/sh"), job.program.as_os_str()]
                .into_iter()
                .chain(job.arguments.iter().map(|word| &**word)),
        )?,
        environment: environment(job)?,
        start: text(job.work.start().as_os_str())?,
        input,
        outputs: [output_end.as_raw_fd(), errors_end.as_raw_fd()],
        doors: group.doors().map_err(ContainError::Cgroup)?,
        cores: (!job.cores.is_empty()).then(|| {
            let mut set = CpuSet::new();
            job.cores.iter().for_each(|core| set.set(*core));
            set
        }),
        address_space: limits.address_space.or(limits.memory.filter(|_| !isolation.tree_memory)),
        cpu_seconds: limits.cpu.filter(|_| !isolation.tree_cpu).map(|cpu| cpu.as_secs() + 1),
        processes: limits.processes.filter(|_| !isolation.counted_processes && isolation.own_processes),
        filter: if isolation.filtered_calls {
            filter(Leave { to_choose_cores: !isolation.own_cores, to_use_sockets: job.network })
        } else {
            vec![]
        },
        dies_with_its_parent: !host.confines(),
        socket: rustix::io::fcntl_dupfd_cloexec(&theirs, 3).map_err(machine)?,
    };
    let walls = if host.confines() { Some(walls(host, job, limits)?) } else { None };
    let namespaces = match &walls {
        None => 0,
        Some(walls) => {
            let network = if walls.own_network { libc::CLONE_NEWNET } else { 0 };
            libc::CLONE_NEWUSER | libc::CLONE_NEWPID | libc::CLONE_NEWNS | libc::CLONE_NEWIPC | network
        }
    };
    let streams =
        [&output_end, &errors_end, &theirs, &program.socket].into_iter().chain(pipe.iter().map(|ends| &ends.0));
    let mut kept: Vec<_> =
        streams.map(AsRawFd::as_raw_fd).chain(program.doors.iter().map(AsRawFd::as_raw_fd)).collect();
    kept.sort_unstable();
    let plan = Plan { socket: theirs, kept, walls, program, stack: Stack::new() };
    let started = sys::undisturbed(|| Guest::start(plan, namespaces));
    let init = started.map_err(|error| ContainError::Wall(Step::Start.to_string(), error.into()))?;
    Ok(Spawned { init, socket, outputs: [output, errors], input: pipe.map(|ends| ends.1) })
}

fn walls(host: &Host, job: &Job<'_>, limits: &Limits) -> Result<Walls, ContainError> {
    let failed = |(step, error): (Step, rustix::io::Errno)| ContainError::Wall(step.to_string(), error.into());
    // A link may lead to where it is hidden.
    let target = job.program.canonicalize().unwrap_or_else(|_| job.program.clone());
    let named = [&*job.program, &*target].into_iter().chain(job.stdin.as_deref());
    let shown: Vec<&Path> = job.shown.iter().map(|path| &**path).chain(named).collect();
    let view = View::new(job.work, limits.disk(), &job.hidden, &shown, host.shows_own_processes()).map_err(failed)?;
    let line = |outside: u32| text(OsStr::new(&format!("{INSIDE} {outside} 1")));
    Ok(Walls {
        user: line(rustix::process::geteuid().as_raw())?,
        group: line(rustix::process::getegid().as_raw())?,
        view,
        own_network: !job.network,
    })
}

fn text(text: &OsStr) -> Result<CString, ContainError> {
    c_path(Path::new(text)).map_err(|_| {
        let error = io::Error::new(io::ErrorKind::InvalidInput, "there is a NUL in it");
        ContainError::Start(text.into(), error)
    })
}

fn words<'a>(words: impl Iterator<Item = &'a OsStr>) -> Result<Words, ContainError> {
    Ok(Words::new(words.map(text).collect::<Result<_, _>>()?))
}

fn environment(job: &Job<'_>) -> Result<Words, ContainError> {
    let pairs = job.environment.iter().map(|(name, value)| {
        let pair = [name.as_bytes(), b"=", value.as_bytes()].concat();
        text(OsStr::from_bytes(&pair))
    });
    Ok(Words::new(pairs.collect::<Result<_, _>>()?))
}
