//! Solvers and benchmarks for tests.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Runs a solver on a file and returns its stdout, or `None` if it does not exit within five seconds.
pub fn asked(program: &Path, file: &Path) -> Option<String> {
    let out = tempfile::NamedTempFile::new().expect("a temporary file");
    let mut child = Command::new(program)
        .arg(file)
        .stdin(Stdio::null())
        .stdout(out.reopen().expect("a second handle on the file"))
        .stderr(Stdio::null())
        .spawn()
        .unwrap_or_else(|error| panic!("{}: {error}", program.display()));
    let end = Instant::now() + Duration::from_secs(5);
    while child.try_wait().expect("the solver's state").is_none() {
        if Instant::now() > end {
            child.kill().expect("the solver can be killed");
            child.wait().expect("the solver exits");
            return None;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Some(fs::read_to_string(out.path()).expect("the solver's output"))
}

/// The path of a program of a fetched solver.
pub fn solver_program(agon: &str, solver: &str, program: &str) -> PathBuf {
    let solvers = crate::real_solvers(agon).join("solvers");
    let directories = fs::read_dir(solvers).expect("fetched solvers").flatten().map(|item| item.path());
    let mut found = directories
        .map(|directory| directory.join("bin").join(program))
        .filter(|file| file.exists() && file.to_string_lossy().contains(&format!("/{solver}-")));
    found.next().unwrap_or_else(|| panic!("{program} of {solver} is not among the fetched solvers"))
}

/// Writes an entrant whose program is this shell script; `$1` is the benchmark. Returns its directory.
pub fn fake_solver(parent: &Path, name: &str, team: &str, script: &str) -> PathBuf {
    let directory = parent.join(name);
    fs::create_dir_all(directory.join("bin")).expect("a directory");
    let program = directory.join("bin/solver");
    fs::write(&program, format!("#!/bin/sh\n{script}\n")).expect("a script");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("an executable script");
    let description = format!(
        "name = '{name}'\nversion = '1'\nteam = '{team}'\nmagic = 7\n\
         [commands]\nsingle-query = ['bin/solver', '{{benchmark}}']\n"
    );
    fs::write(directory.join("entrant.toml"), description).expect("a description");
    directory
}

/// Writes a library of `count` trivial benchmarks, half of them unsatisfiable.
pub fn trivial_library(root: &Path, count: usize) {
    for at in 0..count {
        let (status, formula) = if at % 2 == 0 { ("sat", "true") } else { ("unsat", "false") };
        let file = root.join(format!("non-incremental/QF_UF/trivial/b{at:04}.smt2"));
        fs::create_dir_all(file.parent().expect("a file has a directory")).expect("a directory");
        let script = format!(
            "(set-logic QF_UF)\n(set-info :status {status})\n(declare-fun p{at} () Bool)\n\
             (assert (or p{at} (not p{at})))\n(assert {formula})\n(check-sat)\n(exit)\n"
        );
        fs::write(file, script).expect("a benchmark");
    }
}
