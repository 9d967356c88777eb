//! The files that a run sees: everything of the host's, read-only and without devices, but for its own folder (R08-3.12,
//! R19-5.21), what is hidden from it, and a view of its own processes.

use crate::report::{At, Failure, Step};
use crate::sys::set_mount_attributes;
use crate::work::{MEMORY, Work};
use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;
use rustix::mount::{MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags};
use std::ffi::{CStr, CString};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The devices that stay devices. None of them stores anything or leads anywhere.
const DEVICES: [&CStr; 5] = [c"/dev/null", c"/dev/zero", c"/dev/full", c"/dev/random", c"/dev/urandom"];

/// Memory that processes share by name has to be writable, and is the run's own.
const SHARED_MEMORY: &str = "/dev/shm";

/// The least room there is: none at all would mean as much as there is memory.
const LEAST: u64 = 4096;

/// How many paths can be shown inside hidden folders.
const MOST_SHOWN: usize = 8;

const RESTRICTED: u64 = libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV;

/// What has to be done to get there, ready for a process that may not allocate.
pub(crate) struct View {
    /// The options of the file system in memory.
    memory: CString,
    folders: Vec<CString>,
    links: Vec<(CString, CString)>,
    hidden: Vec<Hidden>,
    shown: Vec<Shown>,
    own_processes: bool,
}

struct Hidden {
    path: CString,
    /// The empty one in memory that is put over it.
    cover: CString,
    is_folder: bool,
}

struct Shown {
    path: CString,
    /// The folders that lead to it, where it is inside a hidden one.
    parents: Vec<CString>,
    is_folder: bool,
    is_writable: bool,
}

pub(crate) fn c_path(path: &Path) -> Result<CString, Failure> {
    CString::new(path.as_os_str().as_bytes()).map_err(|_| (Step::Files, Errno::INVAL))
}

impl View {
    /// The view of a run that works there, with so many bytes in memory, for which some folders are hidden and some
    /// paths in them shown all the same; with processes of its own only, where that can be made.
    pub(crate) fn new(
        work: &Work,
        bytes: u64,
        hidden: &[PathBuf],
        shown: &[&Path],
        own_processes: bool,
    ) -> Result<Self, Failure> {
        let mut covered: Vec<&Path> = hidden.iter().map(PathBuf::as_path).chain([Path::new(SHARED_MEMORY)]).collect();
        // What is below the one in memory is covered with it.
        covered.retain(|path| path.exists() && !path.starts_with(MEMORY));
        covered.sort_unstable();
        covered.dedup_by(|folder, outer| folder.starts_with(outer));
        let is_covered =
            |path: &Path| path.starts_with(MEMORY) || covered.iter().any(|folder| path.starts_with(folder));
        let mut visible = vec![];
        if !work.is_in_memory() {
            visible.push(Shown::new(work.root(), true)?);
        }
        let is_inside = |path: &Path, other: &Path| path != other && path.starts_with(other);
        for (at, path) in shown.iter().enumerate().filter(|(_, path)| is_covered(path)) {
            if !shown.iter().any(|other| is_inside(path, other)) && !shown[..at].contains(path) {
                visible.push(Shown::new(path, false)?);
            }
        }
        if visible.len() > MOST_SHOWN {
            return Err((Step::Files, Errno::TOOBIG));
        }
        let in_memory = if work.is_in_memory() { work.folders.as_slice() } else { &[] };
        let cover = |(number, path): (usize, &&Path)| {
            let cover = c_path(&Path::new(MEMORY).join(format!("cover-{number}")))?;
            Ok(Hidden { path: c_path(path)?, cover, is_folder: path.is_dir() })
        };
        Ok(Self {
            memory: CString::new(format!("size={},mode=755", bytes.max(LEAST)))
                .map_err(|_| (Step::WorkingFolder, Errno::INVAL))?,
            folders: in_memory.iter().map(|folder| c_path(folder)).collect::<Result<_, _>>()?,
            links: work.links.iter().map(|(to, at)| Ok((c_path(to)?, c_path(at)?))).collect::<Result<_, Failure>>()?,
            hidden: covered.iter().enumerate().map(cover).collect::<Result<_, Failure>>()?,
            shown: visible,
            own_processes,
        })
    }

