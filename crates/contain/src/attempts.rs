//! Escape attempts, made from inside a run: confinement is tested on the machine at hand instead of being looked up.

use crate::sys::is_refused;
use rustix::process::{Pid, Resource, Signal};
use std::fs;
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::Path;
use std::time::Duration;

/// An attempt at something that a run must not be able to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The property that should prevent it.
    pub wall: &'static str,
    /// What the attempt achieved, if it succeeded.
    pub breach: Option<String>,
}

/// The targets of the escape attempts, set up outside by the runner.
#[derive(Clone, Copy, Debug)]
pub struct Outside<'a> {
    /// A directory with a file `secret` that only its owner can read.
    pub directory: &'a Path,
    /// The port of a listener on the host's loopback interface.
    pub port: u16,
}

/// Makes an attempt. Returns what it achieved, if anything.
type Try = fn(Outside<'_>) -> Option<String>;

/// Tries to escape from the run that this process is in. Success does no harm.
pub fn attempt_escapes(outside: Outside<'_>) -> Vec<Attempt> {
    let attempts: [(&'static str, Try); 8] = [
        ("own processes only", other_processes),
        ("init process out of reach", first_process),
        ("no network", network),
        ("read-only files", writing),
        ("own view of files", reading),
        ("no capabilities", capabilities),
        ("filtered system calls", calls),
        ("devices without access to the host", devices),
    ];
    attempts.into_iter().map(|(wall, attempt)| Attempt { wall, breach: attempt(outside) }).collect()
}

fn other_processes(_: Outside<'_>) -> Option<String> {
    let own = std::process::id();
    let numbers = fs::read_dir("/proc").into_iter().flatten().flatten();
    let mut others =
        numbers.filter_map(|item| item.file_name().to_str()?.parse::<u32>().ok()).filter(|pid| *pid != own);
    others.next().map(|pid| format!("it saw process {pid}"))
}

fn first_process(_: Outside<'_>) -> Option<String> {
    if rustix::process::kill_process(Pid::INIT, Signal::URG).is_ok() {
        return Some("it signaled process 1".into());
    }
    let limits = rustix::process::getrlimit(Resource::Nofile);
    let limited = rustix::process::prlimit(Some(Pid::INIT), Resource::Nofile, limits);
    limited.is_ok().then(|| "it changed a limit of process 1".into())
}

fn network(outside: Outside<'_>) -> Option<String> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, outside.port));
    let connected = TcpStream::connect_timeout(&address, Duration::from_millis(500));
    connected.is_ok().then(|| "it connected to a port of the host".into())
}

fn writing(outside: Outside<'_>) -> Option<String> {
    let places = [outside.directory, Path::new("/etc"), Path::new("/usr"), Path::new("/")];
    let mut written =
        places.into_iter().map(|directory| directory.join("agon-attempt")).filter(|file| fs::write(file, "").is_ok());
    written.next().map(|file| {
        let _ = fs::remove_file(&file);
        format!("it wrote {}", file.display())
    })
}

fn reading(outside: Outside<'_>) -> Option<String> {
    let secrets = [outside.directory.join("secret"), "/etc/shadow".into(), "/proc/kpagecount".into()];
    let mut read = secrets.into_iter().filter(|secret| fs::File::open(secret).is_ok());
    read.next().map(|secret| format!("it read {}", secret.display()))
}

fn capabilities(_: Outside<'_>) -> Option<String> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let held = status.lines().find_map(|line| line.strip_prefix("CapPrm:"))?.trim();
    let is_held = held.bytes().any(|digit| digit != b'0');
    is_held.then(|| format!("it has the capabilities {held}"))
}

fn calls(_: Outside<'_>) -> Option<String> {
    let calls = [
        ("unshare", libc::SYS_unshare, libc::CLONE_NEWUSER as usize),
        ("inotify_init1", libc::SYS_inotify_init1, 0),
        ("keyctl", libc::SYS_keyctl, 0),
        ("userfaultfd", libc::SYS_userfaultfd, 1),
    ];
    let mut made = calls.into_iter().filter(|(_, number, argument)| !is_refused(*number, *argument));
    made.next().map(|(name, ..)| format!("it called {name}"))
}

fn devices(_: Outside<'_>) -> Option<String> {
    const HARMLESS: [&str; 5] = ["null", "zero", "full", "random", "urandom"];
    let items = fs::read_dir("/dev").into_iter().flatten().flatten();
    let mut opened = items.filter(|item| {
        let is_harmless = item.file_name().to_str().is_some_and(|name| HARMLESS.contains(&name));
        let is_device = item.file_type().is_ok_and(|kind| !kind.is_dir() && !kind.is_symlink() && !kind.is_file());
        is_device && !is_harmless && fs::OpenOptions::new().read(true).open(item.path()).is_ok()
    });
    opened.next().map(|item| format!("it opened {}", item.path().display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_confinement_the_attempts_succeed() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("secret"), "x").unwrap();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let outside = Outside { directory: directory.path(), port: listener.local_addr().unwrap().port() };
        for wall in
            ["own processes only", "no network", "read-only files", "own view of files", "filtered system calls"]
        {
            // The attempt that would change this process for good is not made here.
            if wall == "filtered system calls" {
                assert!(!is_refused(libc::SYS_inotify_init1, 0));
                continue;
            }
            let attempt: Try = match wall {
                "own processes only" => other_processes,
                "no network" => network,
                "read-only files" => writing,
                _ => reading,
            };
            assert!(attempt(outside).is_some(), "{wall}");
        }
    }
}
