//! A real Slurm cluster with several nodes on this machine, created for a test and removed after it.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

/// A controller, its nodes, and their authentication daemon. All files are in one temporary directory.
pub struct Slurm {
    directory: tempfile::TempDir,
    munge: Child,
    controller: Child,
    nodes: Vec<Option<Child>>,
}

/// The environment variable that tells Slurm's commands which cluster to use.
pub const CONFIGURATION: &str = "SLURM_CONF";

/// The environment variable that marks the processes of a node. The daemons of its jobs inherit it.
const MARK: &str = "AGON_TEST_NODE";

impl Slurm {
    /// Starts a cluster of single-processor nodes. Reports a skipped test and returns `None` if that is impossible
    /// here.
    pub fn start(nodes: usize) -> Option<Self> {
        let programs = ["munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol", "sinfo"];
        if let Some(missing) = programs.iter().find(|name| !is_here(name)) {
            crate::skipped(&format!("{missing} is not installed (scripts/test installs it)"));
            return None;
        }
        if !is_root() {
            crate::skipped("starting a Slurm cluster needs root");
            return None;
        }
        let directory = tempfile::Builder::new().prefix("agon-slurm-").tempdir_in("/var/tmp").expect("a directory");
        let root = directory.path();
        // The daemons refuse directories that are writable by others.
        for part in ["", "munge", "spool", "state", "log"] {
            fs::create_dir_all(root.join(part)).expect("a directory");
            fs::set_permissions(root.join(part), fs::Permissions::from_mode(0o755)).expect("its permissions");
        }
        write_key(&root.join("munge/key"));
        fs::write(root.join("slurm.conf"), configuration(root, nodes)).expect("a configuration");
        let munge = start_munge(root);
        let controller = start_controller(root);
        let mut slurm = Self { directory, munge, controller, nodes: (0..nodes).map(|_| None).collect() };
        wait_for("the controller", || slurm.command("scontrol").arg("ping").output().is_ok_and(|o| o.status.success()));
        (0..nodes).for_each(|number| slurm.start_node(number));
        wait_for("the nodes", || slurm.idle_nodes() == nodes);
        Some(slurm)
    }

    fn root(&self) -> &Path {
        self.directory.path()
    }

    /// The path of `slurm.conf`.
    pub fn configuration(&self) -> PathBuf {
        self.root().join("slurm.conf")
    }

    /// A Slurm command for this cluster.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env(CONFIGURATION, self.configuration());
        command
    }

    fn idle_nodes(&self) -> usize {
        let output = self.command("sinfo").args(["-h", "-N", "-o", "%T"]).output().expect("sinfo");
        String::from_utf8_lossy(&output.stdout).lines().filter(|state| *state == "idle").count()
    }

    /// The number of jobs in this state.
    pub fn jobs(&self, state: &str) -> usize {
        let output = self.command("squeue").args(["-h", "-r", "-o", "%T"]).output().expect("squeue");
        String::from_utf8_lossy(&output.stdout).lines().filter(|line| *line == state).count()
    }

    /// Starts or restarts a node.
    pub fn start_node(&mut self, number: usize) {
        let name = node(number);
        fs::create_dir_all(self.root().join("spool").join(&name)).expect("a directory");
        let mut command = self.command("slurmd");
        command.args(["-D", "-N", &name, "-f"]).arg(self.configuration()).env(MARK, self.mark(number));
        self.nodes[number] = Some(started(&mut command, &self.root().join("log").join(name)));
    }

    fn mark(&self, number: usize) -> String {
        format!("{}:{}", self.root().display(), node(number))
    }

    /// Kills a node with SIGKILL: its daemon and all processes of its jobs.
    pub fn kill_node(&mut self, number: usize) {
        let marked = with_mark(&self.mark(number));
        marked.iter().flat_map(|pid| tree(*pid)).chain(marked.iter().copied()).for_each(kill);
        if let Some(mut child) = self.nodes[number].take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Restarts the controller.
    pub fn restart_controller(&mut self) {
        let _ = Command::new("kill").arg(self.controller.id().to_string()).status();
        let _ = self.controller.wait();
        self.controller = start_controller(self.root());
    }
}

