//! Cleaning up a directory of the host that a run could write to: no file keeps set-id bits, and every file belongs to
//! the owner of the directory.

use rustix::fs::{AtFlags, CWD, Dir, FileType, Gid, Mode, OFlags, Stat, Uid};
use rustix::io::Errno;
use rustix::path::Arg;
use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::Path;

const SET_ID: u32 = 0o6000;

/// A user and a group.
pub(crate) type Owner = (u32, u32);

/// Changes the owner of a directory and of the files in it that belong to `from`. The group changes only if it is
/// `from`'s own.
pub(crate) fn give(directory: &Path, from: Owner, to: Owner) -> io::Result<()> {
    walk(directory, &mut |parent, name, about| {
        let user = (about.st_uid == from.0).then(|| Uid::from_raw(to.0));
        let group = (about.st_gid == from.1 && from.0 == from.1).then(|| Gid::from_raw(to.1));
        if user.is_some() || group.is_some() {
            rustix::fs::chownat(parent, name, user, group, AtFlags::SYMLINK_NOFOLLOW)?;
        }
        Ok(())
    })
}

/// Clears the set-user-id and set-group-id bits of every file in a directory.
pub(crate) fn disarm(directory: &Path) -> io::Result<()> {
    walk(directory, &mut |parent, name, about| {
        let is_file = FileType::from_raw_mode(about.st_mode) == FileType::RegularFile;
        if is_file && about.st_mode & SET_ID != 0 {
            let mode = Mode::from_raw_mode(about.st_mode & 0o1777);
            rustix::fs::chmodat(parent, name, mode, AtFlags::empty())?;
        }
        Ok(())
    })
}

type Visit<'a> = dyn FnMut(BorrowedFd<'_>, &CString, &Stat) -> rustix::io::Result<()> + 'a;

/// Visits everything below a directory, and the directory itself last. Works by descriptor and one level at a time,
/// since a run can nest directories deeper than any path or stack allows; does not follow links or enter other file
/// systems.
fn walk(directory: &Path, visit: &mut Visit<'_>) -> io::Result<()> {
    let mut here = enter(CWD, directory)?;
    let home = rustix::fs::fstat(&here)?;
    let mut waiting: Vec<Vec<CString>> = vec![look(&here, visit)?];
    while let Some(level) = waiting.last_mut() {
        let Some(next) = level.pop() else {
            waiting.pop();
            if !waiting.is_empty() {
                here = enter(here.as_fd(), c"..")?;
            }
            continue;
        };
        match enter(here.as_fd(), next.as_c_str()) {
            Ok(inner) if rustix::fs::fstat(&inner)?.st_dev == home.st_dev => {
                here = inner;
                waiting.push(look(&here, visit)?);
            }
            // Another file system, or a directory that this user may not enter: skipped.
            Ok(_) | Err(Errno::ACCESS | Errno::NOENT | Errno::PERM) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let about = rustix::fs::fstat(&here)?;
    Ok(visit(here.as_fd(), &CString::from(c"."), &about)?)
}

/// Opens a directory, even one whose permissions a run has removed.
fn enter(parent: BorrowedFd<'_>, name: impl Arg + Copy) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let usable = Mode::RUSR | Mode::WUSR | Mode::XUSR;
    let found = rustix::fs::openat(
        parent,
        name,
        OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC,
        Mode::empty(),
    )?;
    let mode = Mode::from_raw_mode(rustix::fs::fstat(&found)?.st_mode & 0o7777);
    if !mode.contains(usable) {
        // Only the owner can do this; if that is not us, opening it below reports the error.
        let _ =
            rustix::fs::chmodat(CWD, format!("/proc/self/fd/{}", found.as_raw_fd()), mode | usable, AtFlags::empty());
    }
    rustix::fs::openat(parent, name, flags, Mode::empty())
}

/// Visits the entries of one directory, and returns the subdirectories.
fn look(directory: &OwnedFd, visit: &mut Visit<'_>) -> io::Result<Vec<CString>> {
    let mut inner = vec![];
    for item in Dir::read_from(directory)? {
        let item = item?;
        let name = item.file_name().to_owned();
        if name.as_bytes() == b"." || name.as_bytes() == b".." {
            continue;
        }
        let about = match rustix::fs::statat(directory, &name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT | Errno::ACCESS) => continue,
            about => about?,
        };
        visit(directory.as_fd(), &name, &about)?;
        if FileType::from_raw_mode(about.st_mode) == FileType::Directory {
            inner.push(name);
        }
    }
    Ok(inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    #[test]
    fn set_id_bits_are_cleared_without_following_links() {
        let (inside, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o7777;
        let armed = |path: &Path| {
            fs::write(path, "").unwrap();
            fs::set_permissions(path, fs::Permissions::from_mode(0o6755)).unwrap();
        };
        fs::create_dir_all(inside.path().join("a/b")).unwrap();
        let (ours, theirs) = (inside.path().join("a/b/armed"), outside.path().join("armed"));
        armed(&ours);
        armed(&theirs);
        symlink(&theirs, inside.path().join("link")).unwrap();
        symlink(outside.path(), inside.path().join("directory")).unwrap();
        disarm(inside.path()).unwrap();
        assert_eq!((mode(&ours), mode(&theirs)), (0o755, 0o6755));
    }

    #[test]
    fn directories_without_permissions_are_opened() {
        let directory = tempfile::tempdir().unwrap();
        let inner = directory.path().join("closed");
        fs::create_dir(&inner).unwrap();
        fs::write(inner.join("armed"), "").unwrap();
        fs::set_permissions(inner.join("armed"), fs::Permissions::from_mode(0o4755)).unwrap();
        for closed in [inner.as_path(), directory.path()] {
            fs::set_permissions(closed, fs::Permissions::from_mode(0o000)).unwrap();
        }
        disarm(directory.path()).unwrap();
        assert_eq!(fs::metadata(inner.join("armed")).unwrap().mode() & 0o7777, 0o755);
        // Files of our own are given to another user and back, if we have the privilege.
        let us = fs::metadata(directory.path()).unwrap().uid();
        if us == 0 {
            give(directory.path(), (0, 0), (4711, 4711)).unwrap();
            assert_eq!(fs::metadata(inner.join("armed")).unwrap().uid(), 4711);
            give(directory.path(), (4711, 4711), (0, 0)).unwrap();
            assert_eq!(fs::metadata(inner.join("armed")).unwrap().uid(), 0);
        }
    }

    #[test]
    fn directories_nested_deeper_than_a_path_reaches_are_walked() {
        let directory = tempfile::tempdir().unwrap();
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let mut here = rustix::fs::openat(CWD, directory.path(), flags, Mode::empty()).unwrap();
        for _ in 0..3000 {
            rustix::fs::mkdirat(&here, c"deep", Mode::from_raw_mode(0o755)).unwrap();
            here = rustix::fs::openat(&here, c"deep", flags, Mode::empty()).unwrap();
        }
        rustix::fs::openat(&here, c"armed", OFlags::CREATE | OFlags::WRONLY, Mode::from_raw_mode(0o644)).unwrap();
        rustix::fs::chmodat(&here, c"armed", Mode::from_raw_mode(0o4755), AtFlags::empty()).unwrap();
        disarm(directory.path()).unwrap();
        let about = rustix::fs::statat(&here, c"armed", AtFlags::empty()).unwrap();
        assert_eq!(about.st_mode & 0o7777, 0o755);
    }
}
