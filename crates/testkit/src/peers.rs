//! Programs of others that are measured next to ours. A measurement continues without a missing peer.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A peer that is not on this machine.
#[derive(Debug)]
pub struct MissingPeer {
    name: String,
    remedy: String,
}

impl MissingPeer {
    /// The peer of this name, and how to install it.
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
#[allow(clippy::print_stdout, reason = "measurements print what they find")]
pub fn peer<T>(found: Result<T, MissingPeer>) -> Option<T> {
    found.map_err(|missing| println!("  {missing}")).ok()
}

/// A program on the search path, from this Debian package.
pub fn from_debian(program: &str, package: &str) -> Result<PathBuf, MissingPeer> {
    let search = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&search).map(|directory| directory.join(program)).find(|file| file.is_file());
    found.ok_or_else(|| MissingPeer::new(program, format!("install the Debian package {package}")))
}

/// A program of a package, which is installed from PyPI into the build directory if necessary. Every package has
/// `python`.
pub fn from_pypi(agon: &str, package: &str, program: &str) -> Result<PathBuf, MissingPeer> {
    let venv = Path::new(agon).parent().expect("a directory").join("bench-venv");
    let mark = venv.join(format!(".{package}"));
    let succeeds = |command: &mut Command| command.stdout(Stdio::null()).status().is_ok_and(|status| status.success());
    if !mark.exists() {
        // Copies: a contained program is started by its real path, relative to which Python looks for its packages.
        let make = ["-m", "venv", "--copies"];
        if !venv.join("bin/pip").exists() && !succeeds(Command::new("python3").args(make).arg(&venv)) {
            return Err(MissingPeer::new(package, "install the Debian package python3-venv"));
        }
        if !succeeds(Command::new(venv.join("bin/pip")).args(["install", "--quiet", package])) {
            return Err(MissingPeer::new(package, format!("'pip install {package}' failed")));
        }
        fs::write(mark, "").expect("a mark");
    }
    Ok(venv.join("bin").join(program))
}

/// A C program, compiled.
pub fn compiled(name: &str, source: &Path, program: &Path) -> Result<PathBuf, MissingPeer> {
    from_debian("cc", "gcc").map_err(|_| MissingPeer::new(name, "install the Debian package gcc"))?;
    let status = Command::new("cc").arg("-O2").arg("-o").arg(program).arg(source).status();
    if status.is_ok_and(|status| status.success()) {
        return Ok(program.to_owned());
    }
    Err(MissingPeer::new(name, format!("{} does not compile here", source.display())))
}

/// A solver that Agon fetches.
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