impl Drop for Slurm {
    fn drop(&mut self) {
        let _ = self.command("scancel").args(["-u", "root"]).output();
        (0..self.nodes.len()).for_each(|number| self.kill_node(number));
        for child in [&mut self.controller, &mut self.munge] {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn node(number: usize) -> String {
    format!("n{}", number + 1)
}

fn is_here(program: &str) -> bool {
    let search = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&search)
        .chain([PathBuf::from("/usr/sbin")])
        .any(|directory| directory.join(program).is_file())
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)
}

fn write_key(file: &Path) {
    let key: Vec<u8> = (0..1024_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    fs::write(file, key).expect("a key");
    fs::set_permissions(file, fs::Permissions::from_mode(0o400)).expect("its permissions");
    fs::set_permissions(file.parent().expect("its directory"), fs::Permissions::from_mode(0o700)).expect("its mode");
}

/// The first of a range of unused ports. No other cluster of this process gets the same range.
fn free_ports(count: usize) -> u16 {
    static NEXT: Mutex<u16> = Mutex::new(21_000);
    let mut next = NEXT.lock().expect("the next port");
    let is_free = |first: u16| (0..=count as u16).all(|more| TcpListener::bind(("127.0.0.1", first + more)).is_ok());
    let first = (*next..60_000).find(|first| is_free(*first)).expect("free ports");
    *next = first + count as u16 + 1;
    first
}

fn configuration(root: &Path, nodes: usize) -> String {
    let host = fs::read_to_string("/proc/sys/kernel/hostname").expect("a host name");
    let host = host.trim().split('.').next().unwrap_or("localhost").to_owned();
    let (root, port) = (root.display(), free_ports(nodes));
    let (first, last) = (port + 1, port as usize + nodes);
    format!(
        "ClusterName=agontest\nSlurmctldHost={host}(127.0.0.1)\nSlurmUser=root\nSlurmdUser=root\n\
         AuthType=auth/munge\nAuthInfo=socket={root}/munge.socket\nCryptoType=crypto/munge\n\
         SlurmctldPort={port}\nStateSaveLocation={root}/state\nSlurmdSpoolDir={root}/spool/%n\n\
         SlurmctldPidFile={root}/slurmctld.pid\nSlurmdPidFile={root}/slurmd.%n.pid\n\
         SlurmctldLogFile={root}/log/slurmctld.log\nSlurmdLogFile={root}/log/slurmd.%n.log\n\
         SlurmctldParameters=enable_configless\nSlurmdParameters=config_overrides\n\
         ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\n\
         SelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\nMpiDefault=none\nMailProg=/bin/true\n\
         ReturnToService=2\nSlurmdTimeout=10\nSlurmctldTimeout=30\nInactiveLimit=0\nKillWait=5\nMinJobAge=300\n\
         JobRequeue=1\nMaxArraySize=50\nMaxJobCount=10000\nAccountingStorageType=accounting_storage/none\n\
         JobAcctGatherType=jobacct_gather/none\nSchedulerType=sched/backfill\n\
         SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=2,default_queue_depth=1000\n\
         NodeName=n[1-{nodes}] NodeHostname={host} NodeAddr=127.0.0.1 Port=[{first}-{last}] CPUs=1 RealMemory=2000 \
         State=UNKNOWN\nPartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n"
    )
}

fn start_munge(root: &Path) -> Child {
    let mut command = Command::new("munged");
    let option = |name: &str, file: &str| format!("--{name}={}", root.join(file).display());
    command.args(["--foreground", "--force", "--num-threads=2"]).args([
        option("key-file", "munge/key"),
        option("socket", "munge.socket"),
        option("pid-file", "munged.pid"),
        option("log-file", "log/munged.log"),
        option("seed-file", "munge/seed"),
    ]);
    let child = started(&mut command, &root.join("log/munged"));
    wait_for("munge", || root.join("munge.socket").exists());
    child
}

fn start_controller(root: &Path) -> Child {
    let configuration = root.join("slurm.conf");
    let mut command = Command::new("slurmctld");
    command.arg("-D").arg("-f").arg(&configuration).env(CONFIGURATION, &configuration);
    started(&mut command, &root.join("log/slurmctld"))
}

fn started(command: &mut Command, log: &Path) -> Child {
    let log = fs::OpenOptions::new().create(true).append(true).open(log).expect("a log");
    let search = format!("{}:/usr/sbin", std::env::var("PATH").unwrap_or_default());
    command
        .env("PATH", search)
        .stdin(Stdio::null())
        .stdout(log.try_clone().expect("the log"))
        .stderr(log)
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

fn wait_for(what: &str, is_there: impl Fn() -> bool) {
    let came = (0..300).any(|_| {
        thread::sleep(Duration::from_millis(200));
        is_there()
    });
    assert!(came, "{what} did not start within a minute");
}

/// The processes that have this mark in their environment.
fn with_mark(mark: &str) -> Vec<u32> {
    let wanted = format!("{MARK}={mark}");
    let processes = fs::read_dir("/proc").expect("processes").flatten();
    let pids = processes.filter_map(|item| item.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(|pid| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|pair| pair == wanted.as_bytes())
    })
    .collect()
}

/// The descendants of a process.
fn tree(pid: u32) -> Vec<u32> {
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    let children: Vec<u32> = children.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    children.iter().flat_map(|child| tree(*child)).chain(children.iter().copied()).collect()
}

fn kill(pid: u32) {
    let _ = Command::new("kill").args(["-KILL", &pid.to_string()]).stderr(Stdio::null()).status();
}