    /// Puts it up around this process. Gives the folder in memory.
    pub(crate) fn put_up(&self) -> Result<OwnedFd, Failure> {
        let alone = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
        rustix::mount::mount_change(c"/", alone).at(Step::Files)?;
        // These keep what everything else loses.
        let devices = DEVICES.map(|device| copy(device).ok());
        for device in devices.iter().flatten() {
            // Devices are written to all the same; their rights and times are not.
            set_mount_attributes(device, c"", RESTRICTED & !libc::MOUNT_ATTR_NODEV).at(Step::Files)?;
        }
        let mut shown = [const { None }; MOST_SHOWN];
        self.copy_shown(true, &mut shown)?;
        set_mount_attributes(CWD, c"/", RESTRICTED).at(Step::Files)?;
        self.copy_shown(false, &mut shown)?;
        let memory = self.make_memory().at(Step::WorkingFolder)?;
        for Hidden { path, cover, is_folder } in &self.hidden {
            if *is_folder { make_folder(cover) } else { make_file(cover) }.at(Step::Files)?;
            rustix::mount::mount_bind(cover.as_c_str(), path.as_c_str()).at(Step::Files)?;
        }
        for (Shown { path, parents, is_folder, .. }, mount) in self.shown.iter().zip(&shown) {
            parents.iter().try_for_each(|parent| make_folder(parent)).at(Step::Files)?;
            if *is_folder { make_folder(path) } else { make_file(path) }.at(Step::Files)?;
            if let Some(mount) = mount {
                put(mount, path).at(Step::Files)?;
            }
        }
        for (device, mount) in DEVICES.iter().zip(&devices) {
            if let Some(mount) = mount {
                put(mount, device).at(Step::Files)?;
            }
        }
        if self.own_processes {
            let flags = MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
            rustix::mount::mount(c"proc", c"/proc", c"proc", flags, None).at(Step::Processes)?;
        }
        Ok(memory)
    }

    fn copy_shown(&self, writable: bool, copies: &mut [Option<OwnedFd>; MOST_SHOWN]) -> Result<(), Failure> {
        for (shown, place) in self.shown.iter().zip(copies) {
            if shown.is_writable == writable {
                *place = Some(copy(&shown.path).at(Step::Files)?);
            }
        }
        Ok(())
    }

    fn make_memory(&self) -> rustix::io::Result<OwnedFd> {
        let flags = MountFlags::NOSUID | MountFlags::NODEV;
        rustix::mount::mount(c"tmpfs", MEMORY, c"tmpfs", flags, self.memory.as_c_str())?;
        for folder in &self.folders {
            rustix::fs::mkdir(folder.as_c_str(), Mode::from_raw_mode(0o755))?;
        }
        for (target, link) in &self.links {
            rustix::fs::symlink(target.as_c_str(), link.as_c_str())?;
        }
        rustix::fs::open(MEMORY, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())
    }
}

impl Shown {
    fn new(path: &Path, is_writable: bool) -> Result<Self, Failure> {
        let mut parents: Vec<CString> = path.ancestors().skip(1).map(c_path).collect::<Result<_, _>>()?;
        parents.reverse();
        Ok(Self { path: c_path(path)?, parents, is_folder: path.is_dir(), is_writable })
    }
}

/// A mount of its own for what is at a path.
fn copy(path: &CStr) -> rustix::io::Result<OwnedFd> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC | OpenTreeFlags::AT_RECURSIVE;
    rustix::mount::open_tree(CWD, path, flags)
}

/// Puts such a mount at a path.
fn put(mount: &OwnedFd, path: &CStr) -> rustix::io::Result<()> {
    rustix::mount::move_mount(mount, c"", CWD, path, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)
}

/// A folder to mount on. What is there already, also where nothing can be made, will do.
fn make_folder(path: &CStr) -> rustix::io::Result<()> {
    match rustix::fs::mkdir(path, Mode::from_raw_mode(0o755)) {
        Err(Errno::EXIST | Errno::ROFS) => Ok(()),
        made => made,
    }
}

fn make_file(path: &CStr) -> rustix::io::Result<()> {
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
    match rustix::fs::open(path, flags, Mode::from_raw_mode(0o644)) {
        Err(Errno::EXIST | Errno::ROFS) => Ok(()),
        made => made.map(drop),
    }
}
