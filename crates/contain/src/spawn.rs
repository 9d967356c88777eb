//! Starts a run: everything that its first processes need is prepared in the runner.

use crate::budget::Budget;
use crate::filter::{Terms, filter};
use crate::group::Group;
use crate::host::Walled;
use crate::identity::{self, INSIDE, Identity};
use crate::init::{Plan, UserNamespace, Walls};
use crate::leftovers::Owner;
use crate::loan::Loan;
use crate::messages::{Instruction, Step};
use crate::mounts::{self, View, c_path};
use crate::program::{Input, Program};
use crate::sys::{self, Guest, Scheduling, Stack, Words};
use crate::{ContainError, Host, Isolation, Job, Limits};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::thread::CpuSet;
use std::collections::BTreeSet;
use std::ffi::{CString, OsStr};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The time slices of the runner and the init process, in nanoseconds.
const SHORT: u64 = 100_000;

/// A run's init process and the channels to it.
pub(crate) struct Spawned {
    /// The init process.
    pub(crate) init: Guest<Plan>,
    /// Carries the init process's reports and the runner's instructions.
    pub(crate) socket: OwnedFd,
    /// Stdout and stderr.
    pub(crate) outputs: [OwnedFd; 2],
    /// The write end of stdin, in a conversation.
    pub(crate) input: Option<OwnedFd>,
    /// The host directory given to the run, lent to its user until the run is over.
    pub(crate) loan: Option<Loan>,
}

/// Creates a connection that preserves message boundaries. Returns its two ends.
pub(crate) fn socket_pair() -> rustix::io::Result<(OwnedFd, OwnedFd)> {
    socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)
}

/// Where a job reads its input from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// The file that the job names.
    Batch,
    /// A partner at the other end of a pipe.
    Conversation,
}

/// Starts a job in its group.
pub(crate) fn spawn(
    host: &Host,
    job: &Job<'_>,
    limits: &Limits,
    group: &Group,
    isolation: &Isolation,
    mode: Mode,
) -> Result<Spawned, ContainError> {
    let machine = |error: rustix::io::Errno| ContainError::Watch(error.into());
    let (socket, theirs) = socket_pair().map_err(machine)?;
    let (questions, asked) = socket_pair().map_err(machine)?;
    let (output, output_end) = pipe_with(PipeFlags::CLOEXEC).map_err(machine)?;
    let (errors, errors_end) = pipe_with(PipeFlags::CLOEXEC).map_err(machine)?;
    let is_conversation = mode == Mode::Conversation;
    let pipe = is_conversation.then(|| pipe_with(PipeFlags::CLOEXEC)).transpose().map_err(machine)?;
    let input = match &pipe {
        Some((theirs, _)) => Input::Pipe(theirs.as_raw_fd()),
        None => Input::File(text(job.stdin.as_deref().unwrap_or(Path::new("/dev/null")).as_os_str())?),
    };
    let cores = cpu_set(job);
    // Raise our priority before the program can compete for a core.
    let urgent = make_urgent(host.nice());
    let walled = host.walled();
    let identity = walled.map(|walled| walled.standing.identity());
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
        cores,
        // Limits per process, where no control group limits the whole tree.
        address_space: limits.address_space.or(limits.memory.filter(|_| !isolation.tree_memory)),
        cpu_seconds: limits.cpu.filter(|_| !isolation.tree_cpu).map(|cpu| cpu.as_secs() + 1),
        processes: limits.processes.filter(|_| !isolation.counted_processes && isolation.confined),
        scheduling: Scheduling { nice: host.nice(), slice: 0 },
        user: identity.and_then(Identity::to_become),
        filter: if isolation.filtered_calls { filter(terms(job, isolation)) } else { &[] },
        questions: asked,
        dies_with_its_parent: walled.is_none(),
        socket: rustix::io::fcntl_dupfd_cloexec(&theirs, 3).map_err(machine)?,
    };
    let loan = loan(job, walled, identity)?;
    let walls = match (walled, identity) {
        (Some(walled), Some(identity)) => Some(walls(walled, identity, job, limits)?),
        _ => None,
    };
    let namespaces = walls.as_ref().map_or(0, namespaces);
    // The init process closes all other descriptors, which belong to the runner.
    let streams = [&output_end, &errors_end, &theirs, &program.socket, &questions, &program.questions]
        .into_iter()
        .chain(pipe.iter().map(|ends| &ends.0));
    let doors = program.doors.iter().map(AsRawFd::as_raw_fd);
    let views = walls.iter().flat_map(|walls| walls.view.descriptors());
    let kept: BTreeSet<_> = streams.map(AsRawFd::as_raw_fd).chain(doors).chain(views).collect();
    let plan = Plan {
        socket: theirs,
        kept: kept.into_iter().collect(),
        walls,
        program,
        questions,
        locks: Budget::of_locks(limits.memory),
        sockets: Budget::of_sockets(limits.memory),
        cores,
        urgent,
        stack: Stack::new(),
    };
    let started = sys::undisturbed(|| Guest::start(plan, namespaces));
    let init = started.map_err(|error| ContainError::Wall(Step::Start.to_string(), error.into()))?;
    if let Some(Identity::Mapped(id)) = identity {
        let maps = identity::write_maps(&format!("/proc/{}", init.pid()), (INSIDE, INSIDE), id);
        maps.map_err(|error| ContainError::Wall(Step::User.to_string(), error))?;
        Instruction::Go.send(&socket);
    }
    Ok(Spawned { init, socket, outputs: [output, errors], input: pipe.map(|ends| ends.1), loan })
}

