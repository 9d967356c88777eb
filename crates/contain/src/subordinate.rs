//! Subordinate ids: a range of user and group ids that the administrator assigned to an ordinary user (`/etc/subuid`,
//! `/etc/subgid`). With them an ordinary user's runs can have users of their own, like root's.

use crate::sys;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A shell script that waits for a line and then maps our own ids to 0 and the subordinate ones to 1 and up.
const MAP: &str = "read go && \"$1\" \"$3\" 0 \"$4\" 1 1 \"$5\" \"$6\" && \"$2\" \"$3\" 0 \"$7\" 1 1 \"$8\" \"$9\"";

/// A range of ids: the first, and how many.
type Range = (u32, u32);

/// Makes this process root in a user namespace with the subordinate ids of its user, if there are any and the programs
/// that map them are installed (Debian: uidmap). Files that it creates still belong to its user. Returns whether it
/// did.
///
/// Only a single-threaded process can do this; otherwise nothing changes. An error means that the ids could not be
/// mapped; this process is then unusable.
pub fn use_subordinate_ids() -> io::Result<bool> {
    let (user, group) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    let programs = [program("newuidmap"), program("newgidmap")];
    let ranges = ["/etc/subuid", "/etc/subgid"].map(|file| {
        let text = fs::read_to_string(file).unwrap_or_default();
        range(&text, &name_of(user), user)
    });
    let ([Some(map_users), Some(map_groups)], [Some(users), Some(groups)]) = (programs, ranges) else {
        return Ok(false);
    };
    if user == 0 {
        return Ok(false);
    }
    let numbers =
        [std::process::id(), user, users.0, users.1, group, groups.0, groups.1].map(|number| number.to_string());
    let mut command = Command::new("/bin/sh");
    command.args(["-c", MAP, "sh"]).args([map_users, map_groups]).args(numbers);
    // Started before we enter the namespace: started inside, it would have no more privileges than we do.
    let mut helper = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    if sys::leave_user_namespace().is_err() {
        drop(helper.stdin.take());
        helper.wait()?;
        return Ok(false);
    }
    if let Some(stdin) = &mut helper.stdin {
        stdin.write_all(b"go\n")?;
    }
    if !helper.wait()?.success() {
        return Err(io::Error::other("the ids in /etc/subuid and /etc/subgid could not be mapped"));
    }
    sys::become_user(0)?;
    Ok(true)
}

/// The path of a system program if it is set-user-id root, as mapping ids requires.
fn program(name: &str) -> Option<PathBuf> {
    let path = Path::new("/usr/bin").join(name);
    fs::metadata(&path).is_ok_and(|about| about.uid() == 0 && about.mode() & 0o4000 != 0).then_some(path)
}

/// The name of a user, from /etc/passwd.
fn name_of(user: u32) -> String {
    let text = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let line = text.lines().find(|line| line.split(':').nth(2) == Some(&user.to_string()));
    line.and_then(|line| line.split(':').next()).unwrap_or_default().to_owned()
}

/// The first range of a user, by name or number, that is large enough for a few runs.
fn range(text: &str, name: &str, user: u32) -> Option<Range> {
    text.lines().find_map(|line| {
        let mut fields = line.split(':');
        let owner = fields.next()?;
        let (first, count) = (fields.next()?.trim().parse().ok()?, fields.next()?.trim().parse().ok()?);
        let is_theirs = !owner.is_empty() && owner == name || owner == user.to_string();
        (is_theirs && count >= 1024).then_some((first, count))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_found_by_name_or_number() {
        let text = "# comment\nalice:100000:65536\n1001:165536:65536\nbob:1:2\nbob:231072:4096\n";
        assert_eq!(range(text, "alice", 1000), Some((100_000, 65536)));
        assert_eq!(range(text, "carol", 1001), Some((165_536, 65536)));
        assert_eq!(range(text, "bob", 7), Some((231_072, 4096)), "small ranges are skipped");
        assert_eq!(range(text, "", 7), None);
    }

    #[test]
    fn root_is_known_by_name() {
        assert_eq!(name_of(0), "root");
    }
}
