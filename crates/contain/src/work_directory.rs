//! The directory that a run may write to.

use rustix::fs::{Mode, OFlags};
use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Where fresh directories of confined runs are: on a tmpfs of their own, which disappears with the run and hides the
/// host's directory of that name.
pub(crate) const MEMORY: &str = "/run";
const IN_MEMORY: &str = "/run/agon";

/// The directory that a run may write to, and its working directory in it.
#[derive(Debug)]
pub struct Work {
    root: PathBuf,
    start: PathBuf,
    /// Directories to create in it, absolute.
    pub(crate) directories: Vec<PathBuf>,
    /// Links to create in it: target and path, both absolute.
    pub(crate) links: Vec<(PathBuf, PathBuf)>,
    kind: Origin,
}

#[derive(Debug)]
enum Origin {
    /// An existing directory, which is not removed.
    Given,
    /// Created by the run itself, in memory.
    Memory,
    /// Created on disk, and removed when this is dropped. Locked while in use, so that a sweep does not take it for a
    /// leftover.
    Disk(#[allow(dead_code, reason = "held, not used")] File),
}

const PREFIX: &str = "agon-run-";

impl Work {
    /// An existing directory, which is not removed.
    pub fn given(directory: &Path) -> Self {
        let root = directory.to_owned();
        Self { start: root.clone(), root, directories: vec![], links: vec![], kind: Origin::Given }
    }

    /// A fresh directory that the run creates in memory.
    pub(crate) fn in_memory(start: &Path, directories: &[&Path], links: &[(PathBuf, PathBuf)]) -> Self {
        Self::laid_out(Path::new(IN_MEMORY), start, directories, links, Origin::Memory)
    }

    /// A fresh directory below the system's directory for temporary files.
    pub(crate) fn on_disk(start: &Path, directories: &[&Path], links: &[(PathBuf, PathBuf)]) -> io::Result<Self> {
        let parent = std::env::temp_dir();
        let named = |error: io::Error| {
            let message = format!("cannot create a directory in {}: {error}; set TMPDIR to another", parent.display());
            io::Error::new(error.kind(), message)
        };
        let (root, lock) = locked_folder(&parent).map_err(named)?;
        let work = Self::laid_out(&root, start, directories, links, Origin::Disk(lock));
        work.directories.iter().try_for_each(fs::create_dir_all).map_err(named)?;
        for (target, link) in &work.links {
            symlink(target, link)?;
        }
        Ok(work)
    }

    fn laid_out(root: &Path, start: &Path, directories: &[&Path], links: &[(PathBuf, PathBuf)], kind: Origin) -> Self {
        let below = |path: &Path| root.join(path);
        let start = below(start);
        let mut all: Vec<PathBuf> = vec![];
        let around_links = links.iter().filter_map(|(_, link)| link.parent().map(below));
        for directory in directories.iter().map(|directory| below(directory)).chain([start.clone()]).chain(around_links)
        {
            let parents = directory.ancestors().take_while(|parent| parent.starts_with(root));
            all.extend(parents.map(Path::to_owned));
        }
        all.sort_unstable();
        all.dedup();
        let links = links.iter().map(|(target, link)| (target.clone(), below(link))).collect();
        Self { root: root.to_owned(), start, directories: all, links, kind }
    }

    /// The directory that the run may write to.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The working directory of the run.
    pub fn start(&self) -> &Path {
        &self.start
    }

    pub(crate) fn is_in_memory(&self) -> bool {
        matches!(self.kind, Origin::Memory)
    }

    pub(crate) fn is_given(&self) -> bool {
        matches!(self.kind, Origin::Given)
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        if matches!(self.kind, Origin::Disk(_)) {
            let _ = remove(&self.root);
        }
    }
}

/// Creates a directory and locks it. Until it is locked, another runner's [`sweep`] may remove it as a leftover; then
/// another one is created.
fn locked_folder(parent: &Path) -> io::Result<(PathBuf, File)> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let root = parent.join(format!("{PREFIX}{}-{number}", std::process::id()));
        match fs::DirBuilder::new().mode(0o700).create(&root) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            made => made?,
        }
        let lock = match File::open(&root) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            opened => opened?,
        };
        lock.lock()?;
        let identity = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
        if fs::symlink_metadata(&root).ok().map(identity) == Some(identity(lock.metadata()?)) {
            return Ok((root, lock));
        }
    }
}

