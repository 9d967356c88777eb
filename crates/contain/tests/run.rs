//! Real processes under real limits, with and without control groups.

use agon_contain::{CgroupKind, ContainError, Ending, Host, Isolation, Job, Limit, Limits, Measured, Work};
use std::path::Path;
use std::time::{Duration, Instant};

fn shell<'a>(script: &str, work: &'a Work) -> Job<'a> {
    Job {
        program: "/bin/sh".into(),
        arguments: vec!["-c".into(), script.into()],
        environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
        ..Job::new("/bin/sh", work)
    }
}

fn run(host: &Host, script: &str, limits: &Limits) -> Measured {
    host.run(&shell(script, &fresh(host)), limits).unwrap()
}

fn fresh(host: &Host) -> Work {
    host.fresh(Path::new(""), &[], &[]).unwrap()
}

fn isolation(host: &Host) -> Isolation {
    host.isolation(&shell("", &fresh(host)))
}

fn limits() -> Limits {
    Limits { wall: Some(Duration::from_secs(20)), output: Some(1 << 20), ..Limits::default() }
}

fn both() -> [Host; 2] {
    [Host::probe().unwrap(), Host::bare()]
}

#[test]
fn output_and_exit_code_are_reported() {
    for host in both() {
        let run = run(&host, "echo sat; echo warning >&2; exit 3", &limits());
        assert_eq!(run.stdout, b"sat\n");
        assert_eq!(run.stderr, b"warning\n");
        assert_eq!(run.ending, Ending::Exit(3));
        assert_eq!(run.limit, None);
    }
}

#[test]
fn a_signal_is_not_an_exit() {
    for host in both() {
        assert_eq!(run(&host, "kill -SEGV $$", &limits()).ending, Ending::Signal(11));
    }
}

#[test]
fn r19_7_3_an_answer_before_the_wall_limit_is_kept() {
    for host in both() {
        let started = Instant::now();
        let run = run(&host, "echo unsat; sleep 60", &Limits { wall: Some(Duration::from_millis(300)), ..limits() });
        assert_eq!(run.limit, Some(Limit::Wall));
        assert_eq!(run.stdout, b"unsat\n");
        assert!(run.wall >= Duration::from_millis(300));
        assert!(started.elapsed() < Duration::from_secs(20));
    }
}

#[test]
fn r08_3_7_cpu_of_the_whole_tree_counts() {
    let host = Host::probe().unwrap();
    if !isolation(&host).tree_cpu {
        agon_testkit::skipped("this host has no CPU accounting per control group");
        return;
    }
    let burn = "(while :; do :; done) & (while :; do :; done) & sleep 60";
    let run = run(&host, burn, &Limits { cpu: Some(Duration::from_millis(400)), ..limits() });
    assert_eq!(run.limit, Some(Limit::Cpu));
    assert!(run.cpu >= Duration::from_millis(400), "{:?}", run.cpu);
}

#[test]
fn memory_of_the_whole_tree_is_limited() {
    let host = Host::probe().unwrap();
    if !isolation(&host).tree_memory {
        agon_testkit::skipped("this host has no memory limits per control group");
        return;
    }
    let limit = 64 << 20;
    let hog = "head -c 300000000 /dev/zero | tail";
    let run = run(&host, hog, &Limits { memory: Some(limit), ..limits() });
    assert_eq!(run.limit, Some(Limit::Memory));
    assert!(run.memory.unwrap() <= limit);
}

#[test]
fn without_control_groups_address_space_is_limited() {
    let hog = "head -c 300000000 /dev/zero | tail | wc -c";
    let run = run(&Host::bare(), hog, &Limits { memory: Some(64 << 20), ..limits() });
    assert_eq!(String::from_utf8_lossy(&run.stdout).trim(), "0");
    // The memory of the tree cannot be measured, so none is reported.
    assert_eq!(run.memory, None);
}

#[test]
fn without_control_groups_the_cpu_limit_applies_to_a_process() {
    let run = run(&Host::bare(), "while :; do :; done", &Limits { cpu: Some(Duration::from_millis(900)), ..limits() });
    assert_eq!(run.limit, Some(Limit::Cpu));
}

#[test]
fn output_beyond_the_limit_is_discarded() {
    for host in both() {
        let run = run(&host, "echo sat; yes", &Limits { output: Some(10_000), ..limits() });
        assert_eq!(run.limit, Some(Limit::Output));
        assert_eq!(run.stdout.len(), 10_000);
        assert!(run.stdout.starts_with(b"sat\n"));
    }
}

