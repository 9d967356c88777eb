//! Digests and copies of directories.

use agon_domain::Digest;
use std::fmt::Write;
use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Component, Path, PathBuf};

enum FileKind {
    File { executable: bool },
    Link(PathBuf),
}

/// The files and links below a directory, sorted by relative path.
fn members(directory: &Path) -> io::Result<Vec<(PathBuf, FileKind)>> {
    let mut members = vec![];
    let mut directories = vec![directory.to_owned()];
    while let Some(next) = directories.pop() {
        for item in fs::read_dir(&next)? {
            let item = item?;
            let kind = item.file_type()?;
            let below = item.path().strip_prefix(directory).map_err(io::Error::other)?.to_owned();
            if kind.is_dir() {
                directories.push(item.path());
            } else if kind.is_symlink() {
                members.push((below, FileKind::Link(fs::read_link(item.path())?)));
            } else if kind.is_file() {
                let executable = item.metadata()?.permissions().mode() & 0o111 != 0;
                members.push((below, FileKind::File { executable }));
            } else {
                return Err(io::Error::other(format!("{} is not a file, directory or link", item.path().display())));
            }
        }
    }
    members.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok(members)
}

/// The first link below a directory that leads out of it, or could do so through another link.
pub(crate) fn outward_link(directory: &Path) -> io::Result<Option<PathBuf>> {
    let leads_out = |(path, kind): &(PathBuf, FileKind)| match kind {
        FileKind::Link(target) => !stays_inside(path.parent().unwrap_or(Path::new("")), target),
        FileKind::File { .. } => false,
    };
    Ok(members(directory)?.into_iter().find(leads_out).map(|(path, _)| path))
}

/// Whether a link in this directory of a tree stays in the tree. Its target must start with at most as many `..` as the
/// tree has directories above the link, followed by names only: a `..` after a name could leave the tree, because the
/// name may be another link.
pub(crate) fn stays_inside(directory: &Path, target: &Path) -> bool {
    let parts: Vec<Component<'_>> = target.components().filter(|part| *part != Component::CurDir).collect();
    let ups = parts.iter().take_while(|part| **part == Component::ParentDir).count();
    let is_name = |part: &Component<'_>| matches!(part, Component::Normal(_));
    ups <= directory.components().count() && parts[ups..].iter().all(is_name)
}

/// The digest of a directory: of the list of its files with their digests, so that it does not depend on the archive
/// format.
pub fn tree_digest(directory: &Path) -> io::Result<Digest> {
    let mut list = String::new();
    for (path, kind) in members(directory)? {
        let line = match kind {
            FileKind::File { executable } => {
                let digest = Digest::of(&fs::read(directory.join(&path))?);
                format!("{} {digest} {path:?}", if executable { "executable" } else { "file" })
            }
            FileKind::Link(target) => format!("link {target:?} {path:?}"),
        };
        writeln!(list, "{line}").map_err(io::Error::other)?;
    }
    Ok(Digest::of(list.as_bytes()))
}

/// Makes a directory readable by every user, whatever the umask: runs execute as other users.
pub fn make_readable(directory: &Path) -> io::Result<()> {
    let set = |path: &Path, mode: u32| fs::set_permissions(path, fs::Permissions::from_mode(mode));
    set(directory, 0o755)?;
    for (path, kind) in members(directory)? {
        path.ancestors().skip(1).try_for_each(|above| set(&directory.join(above), 0o755))?;
        if let FileKind::File { executable } = kind {
            set(&directory.join(&path), if executable { 0o755 } else { 0o644 })?;
        }
    }
    Ok(())
}

/// Copies a directory recursively. Links are copied as links.
pub fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for (path, kind) in members(from)? {
        let place = to.join(&path);
        if let Some(directory) = place.parent() {
            fs::create_dir_all(directory)?;
        }
        match kind {
            FileKind::Link(target) => symlink(target, place)?,
            FileKind::File { executable } => {
                fs::copy(from.join(&path), &place)?;
                fs::set_permissions(&place, fs::Permissions::from_mode(if executable { 0o755 } else { 0o644 }))?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_that_lead_out_are_found() {
        for (path, target, inside) in [
            ("a/b/x", "../../c", true),
            ("a/x", "y/z", true),
            ("a/x", "../../c", false),
            ("a/x", "y/..", false),
            ("x", "/etc", false),
        ] {
            let root = tempfile::tempdir().unwrap();
            let link = root.path().join(path);
            fs::create_dir_all(link.parent().unwrap()).unwrap();
            symlink(target, &link).unwrap();
            assert_eq!(outward_link(root.path()).unwrap().is_none(), inside, "{path} -> {target}");
        }
    }

    #[test]
    fn private_files_become_readable() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("bin/deep")).unwrap();
        fs::write(root.path().join("bin/deep/x"), "x").unwrap();
        let mode = |path: &str| fs::metadata(root.path().join(path)).unwrap().permissions().mode() & 0o777;
        for (path, before) in [("bin/deep/x", 0o700), ("bin/deep", 0o700), ("bin", 0o700)] {
            fs::set_permissions(root.path().join(path), fs::Permissions::from_mode(before)).unwrap();
        }
        let digest = tree_digest(root.path()).unwrap();
        make_readable(root.path()).unwrap();
        assert_eq!((mode("bin"), mode("bin/deep"), mode("bin/deep/x")), (0o755, 0o755, 0o755));
        assert_eq!(tree_digest(root.path()).unwrap(), digest);
    }

    #[test]
    fn the_digest_survives_a_copy_but_not_a_change() {
        let root = tempfile::tempdir().unwrap();
        let (one, two) = (root.path().join("one"), root.path().join("two"));
        fs::create_dir_all(one.join("bin")).unwrap();
        fs::write(one.join("bin/x"), "x").unwrap();
        symlink("x", one.join("bin/y")).unwrap();
        copy_tree(&one, &two).unwrap();
        let digest = tree_digest(&one).unwrap();
        assert_eq!(tree_digest(&two).unwrap(), digest);
        fs::set_permissions(two.join("bin/x"), fs::Permissions::from_mode(0o755)).unwrap();
        assert_ne!(tree_digest(&two).unwrap(), digest);
    }
}
