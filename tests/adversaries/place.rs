//! The environment in which adversaries run: a directory that every user can read, with the targets of their attacks.

use crate::expected::{Adversary, Programs};
use agon_testkit::World;
use serde_json::Value;
use std::fs;
use std::io::Read;
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, chown};
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::PathBuf;
use std::process::Command;

const AGON: &str = env!("CARGO_BIN_EXE_agon");

/// `O_NONBLOCK` on Linux.
const NONBLOCK: i32 = 0o4000;

/// The stdin of the programs, a file that they must not be able to change.
const QUESTION: &str = "(check-sat)\n";

/// The uid of `nobody` on Debian.
const NOBODY: u32 = 65534;

/// The user who starts agon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// The user who runs the tests.
    Us,
    /// A user without privileges or control groups.
    Nobody,
}

/// A directory that every user can read, with the compiled programs and the targets of their attacks.
pub struct Place {
    world: World,
    directory: PathBuf,
    programs: Programs,
    fifo: fs::File,
    datagrams: UnixDatagram,
    connections: TcpListener,
    /// The name of an abstract Unix socket, on which `_listener` listens.
    name: String,
    _listener: UnixListener,
}

impl Place {
    pub fn new(who: Who) -> Self {
        let world = World::new(AGON);
        let directory = world.path().join("place");
        fs::create_dir(&directory).unwrap();
        fs::copy(AGON, directory.join("agon")).unwrap();
        let programs = Programs::compiled(&directory);
        fs::write(directory.join("question"), QUESTION).unwrap();
        for part in ["hidden", "mounted", "said"] {
            fs::create_dir(directory.join(part)).unwrap();
        }
        fs::write(directory.join("hidden/secret"), "secret").unwrap();
        let pipe = directory.join("fifo");
        assert!(Command::new("mkfifo").args(["-m", "666"]).arg(&pipe).status().unwrap().success());
        // Open for reading and writing, so that an adversary can open either end without blocking.
        let fifo = fs::OpenOptions::new().read(true).write(true).custom_flags(NONBLOCK).open(&pipe).unwrap();
        let datagrams = UnixDatagram::bind(directory.join("listener")).unwrap();
        datagrams.set_nonblocking(true).unwrap();
        let connections = TcpListener::bind("127.0.0.1:0").unwrap();
        connections.set_nonblocking(true).unwrap();
        let name = format!("agon-adversary-{}", directory.display());
        let listener = UnixListener::bind_addr(&SocketAddr::from_abstract_name(name.as_bytes()).unwrap()).unwrap();
        for open in [world.path(), &directory] {
            fs::set_permissions(open, fs::Permissions::from_mode(0o755)).unwrap();
        }
        fs::set_permissions(directory.join("listener"), fs::Permissions::from_mode(0o777)).unwrap();
        if who == Who::Nobody {
            chown(directory.join("said"), Some(NOBODY), Some(NOBODY)).unwrap();
        }
        Self { world, directory, programs, fifo, datagrams, connections, name, _listener: listener }
    }

    pub fn path(&self, name: &str) -> String {
        self.directory.join(name).display().to_string()
    }

    /// Whether the user who runs the tests can limit the memory of a whole process tree.
    pub fn limits_memory(&self) -> bool {
        self.world.json(&["exec", "--format", "json", "--", "true"])["isolation"]["tree_memory"] == true
    }

    /// The target of a program, passed as its argument.
    pub fn argument(&self, adversary: &Adversary) -> String {
        match adversary.name {
            "connect" => self.connections.local_addr().unwrap().port().to_string(),
            "abstract_socket" => self.name.clone(),
            "use" => "100".into(),
            "lease" | "drop_cache" => self.path("question"),
            "mounted_twice" => self.path("mounted"),
            _ => self.directory.display().to_string(),
        }
    }

    /// Runs an adversary under `agon exec`, and returns agon's JSON report and the program's stdout.
    pub fn exec(&self, who: Who, adversary: &Adversary) -> (Value, String) {
        let Adversary { name, wall, cpu, memory, .. } = *adversary;
        let mut words = self.start(who, adversary);
        let said = self.path("said/said");
        let _ = fs::remove_file(&said);
        let cores = if name == "other_cores" { "1" } else { "2" };
        words.extend([self.path("agon"), "exec".into(), "--format=json".into(), format!("--wall={wall}")]);
        words.extend([format!("--cpu={cpu}"), format!("--memory={memory}"), "--processes=200".into()]);
        words.extend([format!("--cores={cores}"), "--max-output=100000".into(), format!("--output={said}")]);
        words.push(format!("--stdin={}", self.path("question")));
        if name == "mounted_twice" {
            words.push(format!("--hide={}", self.path("hidden")));
        }
        words.extend(["--".into(), self.program(adversary), name.to_owned(), self.argument(adversary)]);
        let mut command = Command::new(&words[0]);
        command
            .args(&words[1..])
            .current_dir(&self.directory)
            .env("HOME", "/nonexistent")
            .stdin(std::process::Stdio::null());
        let output = command.output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name}: {}: {errors}", output.status);
        (serde_json::from_slice(&output.stdout).unwrap(), fs::read_to_string(said).unwrap())
    }

    /// The command prefix that switches to this user, after setting up a mount for the program that needs one.
    pub fn start(&self, who: Who, adversary: &Adversary) -> Vec<String> {
        let mut words: Vec<String> = vec![];
        if adversary.name == "mounted_twice" {
            let mount = format!("mount --bind {} {} && exec \"$@\"", self.path("hidden"), self.path("mounted"));
            words.extend(["unshare", "-m", "sh", "-c", &mount, "sh"].map(Into::into));
        }
        if who == Who::Nobody {
            words.extend(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"].map(Into::into));
        }
        words
    }

    /// The path of the program that implements a behavior.
    pub fn program(&self, adversary: &Adversary) -> String {
        self.programs.of(adversary).display().to_string()
    }

    /// The number of processes of these programs that are still running.
    pub fn survivors(&self) -> usize {
        let pattern = format!("^{}/(adversary|escapes)", self.directory.display());
        let output = Command::new("pgrep").arg("-f").arg(pattern).output().unwrap();
        String::from_utf8_lossy(&output.stdout).lines().count()
    }

    /// Restores the stdin file after a program has changed it.
    pub fn restore(&self) {
        fs::write(self.directory.join("question"), QUESTION).unwrap();
    }

    /// Whether no program has written to the pipe, the sockets or the stdin file.
    pub fn is_untouched(&mut self) -> bool {
        let from_pipe = self.fifo.read(&mut [0; 16]).is_ok();
        let from_socket = self.datagrams.recv(&mut [0; 16]).is_ok() || self.connections.accept().is_ok();
        let question = fs::read_to_string(self.directory.join("question")).unwrap();
        !from_pipe && !from_socket && question == QUESTION
    }
}
