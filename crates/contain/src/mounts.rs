//! The files that a run sees (R08-3.12, R19-5.21): the system's, those it was given, and its own directory. No other
//! file of the host is visible, and only its own directory is writable.
//!
//! The view is a small tmpfs on which everything visible is mounted. It is built next to the host's files and then
//! replaces them as the root.

use crate::messages::{At, Failure, Step};
use crate::sys::{Extent, set_mount_attributes};
use crate::work_directory::{MEMORY, Work};
use rustix::fs::{CWD, Gid, Mode, OFlags, Uid};
use rustix::io::Errno;
use rustix::mount::{MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, UnmountFlags};
use std::ffi::{CStr, CString};
use std::fs;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// The devices that a run sees. None of them stores anything or reaches the host.
const DEVICES: [&CStr; 5] = [c"/dev/null", c"/dev/zero", c"/dev/full", c"/dev/random", c"/dev/urandom"];

/// Programs, libraries and settings of the system, and the processor information that language runtimes read.
const SYSTEM: [&str; 13] = [
    "/bin",
    "/etc",
    "/gnu/store",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/opt",
    "/sbin",
    "/sys/devices/system/cpu",
    "/sys/devices/system/node",
    "/usr",
];

/// The files of /proc that a run sees if it cannot have a /proc of its own.
const FACTS: [&str; 7] = [
    "/proc/cpuinfo",
    "/proc/filesystems",
    "/proc/loadavg",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/uptime",
    "/proc/version",
];

/// Directories that every program may write to, and where they are in the run's tmpfs.
const SCRATCH: [(&str, &str); 3] = [("/dev/shm", "shm"), ("/tmp", "tmp"), ("/var/tmp", "var-tmp")];

/// Links that programs expect.
const LINKS: [(&str, &str); 4] = [
    ("/dev/fd", "/proc/self/fd"),
    ("/dev/stdin", "/proc/self/fd/0"),
    ("/dev/stdout", "/proc/self/fd/1"),
    ("/dev/stderr", "/proc/self/fd/2"),
];

/// Where the view is built. It is mounted over the host's directory of that name.
const STAGE: &str = "/run";
const STAGE_C: &CStr = c"/run";
const MEMORY_STAGED: &CStr = c"/run/run";
const PROC: &CStr = c"/run/proc";

/// The minimum size of a tmpfs: 0 would mean no limit.
const LEAST: u64 = 4096;

/// The maximum number of mounts.
const MOST: usize = 256;

const RESTRICTED: u64 = libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV;

/// The steps to set up the view, prepared for a process that must not allocate.
pub(crate) struct View {
    /// The mount options of the tmpfs that the run writes to.
    room: CString,
    /// The run's own directories in it.
    directories: Vec<CString>,
    /// Directories for temporary files: the directory in the tmpfs, and its mount point.
    scratch: Vec<(CString, CString)>,
    /// Directories that only contain mount points.
    ways: Vec<CString>,
    links: Vec<Link>,
    /// Links in the run's own directory, and their targets.
    own_links: Vec<(CString, CString)>,
    layers: Vec<Layer>,
    /// Files of ours that replace the system's: source, content, and mount point.
    written: Vec<(CString, Vec<u8>, CString)>,
    devices: Vec<CString>,
    own_proc: bool,
    /// The owner of the run's directories, if it is not the user that creates them.
    owner: Option<u32>,
}

/// A symbolic link in the view: its parent directories, its path and its target.
struct Link {
    ways: Vec<CString>,
    at: CString,
    to: CString,
}

/// One mount of the view: a path of the host at the same path, or something empty that hides it.
struct Layer {
    place: CString,
    ways: Vec<CString>,
    is_folder: bool,
    what: What,
}

enum What {
    Shown { source: CString, is_writable: bool, owners: Option<Arc<OwnedFd>> },
    Hidden { cover: CString },
}