/// If the run writes to an existing directory of the host, lends it to the run's user.
fn loan(job: &Job<'_>, walled: Option<&Walled>, identity: Option<Identity>) -> Result<Option<Loan>, ContainError> {
    if !job.work.is_given() {
        return Ok(None);
    }
    Ok(Some(match (walled, identity.and_then(Identity::own)) {
        (Some(walled), Some(id)) => lend(walled, job.work.root(), id)?,
        _ => Loan::translated(job.work.root()),
    }))
}

/// The cores of a run, if it has its own.
fn cpu_set(job: &Job<'_>) -> Option<CpuSet> {
    (!job.cores.is_empty()).then(|| {
        let mut set = CpuSet::new();
        job.cores.iter().for_each(|core| set.set(*core));
        set
    })
}

/// The namespaces of a confined run, as flags of `clone`.
fn namespaces(walls: &Walls) -> libc::c_int {
    let network = if walls.own_network { libc::CLONE_NEWNET } else { 0 };
    let user = if matches!(walls.namespace, UserNamespace::Runners) { 0 } else { libc::CLONE_NEWUSER };
    libc::CLONE_NEWPID | libc::CLONE_NEWNS | libc::CLONE_NEWIPC | network | user
}

/// The properties of a run that its system call filter depends on.
fn terms(job: &Job<'_>, isolation: &Isolation) -> Terms {
    Terms { own_cores: isolation.own_cores, network: job.network, piped_cores: has_core_helper() }
}

/// Gives this thread precedence over any run, as far as permitted: by priority, or else by a short time slice.
fn make_urgent(nice: i32) -> Scheduling {
    let by_privilege = Scheduling { nice: nice.min(-10), slice: SHORT };
    let by_modesty = Scheduling { nice, slice: SHORT };
    if by_privilege.apply().is_ok() {
        by_privilege
    } else {
        let _ = by_modesty.apply();
        by_modesty
    }
}

/// Whether the kernel pipes core dumps to a program.
fn has_core_helper() -> bool {
    std::fs::read("/proc/sys/kernel/core_pattern").is_ok_and(|pattern| matches!(pattern.first(), Some(b'|' | b'@')))
}

/// Plans the namespaces and mounts of a confined run.
fn walls(walled: &Walled, identity: Identity, job: &Job<'_>, limits: &Limits) -> Result<Walls, ContainError> {
    let failed = |(step, error): (Step, rustix::io::Errno)| ContainError::Wall(step.to_string(), error.into());
    let given = job.shown.iter().map(|path| &**path).chain([&*job.program]).chain(job.stdin.as_deref());
    let named = job.named.iter().map(|path| &**path).filter(|path| !leads_to(path, &job.hidden));
    let shown: Vec<&Path> = given.chain(named).collect();
    let is_private = |path: &Path| {
        path.starts_with("/root")
            || path.starts_with("/home")
            || std::env::home_dir().is_some_and(|home| path.starts_with(home))
    };
    // Shown files appear to belong to the run's user, so that it can read them. Private files that a command merely
    // names are an exception: the run can read them only if everybody may.
    let owners = |path: &Path| match identity {
        Identity::Own(id) if !job.named.iter().any(|named| named == path) || !is_private(path) => {
            walled.standing.map(owner(path).ok()?, id).ok()
        }
        _ => None,
    };
    let view = View::new(&mounts::MountPlan {
        work: job.work,
        room: limits.disk(),
        hidden: &job.hidden,
        shown: &shown,
        own_proc: walled.own_proc,
        user: identity.to_become().unwrap_or(INSIDE),
        owner: identity.to_become(),
        owners: &owners,
    })
    .map_err(failed)?;
    let line = |outside: u32| text(OsStr::new(&format!("{INSIDE} {outside} 1")));
    let namespace = match identity {
        Identity::Own(_) => UserNamespace::Runners,
        Identity::Mapped(_) => UserNamespace::MappedByRunner,
        Identity::Shared => UserNamespace::MappedToRunner {
            user: line(rustix::process::geteuid().as_raw())?,
            group: line(rustix::process::getegid().as_raw())?,
        },
    };
    Ok(Walls { namespace, view, own_network: !job.network })
}

/// Whether a path is in one of these directories, compared by inode, since a directory can be mounted twice.
fn leads_to(path: &Path, directories: &[PathBuf]) -> bool {
    let identity = |path: &Path| path.metadata().ok().map(|about| (about.dev(), about.ino()));
    let directories: Vec<_> = directories.iter().filter_map(|directory| identity(directory)).collect();
    !directories.is_empty()
        && path.ancestors().any(|above| identity(above).is_some_and(|above| directories.contains(&above)))
}

fn owner(path: &Path) -> io::Result<Owner> {
    path.metadata().map(|about| (about.uid(), about.gid()))
}

/// Lets a run's user write to a directory: by a mount that translates owners, or else by changing the owner until the
/// run is over.
fn lend(walled: &Walled, directory: &Path, id: u32) -> Result<Loan, ContainError> {
    let failed = |error: io::Error| ContainError::Wall(format!("the directory {}", directory.display()), error);
    let owner = owner(directory).map_err(failed)?;
    let is_translated = walled.standing.map(owner, id).is_ok_and(|map| mounts::translates(directory, &map));
    if is_translated {
        Ok(Loan::translated(directory))
    } else {
        Loan::given(directory, owner, (id, id)).map_err(failed)
    }
}

fn text(text: &OsStr) -> Result<CString, ContainError> {
    c_path(Path::new(text)).map_err(|_| {
        let error = io::Error::new(io::ErrorKind::InvalidInput, "it contains a NUL byte");
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