#[test]
fn r08_3_8_nothing_survives_not_even_a_daemon() {
    let host = Host::probe().unwrap();
    if !isolation(&host).tree_kill {
        agon_testkit::skipped("this host has no control groups");
        return;
    }
    let marker = format!("3{}.25", std::process::id());
    let run = run(&host, &format!("setsid sh -c 'sleep {marker} & sleep {marker}' & sleep 0.2; echo sat"), &limits());
    assert_eq!(run.ending, Ending::Exit(0));
    assert_eq!(run.stdout, b"sat\n");
    let running = std::process::Command::new("pgrep").args(["-f", &format!("^sleep {marker}")]).output();
    assert!(running.unwrap().stdout.is_empty());
}

#[test]
fn a_missing_program_is_an_error() {
    for host in both() {
        let work = fresh(&host);
        let job = Job { program: "/nonexistent/solver".into(), ..shell("", &work) };
        let error = host.run(&job, &limits()).unwrap_err();
        assert!(matches!(&error, ContainError::Start(..)), "{error}");
        assert!(error.to_string().contains("/nonexistent/solver"));
    }
}

#[test]
fn the_environment_is_not_inherited() {
    let host = Host::bare();
    let work = fresh(&host);
    let mut job = shell("env", &work);
    job.environment = vec![("STAREXEC_WALLCLOCK_LIMIT".into(), "5".into())];
    let run = host.run(&job, &limits()).unwrap();
    let text = String::from_utf8(run.stdout).unwrap();
    assert!(text.contains("STAREXEC_WALLCLOCK_LIMIT=5\n"));
    assert!(!text.contains("HOME="), "{text}");
}

#[test]
fn descriptors_are_not_inherited() {
    // A descriptor without close-on-exec, as a careless parent process may have left it.
    let file = std::fs::File::open("/dev/null").unwrap();
    let inheritable = rustix::io::dup(&file).unwrap();
    let run = run(&Host::probe().unwrap(), "ls /proc/self/fd", &limits());
    drop(inheritable);
    // Stdin, stdout, stderr, and the descriptor that ls itself has open on the directory.
    assert_eq!(String::from_utf8(run.stdout).unwrap().split_whitespace().collect::<Vec<_>>(), ["0", "1", "2", "3"]);
}

#[test]
fn r08_3_12_and_r19_5_21_a_confined_run_writes_only_to_its_own_directory() {
    let host = Host::probe().unwrap();
    if !isolation(&host).read_only_files {
        agon_testkit::skipped("this user cannot confine a process");
        return;
    }
    let (own, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let work = Work::given(own.path());
    let script = format!(
        "echo x > mine; echo x > {0}/theirs; echo x > /usr/theirs; mount -o remount,rw / ; mount -t tmpfs none {0}; \
         echo $$ > /sys/fs/cgroup/unified/cgroup.procs; ls /sys/class/net; exec 3<>/dev/tcp/127.0.0.1/1",
        other.path().display()
    );
    let job = Job { program: "/bin/bash".into(), ..shell(&script, &work) };
    let run = host.run(&job, &limits()).unwrap();
    assert!(own.path().join("mine").exists());
    assert!(!other.path().join("theirs").exists());
    let errors = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(errors.contains("Read-only file system"), "{errors}");
    assert!(errors.contains("Connection refused"), "{errors}");
}

#[test]
fn a_run_stays_on_its_cores() {
    let core = *Host::cores().last().unwrap();
    let host = Host::bare();
    let work = fresh(&host);
    let job = Job { cores: vec![core], ..shell("nproc; grep Cpus_allowed_list /proc/self/status", &work) };
    let run = host.run(&job, &limits()).unwrap();
    assert_eq!(String::from_utf8_lossy(&run.stdout), format!("1\nCpus_allowed_list:\t{core}\n"));
    assert!(run.isolation.own_cores);
}

#[test]
fn wall_time_is_not_less_than_the_cpu_time_of_a_single_thread() {
    // The clock starts in the child, so a parent that wakes up late does not shorten the wall time.
    for _ in 0..20 {
        let run = run(&Host::probe().unwrap(), "i=0; while [ $i -lt 3000 ]; do i=$((i+1)); done", &limits());
        assert!(run.wall + Duration::from_millis(4) >= run.cpu, "{:?} wall, {:?} CPU", run.wall, run.cpu);
    }
}

#[test]
fn a_bare_host_reports_no_control_groups() {
    let isolation = isolation(&Host::bare());
    assert_eq!(isolation.cgroup, CgroupKind::None);
    assert!(!isolation.tree_kill && !isolation.tree_cpu && !isolation.tree_memory);
}