/// The input from which a view is planned.
pub(crate) struct MountPlan<'a> {
    pub(crate) work: &'a Work,
    /// How many bytes the run may write.
    pub(crate) room: u64,
    pub(crate) hidden: &'a [PathBuf],
    pub(crate) shown: &'a [&'a Path],
    /// Whether /proc can be mounted.
    pub(crate) own_proc: bool,
    /// The run's user as seen from inside.
    pub(crate) user: u32,
    /// The run's user id, if it differs from that of the process that sets up the mounts.
    pub(crate) owner: Option<u32>,
    /// For a path, a user namespace that makes its owner appear as the run's user, if possible.
    pub(crate) owners: &'a dyn Fn(&Path) -> Option<Arc<OwnedFd>>,
}

pub(crate) fn c_path(path: &Path) -> Result<CString, Failure> {
    CString::new(path.as_os_str().as_bytes()).map_err(|_| (Step::Files, Errno::INVAL))
}

/// Where a path of the view is while it is being built.
fn staged(path: &Path) -> Result<CString, Failure> {
    c_path(&Path::new(STAGE).join(path.strip_prefix("/").unwrap_or(path)))
}

/// The parent directories of a path, outermost first, without the root.
fn ways(path: &Path) -> Result<Vec<CString>, Failure> {
    let mut ways: Vec<&Path> = path.ancestors().skip(1).filter(|way| way.parent().is_some()).collect();
    ways.reverse();
    ways.into_iter().map(staged).collect()
}

/// The directories of [`SYSTEM`] that exist, and those that are links (such as /bin to usr/bin).
struct System {
    directories: Vec<PathBuf>,
    links: Vec<(PathBuf, PathBuf)>,
}

impl System {
    fn get() -> &'static Self {
        static SYSTEM_FILES: OnceLock<System> = OnceLock::new();
        SYSTEM_FILES.get_or_init(|| {
            let (mut directories, mut links) = (vec![], vec![]);
            for path in SYSTEM.iter().map(PathBuf::from) {
                match fs::symlink_metadata(&path) {
                    Ok(about) if about.is_symlink() => links.extend(fs::read_link(&path).map(|to| (path, to))),
                    Ok(about) if about.is_dir() => directories.push(path),
                    _ => {}
                }
            }
            System { directories, links }
        })
    }
}

/// How a path should appear in the view.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wish {
    System,
    Shown,
    Writable,
    Hidden,
}

/// Wishes by path. For each path, the innermost one that contains it decides; without one, it is hidden.
#[derive(Default)]
struct Wishes(Vec<(PathBuf, Wish)>);

impl Wishes {
    fn on(&self, path: &Path) -> Wish {
        let holding = self.0.iter().filter(|(directory, _)| path.starts_with(directory));
        holding.max_by_key(|(directory, _)| directory.components().count()).map_or(Wish::Hidden, |(_, wish)| *wish)
    }

    fn is_visible(&self, path: &Path) -> bool {
        self.on(path) != Wish::Hidden
    }

    fn add(&mut self, path: &Path, wish: Wish) {
        self.0.retain(|(other, _)| other != path);
        self.0.push((path.to_owned(), wish));
    }
}

impl View {
    /// Plans the view of a run.
    pub(crate) fn new(plan: &MountPlan<'_>) -> Result<Self, Failure> {
        let system = System::get();
        let mut wishes = Wishes::default();
        system.directories.iter().for_each(|directory| wishes.add(directory, Wish::System));
        if !plan.own_proc {
            FACTS.iter().map(Path::new).filter(|fact| fact.exists()).for_each(|fact| wishes.add(fact, Wish::System));
        }
        let mut links: Vec<(PathBuf, PathBuf)> = system.links.clone();
        if plan.own_proc {
            links.extend(LINKS.map(|(at, to)| (at.into(), to.into())));
        }
        plan.hidden.iter().filter(|path| path.exists()).for_each(|path| wishes.add(path, Wish::Hidden));
        // Outer paths first: paths inside them need no mount of their own.
        let mut shown = plan.shown.to_vec();
        shown.sort_unstable();
        for path in shown {
            let Ok(real) = path.canonicalize() else { continue };
            let is_special = ["/proc", "/dev"].iter().any(|directory| real.starts_with(directory));
            if !is_special && !wishes.is_visible(&real) {
                wishes.add(&real, Wish::Shown);
            }
            // A path through a link is visible under that name too.
            if real != path && !wishes.is_visible(path) {
                links.push((path.to_owned(), real));
            }
        }
        if !plan.work.is_in_memory() {
            wishes.add(plan.work.root(), Wish::Writable);
        }
        Self::laid_out(plan, wishes, &links)
    }

