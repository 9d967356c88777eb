//! Other projects' programs that the benchmarks compare Agon with. A benchmark continues without a missing peer.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A peer that is not installed on this machine.
#[derive(Debug)]
pub struct MissingPeer {
    name: String,
    remedy: String,
}

impl MissingPeer {
    /// A missing peer with this name, and how to install it.
    pub fn new(name: &str, remedy: impl Into<String>) -> Self {
        Self { name: name.to_owned(), remedy: remedy.into() }
    }
}

impl std::fmt::Display for MissingPeer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} is not measured: {}", self.name, self.remedy)
    }
}

/// The peer, or `None` after printing what to install.
#[allow(clippy::print_stdout, reason = "benchmarks print their results")]
pub fn peer<T>(found: Result<T, MissingPeer>) -> Option<T> {
    found.map_err(|missing| println!("  {missing}")).ok()
}

/// Finds a program on `PATH`. The error names the Debian package that contains it.
pub fn from_debian(program: &str, package: &str) -> Result<PathBuf, MissingPeer> {
    let search = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&search).map(|directory| directory.join(program)).find(|file| file.is_file());
    found.ok_or_else(|| MissingPeer::new(program, format!("install the Debian package {package}")))
}

/// A program of a PyPI package, which is installed into a virtual environment in the build directory if necessary.
/// `python` is available for every package.
pub fn from_pypi(agon: &str, package: &str, program: &str) -> Result<PathBuf, MissingPeer> {
    let venv = Path::new(agon).parent().expect("a directory").join("bench-venv");
    let mark = venv.join(format!(".{package}"));
    let succeeds = |command: &mut Command| command.stdout(Stdio::null()).status().is_ok_and(|status| status.success());
    if !mark.exists() {
        // `--copies`, because a contained program is started by its real path, and Python looks for its packages
        // relative to that path.
        let make = ["-m", "venv", "--copies"];
        if !venv.join("bin/pip").exists() && !succeeds(Command::new("python3").args(make).arg(&venv)) {
            return Err(MissingPeer::new(package, "install the Debian package python3-venv"));
        }
        if !succeeds(Command::new(venv.join("bin/pip")).args(["install", "--quiet", package])) {
            return Err(MissingPeer::new(package, format!("'pip install {package}' failed")));
        }
        fs::write(mark, "").expect("a marker file");
    }
    Ok(venv.join("bin").join(program))
}

/// Compiles a C program and returns its path.
pub fn compiled(name: &str, source: &Path, program: &Path) -> Result<PathBuf, MissingPeer> {
    from_debian("cc", "gcc").map_err(|_| MissingPeer::new(name, "install the Debian package gcc"))?;
    let status = Command::new("cc").arg("-O2").arg("-o").arg(program).arg(source).status();
    if status.is_ok_and(|status| status.success()) {
        return Ok(program.to_owned());
    }
    Err(MissingPeer::new(name, format!("{} does not compile here", source.display())))
}

/// Fetches a solver with Agon and returns the path of its program.
pub fn fetched(agon: &str, solver: &str) -> Result<PathBuf, MissingPeer> {
    let home = Path::new(agon).parent().expect("a directory").join("test-solvers");
    let missing = || MissingPeer::new(solver, format!("'agon entrant fetch {solver}' failed"));
    let fetch = Command::new(agon).args(["entrant", "fetch", solver]).env("AGON_HOME", &home).output();
    if !fetch.is_ok_and(|output| output.status.success()) {
        return Err(missing());
    }
    let directories = fs::read_dir(home.join("solvers")).map_err(|_| missing())?.flatten().map(|item| item.path());
    let is_it = |file: &PathBuf| file.exists() && file.to_string_lossy().contains(&format!("/{solver}-"));
    directories.map(|directory| directory.join("bin").join(solver)).find(is_it).ok_or_else(missing)
}
