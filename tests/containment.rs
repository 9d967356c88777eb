//! Confinement fails closed: a run is confined or does not start, and cannot affect other runs or the machine.

use agon_testkit::{World, fake_solver, trivial_library};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;
use std::process::{Command, Output};

const AGON: &str = env!("CARGO_BIN_EXE_agon");
const NOBODY: u32 = 65534;

fn is_root() -> bool {
    fs::metadata("/proc/self").unwrap().uid() == 0
}

/// Runs agon in the world's directory, prefixed with a command that sets up its environment.
fn prepared(world: &World, prepare: &[&str], words: &[&str]) -> Output {
    let mut command = Command::new(prepare[0]);
    command.args(&prepare[1..]).arg(AGON).args(words).current_dir(world.path());
    command.env("HOME", world.path()).env("AGON_HOME", world.path()).output().unwrap()
}

/// Runs a command in a user namespace in which no further user namespaces can be created.
const WITHOUT_NAMESPACES: [&str; 6] = [
    "unshare",
    "--user",
    "--map-root-user",
    "sh",
    "-c",
    "echo 0 > /proc/sys/user/max_user_namespaces && exec \"$0\" \"$@\"",
];

fn stderr_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn unconfined_runs_need_the_option() {
    let world = World::new(AGON);
    let mark = world.path().join("mark");
    let touch = ["--", "touch", mark.to_str().unwrap()];
    for command in [&["exec"][..], &["exec", "--dir", "."][..]] {
        let output = prepared(&world, &WITHOUT_NAMESPACES, &[command, &touch].concat());
        if stderr_of(&output).contains("max_user_namespaces") {
            return agon_testkit::skipped("user namespaces cannot be created here");
        }
        assert_eq!(output.status.code(), Some(3), "{}", stderr_of(&output));
        assert!(stderr_of(&output).contains("--unconfined") && stderr_of(&output).contains("agon doctor"));
        assert!(!mark.exists(), "the program was started");
    }
    let unconfined = ["exec", "--unconfined", "--format", "json"];
    let output = prepared(&world, &WITHOUT_NAMESPACES, &[&unconfined[..], &touch].concat());
    let run: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(mark.exists() && stderr_of(&output).contains("not confined"), "{}", stderr_of(&output));
    for wall in ["confined", "own_user", "own_processes", "no_network", "read_only_files", "filtered_calls"] {
        assert_eq!(run["isolation"][wall], false, "{wall}");
    }
    // `agon doctor` reports it too, with a remedy.
    let output = prepared(&world, &WITHOUT_NAMESPACES, &["doctor", "--format", "json"]);
    let rows: Value = serde_json::from_slice(&output.stdout).unwrap();
    let confined = rows.as_array().unwrap().iter().find(|row| row["what"] == "confined runs").unwrap();
    assert!(confined["ok"] == false && confined["remedy"].as_str().unwrap().contains("user namespaces"), "{rows}");
}

/// Sets up a competition in the directory `c`, ready to run, with shell scripts as solvers.
fn competition(world: &World, solvers: &[(&str, &str)], options: &[&str]) {
    trivial_library(&world.path().join("library"), 2);
    world.ok(&[&["init", "c", "--rules", "smtcomp-2019"], options].concat());
    let limits = "\n[rules]\nrun_non_competitive = true\n\
        [rules.tracks.single-query.limits]\nwall_s = 2\nmemory_bytes = 200_000_000\ncores = 1\n";
    let file = world.path().join("c/agon.toml");
    fs::write(&file, fs::read_to_string(&file).unwrap() + limits).unwrap();
    world.ok(&["library", "add", "-C", "c", "library"]);
    for (name, script) in solvers {
        let directory = fake_solver(&world.path().join("solvers"), name, name, script);
        world.ok(&["entrant", "add", "-C", "c", directory.to_str().unwrap()]);
    }
    world.steps(&["seed --index 1", "select", "prepare"]);
}

