//! Solvers and benchmarks that are made for a test.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Writes an entrant whose program is this shell script; `$1` is the benchmark. Gives its folder.
pub fn fake_solver(parent: &Path, name: &str, team: &str, script: &str) -> PathBuf {
    let folder = parent.join(name);
    fs::create_dir_all(folder.join("bin")).expect("a folder");
    let program = folder.join("bin/solver");
    fs::write(&program, format!("#!/bin/sh\n{script}\n")).expect("a script");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("an executable script");
    let description = format!(
        "name = '{name}'\nversion = '1'\nteam = '{team}'\nmagic = 7\n\
         [commands]\nsingle-query = ['bin/solver', '{{benchmark}}']\n"
    );
    fs::write(folder.join("entrant.toml"), description).expect("a description");
    folder
}

/// Writes a library of this many trivial benchmarks, half of them unsatisfiable.
pub fn trivial_library(root: &Path, count: usize) {
    for at in 0..count {
        let (status, formula) = if at % 2 == 0 { ("sat", "true") } else { ("unsat", "false") };
        let file = root.join(format!("non-incremental/QF_UF/trivial/b{at:04}.smt2"));
        fs::create_dir_all(file.parent().expect("a file has a folder")).expect("a folder");
        let script = format!(
            "(set-logic QF_UF)\n(set-info :status {status})\n(declare-fun p{at} () Bool)\n\
             (assert (or p{at} (not p{at})))\n(assert {formula})\n(check-sat)\n(exit)\n"
        );
        fs::write(file, script).expect("a benchmark");
    }
}