    /// Turns wishes into mounts, sorted by path: an inner mount has to follow the outer one, which would cover it.
    fn laid_out(plan: &MountPlan<'_>, wishes: Wishes, links: &[(PathBuf, PathBuf)]) -> Result<Self, Failure> {
        let memory = Path::new(MEMORY);
        let Wishes(mut all) = wishes;
        all.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        let is_inside_something = |path: &Path| {
            all.iter().any(|(outer, wish)| *wish != Wish::Hidden && path != outer && path.starts_with(outer))
        };
        let mut layers = vec![];
        for (number, (path, wish)) in all.iter().enumerate() {
            let what = match wish {
                // Outside of everything visible, nothing has to be hidden.
                Wish::Hidden if !is_inside_something(path) => continue,
                Wish::Hidden => What::Hidden { cover: staged(&memory.join(format!("cover-{number}")))? },
                _ => What::Shown {
                    source: c_path(path)?,
                    is_writable: *wish == Wish::Writable,
                    owners: if *wish == Wish::System { None } else { (plan.owners)(path) },
                },
            };
            layers.push(Layer { place: staged(path)?, ways: ways(path)?, is_folder: path.is_dir(), what });
        }
        if layers.len() > MOST {
            return Err((Step::Files, Errno::TOOBIG));
        }
        let mut all_ways = vec![];
        for place in SCRATCH.iter().map(|(place, _)| *place).chain(["/proc"]).map(Path::new) {
            all_ways.extend(ways(place)?);
            all_ways.push(staged(place)?);
        }
        let is_in_memory = plan.work.is_in_memory();
        let own_links = plan.work.links.iter().filter(|_| is_in_memory).map(|(to, at)| (at, to));
        let own_folders = plan.work.directories.iter().filter(|_| is_in_memory);
        Ok(Self {
            room: CString::new(format!("size={},mode=755", plan.room.max(LEAST)))
                .map_err(|_| (Step::WorkingDirectory, Errno::INVAL))?,
            directories: own_folders.map(|directory| staged(directory)).collect::<Result<_, _>>()?,
            scratch: SCRATCH
                .iter()
                .map(|(place, name)| Ok((staged(&memory.join(name))?, staged(Path::new(place))?)))
                .collect::<Result<_, Failure>>()?,
            ways: all_ways,
            links: links
                .iter()
                .map(|(at, to)| Ok(Link { ways: ways(at)?, at: staged(at)?, to: c_path(to)? }))
                .collect::<Result<_, Failure>>()?,
            own_links: own_links.map(|(at, to)| Ok((staged(at)?, c_path(to)?))).collect::<Result<_, Failure>>()?,
            layers,
            written: Self::users(plan)?,
            devices: DEVICES
                .map(|device| [STAGE.as_bytes(), device.to_bytes()].concat())
                .map(CString::new)
                .into_iter()
                .collect::<Result<_, _>>()
                .map_err(|_| (Step::Files, Errno::INVAL))?,
            own_proc: plan.own_proc,
            owner: plan.owner,
        })
    }

    /// The entries of /etc/passwd and /etc/group for the run: its own user and the usual system users. Programs expect
    /// to find their own user.
    fn users(plan: &MountPlan<'_>) -> Result<Vec<(CString, Vec<u8>, CString)>, Failure> {
        let (id, home) = (plan.user, plan.work.start().display());
        let users = format!(
            "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/sh\nagon:x:{id}:{id}:agon:{home}:/bin/sh\n"
        );
        let groups = format!("root:x:0:\nnogroup:x:65534:\nagon:x:{id}:\n");
        let files = [("/etc/passwd", "users", users), ("/etc/group", "groups", groups)];
        let there = files.into_iter().filter(|(place, ..)| Path::new(place).is_file());
        let file = |(place, name, text): (&str, &str, String)| {
            Ok((staged(&Path::new(MEMORY).join(name))?, text.into_bytes(), staged(Path::new(place))?))
        };
        there.map(file).collect()
    }

