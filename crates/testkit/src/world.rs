//! Runs the real binary as a user does.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

/// A temporary directory with its own home, and the program to run in it.
pub struct World {
    directory: tempfile::TempDir,
    program: PathBuf,
    home: PathBuf,
}

/// The output of a command and its exit code.
#[derive(Debug)]
pub struct Output {
    /// The exit code; -1 if a signal killed the command.
    pub code: i32,
    /// Stdout.
    pub stdout: String,
    /// Stderr.
    pub stderr: String,
}

impl World {
    /// A world for the program `env!("CARGO_BIN_EXE_agon")`.
    pub fn new(program: &str) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let home = directory.path().join("home");
        fs::create_dir(&home).expect("an empty home");
        Self { directory, program: program.into(), home }
    }

    /// A world with the solvers that [`real_solvers`] fetched.
    pub fn with_solvers(program: &str) -> Self {
        let world = Self::new(program);
        Self { home: real_solvers(program), ..world }
    }

    /// The working directory of commands.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// A command that the caller can change before starting it.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(words).current_dir(self.path()).stdin(Stdio::null());
        command.env("AGON_HOME", &self.home).env("HOME", &self.home);
        command
    }

    /// Runs a command to its end.
    pub fn run(&self, words: &[&str]) -> Output {
        finish(&mut self.command(words))
    }

    /// Runs a command that has to succeed and returns its stdout.
    pub fn ok(&self, words: &[&str]) -> String {
        let output = self.run(words);
        assert_eq!(output.code, 0, "agon {}: {}\n{}", words.join(" "), output.stderr, output.stdout);
        output.stdout
    }

    /// Runs these commands on the competition in `c`. Each has to succeed.
    pub fn steps(&self, steps: &[&str]) {
        for step in steps {
            let words: Vec<&str> = step.split(' ').chain(["-C", "c"]).collect();
            self.ok(&words);
        }
    }

    /// Runs a command that has to fail with this exit code. Its stderr has to contain all the texts of `message`.
    pub fn fails(&self, words: &[&str], code: i32, message: &[&str]) {
        let output = self.run(words);
        assert_eq!(output.code, code, "agon {}: {}\n{}", words.join(" "), output.stderr, output.stdout);
        for word in message {
            assert!(output.stderr.contains(word), "agon {}: no '{word}' in: {}", words.join(" "), output.stderr);
        }
    }

    /// Starts a command in the background. [`World::said`] returns its stderr.
    pub fn start(&self, words: &[&str]) -> Child {
        let said = fs::File::create(self.path().join("said")).expect("a file for stderr");
        self.command(words).stdout(Stdio::null()).stderr(said).spawn().expect("the program starts")
    }

    /// The stderr of the last started command, up to now.
    pub fn said(&self) -> String {
        fs::read_to_string(self.path().join("said")).unwrap_or_default()
    }

    /// Runs a command that prints JSON.
    pub fn json(&self, words: &[&str]) -> Value {
        serde_json::from_str(&self.ok(words)).expect("the output is JSON")
    }

    /// Judges a competition. Exit code 1 is fine: there may be wrong answers.
    pub fn judge(&self, competition: &str) {
        let output = self.run(&["judge", "-C", competition]);
        assert!(output.code < 2, "agon judge: {}", output.stderr);
    }

    /// Judges a competition and returns its scores by division, ranking and solver, without the times and ranks, which
    /// differ from run to run.
    pub fn scores(&self, competition: &str) -> BTreeMap<String, Value> {
        self.judge(competition);
        let scores = self.json(&["score", "-C", competition, "--format", "json"]);
        let mut facts = BTreeMap::new();
        for division in scores["divisions"].as_array().into_iter().flatten() {
            for (kind, lines) in division["rankings"].as_object().into_iter().flatten() {
                for line in lines.as_array().into_iter().flatten() {
                    let mut counts = line.clone();
                    for time in ["wall", "cpu", "rank"] {
                        counts.as_object_mut().expect("a line of the ranking").remove(time);
                    }
                    facts.insert(format!("{} {kind} {}", division["name"], line["solver"]), counts);
                }
            }
        }
        facts
    }

    /// Writes a file below the directory.
    pub fn write(&self, path: &str, text: &str) -> PathBuf {
        let file = self.path().join(path);
        fs::create_dir_all(file.parent().expect("a file has a directory")).expect("a directory");
        fs::write(&file, text).expect("a file");
        file
    }
}

/// Runs a command to its end.
pub(crate) fn finish(command: &mut Command) -> Output {
    let output = command.output().expect("the program starts");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Output { code: output.status.code().unwrap_or(-1), stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// A home directory with z3, cvc5, yices and bitwuzla, which the program under test fetches once for all tests.
pub fn real_solvers(program: &str) -> PathBuf {
    static HOME: OnceLock<PathBuf> = OnceLock::new();
    HOME.get_or_init(|| {
        let home = Path::new(program).parent().expect("the program is in a directory").join("test-solvers");
        fs::create_dir_all(&home).expect("a directory for solvers");
        // Several test binaries may run at the same time.
        let lock = fs::File::create(home.join("lock")).expect("a lock file");
        lock.lock().expect("a lock");
        let output = finish(Command::new(program).args(["entrant", "fetch"]).env("AGON_HOME", &home));
        assert_eq!(output.code, 0, "real solvers are needed for this test: {}", output.stderr);
        home
    })
    .clone()
}