fn pairs(world: &World) -> Vec<Value> {
    world.json(&["status", "-C", "c", "--pairs", "--format", "json"]).as_array().unwrap().clone()
}

#[test]
fn a_competition_has_to_allow_unconfined_runs() {
    let world = World::new(AGON);
    competition(&world, &[("a", "echo sat")], &[]);
    world.fails(&["run", "-C", "c", "--unconfined"], 2, &["allow_unconfined", "agon.toml"]);
    assert!(pairs(&world).iter().all(|pair| pair["state"] == "to be run"));
    let file = world.path().join("c/agon.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("allow_unconfined = true\n{text}")).unwrap();
    world.ok(&["run", "-C", "c", "--unconfined"]);
    let pairs = pairs(&world);
    assert!(
        pairs.iter().all(|pair| pair["isolation"].as_str().is_some_and(|words| words.starts_with("unconfined"))),
        "{pairs:?}"
    );
}

#[test]
fn r08_3_12_a_solver_sees_the_system_its_files_and_the_benchmark() {
    let world = World::new(AGON);
    let secret = world.write("secret", "secret");
    let script = format!(
        "cat {0} {1}/agon.toml {1}/library/index.tsv /etc/shadow /root/* /home/* 2>/dev/null; ls -A /root /home 2>/dev/null; \
         cat /proc/*/cmdline | grep -q [a]gon && echo seen; cat $1 > /dev/null && cat $0 > /dev/null && echo sat",
        secret.display(),
        world.path().join("c").display()
    );
    competition(&world, &[("a", &script)], &[]);
    world.ok(&["run", "-C", "c"]);
    world.judge("c");
    let text = world.ok(&["export", "-C", "c"]);
    let answers: Vec<&str> = text.lines().skip(1).filter(|line| line.contains("sat")).collect();
    assert_eq!(answers.len(), pairs(&world).len(), "{text}");
    let outputs = world.path().join("c/agon.db");
    let stored = fs::read(outputs).unwrap();
    assert!(!stored.windows(6).any(|bytes| bytes == b"secret"), "the solver read a file that is not its own");
}

#[test]
fn set_id_bits_are_removed_after_a_run() {
    let world = World::new(AGON);
    let directory = world.path().join("work");
    fs::create_dir(&directory).unwrap();
    let armed = directory.join("armed");
    fs::write(&armed, "").unwrap();
    fs::set_permissions(&armed, fs::Permissions::from_mode(0o4755)).unwrap();
    let script = "echo x > made; chmod 6755 made; cp -p armed copy; mkdir -p a/b; touch a/b/c; echo done";
    world.ok(&["exec", "--dir", "work", "--", "sh", "-c", script]);
    let owner = fs::metadata(world.path()).unwrap().uid();
    for name in ["armed", "made", "copy", "a/b/c"] {
        let about = fs::metadata(directory.join(name)).unwrap();
        assert_eq!(about.mode() & 0o6000, 0, "{name}");
        assert_eq!(about.uid(), owner, "{name} belongs to another user");
    }
    assert_eq!(fs::metadata(&directory).unwrap().uid(), owner);
}

#[test]
fn directories_without_permissions_are_recovered_after_a_run() {
    let world = World::new(AGON);
    let directory = world.path().join("work");
    let script = "mkdir -p d/e; echo x > d/e/f; chmod 400 d/e; chmod 000 d; chmod 000 .; echo sat";
    let mut starts = vec![vec![]];
    if is_root() {
        starts.push(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"].to_vec());
        fs::set_permissions(world.path(), fs::Permissions::from_mode(0o755)).unwrap();
        fs::copy(AGON, world.path().join("agon")).unwrap();
    }
    for start in starts {
        let owner = if start.is_empty() { fs::metadata(world.path()).unwrap().uid() } else { NOBODY };
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir(&directory).unwrap();
        chown(&directory, Some(owner), None).unwrap();
        let agon = if is_root() { world.path().join("agon") } else { AGON.into() };
        let words: Vec<&str> = start.into_iter().chain([agon.to_str().unwrap(), "exec", "--dir"]).collect();
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).arg(&directory).args(["--", "sh", "-c", script]).current_dir("/");
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", stderr_of(&output));
        assert_eq!(output.stdout, b"sat\n");
        assert_eq!(fs::metadata(directory.join("d/e/f")).unwrap().uid(), owner);
    }
}

#[test]
fn private_files_are_readable_only_if_passed_as_arguments() {
    let world = World::new(AGON);
    // Like a temporary file: accessible only to its owner, in a directory accessible only to its owner.
    let inner = world.path().join("inner");
    fs::create_dir(&inner).unwrap();
    fs::set_permissions(&inner, fs::Permissions::from_mode(0o700)).unwrap();
    let (given, other) = (world.write("inner/given", "given\n"), world.write("inner/other", "other\n"));
    for file in [&given, &other] {
        fs::set_permissions(file, fs::Permissions::from_mode(0o600)).unwrap();
    }
    let output = world.run(&["exec", "--", "cat", given.to_str().unwrap()]);
    assert_eq!(output.stdout, "given\n", "{}", output.stderr);
    let relative = world.run(&["exec", "--", "cat", "inner/given"]);
    assert_eq!(relative.stdout, "given\n", "{}", relative.stderr);
    // A path through `..` and a symbolic link.
    std::os::unix::fs::symlink("inner", world.path().join("linked")).unwrap();
    let around = format!("{}/inner/../linked/given", world.path().display());
    let through = world.run(&["exec", "--", "cat", &around]);
    assert_eq!(through.stdout, "given\n", "{}", through.stderr);
    let hidden = world.run(&["exec", "--", "sh", "-c", &format!("ls {}; cat {0}/ot*", inner.display())]);
    assert_eq!(hidden.stdout, "", "{}", hidden.stderr);
    let shown = world.run(&["exec", "--show", "inner", "--", "sh", "-c", &format!("cat {}/ot*", inner.display())]);
    assert_eq!(shown.stdout, "other\n", "{}", shown.stderr);
}

#[test]
fn limits_of_parent_control_groups_are_reported() {
    let world = World::new(AGON);
    let group = format!("agon-test-{}", std::process::id());
    let roots = ["/sys/fs/cgroup/pids", "/sys/fs/cgroup"];
    let root = roots.map(Path::new).into_iter().find(|root| root.join("cgroup.procs").exists());
    let Some(directory) = root.map(|root| root.join(&group)).filter(|directory| fs::create_dir(directory).is_ok())
    else {
        return agon_testkit::skipped("control groups cannot be created here");
    };
    if fs::write(directory.join("pids.max"), "12").is_err() {
        fs::remove_dir(&directory).unwrap();
        return agon_testkit::skipped("the number of processes cannot be limited here");
    }
    let enter = format!("echo $$ > {}/cgroup.procs && exec \"$0\" \"$@\"", directory.display());
    let forks = "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do sleep 0.3 & done; wait; echo over";
    let output = prepared(&world, &["sh", "-c", &enter], &["exec", "--format", "json", "--", "sh", "-c", forks]);
    let _ = fs::remove_dir(&directory);
    assert!(output.status.success(), "{}", stderr_of(&output));
    let run: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(run["limit"], "processes", "{run}");
}

#[test]
fn in_a_container_with_a_masked_proc_a_run_sees_no_processes() {
    if !is_root() {
        return agon_testkit::skipped("simulating a container needs root");
    }
    let world = World::new(AGON);
    fs::set_permissions(world.path(), fs::Permissions::from_mode(0o755)).unwrap();
    fs::copy(AGON, world.path().join("agon")).unwrap();
    let said = world.path().join("said");
    fs::write(&said, "").unwrap();
    chown(&said, Some(NOBODY), Some(NOBODY)).unwrap();
    // As in a container: parts of /proc are masked, and root lacks some capabilities.
    let container = "mount -t tmpfs none /proc/acpi && exec \"$@\"";
    let ordinary = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
    let bounded = ["setpriv", "--bounding-set=-sys_admin", "--inh-caps=-sys_admin"];
    for who in [&ordinary[..], &bounded[..]] {
        let mut command = Command::new("unshare");
        command.args(["-m", "sh", "-c", container, "sh"]).args(who).arg(world.path().join("agon"));
        let script = "ls /proc; cat /etc/shadow; head -1 /proc/meminfo";
        command.args(["exec", "--format", "json", "--output"]).arg(&said).args(["--", "sh", "-c", script]);
        let output = command.current_dir(world.path()).output().unwrap();
        assert!(output.status.success(), "{who:?}: {}", stderr_of(&output));
        let run: Value = serde_json::from_slice(&output.stdout).unwrap();
        let said = fs::read_to_string(&said).unwrap();
        assert!(said.contains("MemTotal") && !said.contains("root:"), "{who:?}: {said}");
        let is_number = |line: &str| line.bytes().all(|byte| byte.is_ascii_digit());
        assert!(!said.lines().any(is_number), "{who:?} sees processes: {said}");
        assert_eq!((&run["isolation"]["own_processes"], &run["isolation"]["own_proc"]), (&true.into(), &false.into()));
        assert_eq!(run["isolation"]["own_user"], who == &bounded[..], "{who:?}: {run}");
    }
}

#[test]
fn with_subordinate_ids_each_pair_of_an_ordinary_user_has_its_own_user() {
    let is_there = |path: &str| Path::new(path).exists();
    if !is_root() || !is_there("/usr/bin/newuidmap") || !is_there("/etc/subuid") || !is_there("/etc/subgid") {
        return agon_testkit::skipped("subordinate ids need root and newuidmap (Debian: uidmap)");
    }
    let world = World::new(AGON);
    competition(&world, &[("a", "id -u >&2; cat $1 > /dev/null && echo sat")], &[]);
    let subordinate = world.write("subordinate", "65534:300000:65536\n");
    fs::copy(AGON, world.path().join("agon")).unwrap();
    fs::set_permissions(world.path(), fs::Permissions::from_mode(0o755)).unwrap();
    assert!(Command::new("chown").args(["-R", "65534:65534"]).arg(world.path()).status().unwrap().success());
    let script =
        format!("mount --bind {0} /etc/subuid && mount --bind {0} /etc/subgid && exec \"$@\"", subordinate.display());
    let mut command = Command::new("unshare");
    command.args(["-m", "sh", "-c", &script, "sh", "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]);
    command.arg(world.path().join("agon")).args(["run", "-C", "c"]).current_dir(world.path()).env("HOME", world.path());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", stderr_of(&output));
    let pairs = pairs(&world);
    assert!(!pairs.is_empty());
    for pair in &pairs {
        assert!(pair["isolation"].as_str().unwrap().contains("own user: yes"), "{pair}");
        assert_eq!(pair["ending"], "exit 0", "{pair}");
    }
    // Its files still belong to the user.
    assert_eq!(fs::metadata(world.path().join("c/agon.db")).unwrap().uid(), NOBODY);
}

#[test]
fn a_solver_that_damages_its_own_run_does_not_stop_others() {
    let world = World::new(AGON);
    // Kills every process that it can see, several times, and gives up its own descriptors.
    let spoiler = "for i in 1 2 3; do kill -9 -1; kill -9 1; done; ulimit -n 0; exec kill -9 $$";
    competition(
        &world,
        &[("spoiler", spoiler), ("honest", "grep -q 'assert false' $1 && echo unsat || echo sat")],
        &[],
    );
    world.ok(&["run", "-C", "c"]);
    assert!(pairs(&world).iter().all(|pair| pair["attempt"] == 1));
    let scores = world.scores("c");
    assert!(scores.iter().any(|(line, counts)| line.contains("honest") && counts["correct"] != 0), "{scores:?}");
}