    /// The descriptors that setting up the view needs.
    pub(crate) fn descriptors(&self) -> impl Iterator<Item = RawFd> {
        self.layers.iter().filter_map(|layer| match &layer.what {
            What::Shown { owners: Some(owners), .. } => Some(owners.as_raw_fd()),
            _ => None,
        })
    }

    /// Sets up the view for this process. Returns the run's tmpfs. The visible files are opened with this process's
    /// privileges; `then` is called after that and may drop privileges.
    pub(crate) fn put_up(&self, then: impl FnOnce() -> Result<(), Failure>) -> Result<OwnedFd, Failure> {
        let alone = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
        rustix::mount::mount_change(c"/", alone).at(Step::Files)?;
        // Open everything on the host before the view covers part of it.
        let devices = DEVICES.map(|device| copy(device).ok());
        for device in devices.iter().flatten() {
            // A device can be written to on a read-only mount, but its attributes cannot be changed.
            let attributes = RESTRICTED & !libc::MOUNT_ATTR_NODEV;
            set_mount_attributes(device, c"", attributes, None, Extent::One).at(Step::Files)?;
        }
        // A fixed array: this process must not allocate.
        let mut copies = [const { None }; MOST];
        for (layer, place) in self.layers.iter().zip(&mut copies) {
            *place = layer.copy().at(Step::Files)?;
        }
        then()?;
        let flags = MountFlags::NOSUID | MountFlags::NODEV;
        rustix::mount::mount(c"tmpfs", STAGE, c"tmpfs", flags, c"size=1m,mode=755").at(Step::Files)?;
        let memory = self.make_memory().at(Step::WorkingDirectory)?;
        self.ways.iter().try_for_each(|way| make_folder(way)).at(Step::Files)?;
        for (own, place) in &self.scratch {
            make_folder(own).at(Step::Files)?;
            self.hand_over(own, 0o1777).at(Step::Files)?;
            rustix::mount::mount_bind(own.as_c_str(), place.as_c_str()).at(Step::Files)?;
        }
        for (layer, copy) in self.layers.iter().zip(&copies) {
            layer.put(copy.as_ref()).at(Step::Files)?;
        }
        for (file, text, place) in &self.written {
            write_file(file, text).at(Step::Files)?;
            rustix::mount::mount_bind(file.as_c_str(), place.as_c_str()).at(Step::Files)?;
        }
        for Link { ways, at, to } in &self.links {
            ways.iter().try_for_each(|way| make_folder(way)).at(Step::Files)?;
            match rustix::fs::symlink(to.as_c_str(), at.as_c_str()) {
                Err(Errno::EXIST | Errno::ROFS) => {}
                made => made.at(Step::Files)?,
            }
        }
        for (place, device) in self.devices.iter().zip(&devices) {
            if let Some(device) = device {
                make_file(place).at(Step::Files)?;
                put(device, place).at(Step::Files)?;
            }
        }
        if self.own_proc {
            let flags = MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
            // `hidepid` hides the init process, whose memory and command line are the runner's.
            rustix::mount::mount(c"proc", PROC, c"proc", flags, c"hidepid=2").at(Step::Processes)?;
        }
        let attributes = RESTRICTED;
        set_mount_attributes(CWD, STAGE_C, attributes, None, Extent::One).at(Step::Files)?;
        // The view becomes the root, and the host's files are unmounted with everything below them.
        rustix::process::chdir(STAGE).at(Step::Files)?;
        rustix::process::pivot_root(c".", c".").at(Step::Files)?;
        rustix::mount::unmount(c".", UnmountFlags::DETACH).at(Step::Files)?;
        rustix::process::chdir(c"/").at(Step::Files)?;
        Ok(memory)
    }