/// Removes the directories of runners that have died.
pub(crate) fn sweep() {
    for item in fs::read_dir(std::env::temp_dir()).into_iter().flatten().flatten() {
        let is_ours = item.file_name().to_str().is_some_and(is_our_name);
        // The lock is held until the directory is removed: a runner that is just creating it waits, and then creates
        // another.
        if is_ours
            && let Ok(directory) = open_folder(&item.path())
            && directory.metadata().is_ok_and(|metadata| metadata.uid() == rustix::process::geteuid().as_raw())
            && directory.try_lock().is_ok()
        {
            let _ = remove(&item.path());
        }
    }
}

/// Whether a directory's name is one of ours: the prefix and two numbers.
fn is_our_name(name: &str) -> bool {
    let is_number = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    name.strip_prefix(PREFIX).and_then(|rest| rest.split_once('-')).is_some_and(|(a, b)| is_number(a) && is_number(b))
}

/// Opens a directory, and refuses links and anything that would block.
fn open_folder(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

/// Removes whatever is at a path, even if a run has removed its own permissions or replaced the directory by a file.
fn remove(place: &Path) -> io::Result<()> {
    match fs::symlink_metadata(place) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Ok(metadata) if !metadata.is_dir() => return fs::remove_file(place),
        _ => {}
    }
    if fs::remove_dir_all(place).is_ok() {
        return Ok(());
    }
    let mut directories = vec![place.to_owned()];
    while let Some(directory) = directories.pop() {
        // By descriptor, since the name may lead elsewhere by now. With `O_PATH` it need not be readable.
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let open = rustix::fs::open(&directory, flags, Mode::empty())?;
        let by_number = format!("/proc/self/fd/{}", open.as_raw_fd());
        fs::set_permissions(by_number, fs::Permissions::from_mode(0o700))?;
        for item in fs::read_dir(&directory)? {
            let item = item?;
            if item.file_type()?.is_dir() {
                directories.push(item.path());
            }
        }
    }
    fs::remove_dir_all(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fresh() -> Work {
        Work::on_disk(Path::new("solver"), &[Path::new("output")], &[]).unwrap()
    }

    #[test]
    fn r08_3_11_nothing_is_left_for_the_next_run() {
        let first = fresh();
        fs::write(first.start().join("cache"), "x").unwrap();
        let root = first.root().to_owned();
        drop(first);
        assert!(!root.exists());
        let second = fresh();
        assert_eq!(fs::read_dir(second.start()).unwrap().count(), 0);
        assert_eq!(fs::read_dir(second.root()).unwrap().count(), 2);
    }

    #[test]
    fn a_sweep_leaves_directories_that_are_being_created() {
        let done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|threads| {
            threads.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    sweep();
                }
            });
            let made: Vec<_> = (0..500).map(|_| fresh()).collect();
            done.store(true, Ordering::Relaxed);
            assert!(made.iter().all(|work| work.start().is_dir()));
        });
    }

    #[test]
    fn directories_in_memory_and_on_disk_have_the_same_layout() {
        let target = tempfile::tempdir().unwrap();
        fs::write(target.path().join("data"), "data").unwrap();
        let links = [(target.path().join("data"), PathBuf::from("solver/bin/data"))];
        let disk = Work::on_disk(Path::new("solver/bin"), &[], &links).unwrap();
        assert_eq!(fs::read_to_string(disk.start().join("data")).unwrap(), "data");
        let memory = Work::in_memory(Path::new("solver/bin"), &[], &links);
        let directories = ["/run/agon", "/run/agon/solver", "/run/agon/solver/bin"].map(PathBuf::from);
        assert_eq!(memory.directories, directories);
        assert_eq!(memory.links, [(target.path().join("data"), PathBuf::from("/run/agon/solver/bin/data"))]);
    }

    #[test]
    fn directories_without_permissions_or_replaced_by_files_are_removed() {
        let work = fresh();
        let root = work.root().to_owned();
        fs::create_dir_all(work.start().join("a/b")).unwrap();
        fs::set_permissions(work.start().join("a"), fs::Permissions::from_mode(0o000)).unwrap();
        drop(work);
        assert!(!root.exists());
        let work = fresh();
        let root = work.root().to_owned();
        fs::remove_dir_all(&root).unwrap();
        fs::write(&root, "").unwrap();
        drop(work);
        assert!(!root.exists());
    }

    #[test]
    fn directories_in_use_are_not_swept() {
        let left_behind = std::env::temp_dir().join(format!("{PREFIX}{}-0000000", std::process::id()));
        fs::create_dir(&left_behind).unwrap();
        let work = fresh();
        let named_alike = tempfile::Builder::new().prefix("agon-run-results").tempdir().unwrap();
        sweep();
        assert!(work.root().exists() && !left_behind.exists() && named_alike.path().exists());
    }
}