    /// Creates the tmpfs that the run writes to, and the run's own directories in it.
    fn make_memory(&self) -> rustix::io::Result<OwnedFd> {
        let flags = MountFlags::NOSUID | MountFlags::NODEV;
        rustix::fs::mkdir(MEMORY_STAGED, Mode::from_raw_mode(0o755))?;
        rustix::mount::mount(c"tmpfs", MEMORY_STAGED, c"tmpfs", flags, self.room.as_c_str())?;
        for directory in &self.directories {
            rustix::fs::mkdir(directory.as_c_str(), Mode::from_raw_mode(0o755))?;
            self.hand_over(directory, 0o755)?;
        }
        for (at, to) in &self.own_links {
            rustix::fs::symlink(to.as_c_str(), at.as_c_str())?;
        }
        rustix::fs::open(MEMORY_STAGED, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())
    }

    /// Makes the run's user the owner of a directory, and sets its mode.
    fn hand_over(&self, directory: &CStr, mode: u32) -> rustix::io::Result<()> {
        if let Some(id) = self.owner {
            rustix::fs::chown(directory, Some(Uid::from_raw(id)), Some(Gid::from_raw(id)))?;
        }
        rustix::fs::chmod(directory, Mode::from_raw_mode(mode))
    }
}

impl Layer {
    /// Clones the mount of a path of the host, with restricted attributes. `None` for a hidden path.
    fn copy(&self) -> rustix::io::Result<Option<OwnedFd>> {
        let What::Shown { source, is_writable, owners } = &self.what else { return Ok(None) };
        let copy = copy(source)?;
        let attributes = if *is_writable { RESTRICTED & !libc::MOUNT_ATTR_RDONLY } else { RESTRICTED };
        set_mount_attributes(&copy, c"", attributes, None, Extent::WithAllBelow)?;
        if owners.is_some() {
            // Not every file system supports this; otherwise the permissions for other users apply.
            let _ = set_mount_attributes(&copy, c"", 0, owners.as_deref(), Extent::One);
        }
        Ok(Some(copy))
    }

    /// Mounts the layer in the view, on a mount point that is created if necessary.
    fn put(&self, copy: Option<&OwnedFd>) -> rustix::io::Result<()> {
        self.ways.iter().try_for_each(|way| make_folder(way))?;
        let make = |path: &CStr| if self.is_folder { make_folder(path) } else { make_file(path) };
        make(&self.place)?;
        match (&self.what, copy) {
            (What::Shown { .. }, Some(copy)) => put(copy, &self.place),
            (What::Hidden { cover }, _) => {
                make(cover)?;
                rustix::mount::mount_bind(cover.as_c_str(), self.place.as_c_str())
            }
            (What::Shown { .. }, None) => Ok(()),
        }
    }
}

/// Clones the mount of a path, detached from any directory.
pub(crate) fn copy(path: &CStr) -> rustix::io::Result<OwnedFd> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC | OpenTreeFlags::AT_RECURSIVE;
    rustix::mount::open_tree(CWD, path, flags)
}

/// Whether the file system of a directory supports idmapped mounts.
pub(crate) fn translates(directory: &Path, owners: &OwnedFd) -> bool {
    let copy = c_path(directory).ok().and_then(|directory| copy(&directory).ok());
    copy.is_some_and(|copy| set_mount_attributes(&copy, c"", 0, Some(owners), Extent::One).is_ok())
}

/// Attaches a detached mount at a path.
fn put(mount: &OwnedFd, path: &CStr) -> rustix::io::Result<()> {
    rustix::mount::move_mount(mount, c"", CWD, path, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)
}

/// Creates a directory to mount on. An existing one will do, even on a read-only file system.
fn make_folder(path: &CStr) -> rustix::io::Result<()> {
    match rustix::fs::mkdir(path, Mode::from_raw_mode(0o755)) {
        Err(Errno::EXIST | Errno::ROFS) => Ok(()),
        made => made,
    }
}

fn write_file(path: &CStr, text: &[u8]) -> rustix::io::Result<()> {
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
    let file = rustix::fs::open(path, flags, Mode::from_raw_mode(0o444))?;
    rustix::io::write(&file, text).map(drop)
}

fn make_file(path: &CStr) -> rustix::io::Result<()> {
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
    match rustix::fs::open(path, flags, Mode::from_raw_mode(0o644)) {
        Err(Errno::EXIST | Errno::ROFS) => Ok(()),
        made => made.map(drop),
    }
}
