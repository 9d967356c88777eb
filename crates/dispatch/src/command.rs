//! The exact command line of a run.

use agon_contain::Job;
use agon_domain::Limits;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A command that is ready to be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Its environment, all of it.
    pub environment: Vec<(OsString, OsString)>,
    /// The folder that it starts in.
    pub folder: PathBuf,
}

impl Invocation {
    /// Fills in an entrant's command. A first word with a `/` is a path below the entrant's files; `{benchmark}` is the
    /// file and `{output}` a folder for what the solver wants to leave.
    pub fn new(
        command: &[String],
        files: &Path,
        start: &Path,
        output: &Path,
        benchmark: &Path,
        limits: &Limits,
    ) -> Self {
        let mut words = command.iter();
        let program = words.next().map(String::as_str).unwrap_or_default();
        let program = if program.contains('/') { files.join(program) } else { PathBuf::from(program) };
        let fill = |word: &String| match word.as_str() {
            "{benchmark}" => benchmark.into(),
            "{output}" => output.into(),
            other => other.into(),
        };
        Self {
            program,
            arguments: words.map(fill).collect(),
            environment: environment(start, limits),
            folder: start.to_owned(),
        }
    }
}

impl From<Invocation> for Job {
    fn from(Invocation { program, arguments, environment, folder }: Invocation) -> Self {
        Self { program, arguments, environment, folder }
    }
}

/// What a solver finds in its environment: a search path, a place for files, and its limits under the names that
/// StarExec gave them (R19-5.19).
fn environment(start: &Path, limits: &Limits) -> Vec<(OsString, OsString)> {
    let seconds = |time: agon_domain::Time| time.as_secs_f64().ceil().to_string();
    let megabytes = (limits.memory_bytes / (1 << 20)).to_string();
    vec![
        ("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into()),
        ("LANG".into(), "C.UTF-8".into()),
        ("HOME".into(), start.into()),
        ("TMPDIR".into(), start.into()),
        ("STAREXEC_WALLCLOCK_LIMIT".into(), seconds(limits.wall).into()),
        ("STAREXEC_CPU_LIMIT".into(), seconds(limits.cpu()).into()),
        ("STAREXEC_MAX_MEM".into(), megabytes.into()),
    ]
}

/// As one would type it, quoted where a shell needs it.
impl std::fmt::Display for Invocation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", quoted(&self.program.to_string_lossy()))?;
        self.arguments.iter().try_for_each(|word| write!(f, " {}", quoted(&word.to_string_lossy())))
    }
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:,@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_domain::Time;

    const LIMITS: Limits = Limits { wall: Time::from_secs(5), memory_bytes: 3 << 30, cores: 4, output_bytes: 1 };

    fn invocation(command: &[&str]) -> Invocation {
        let command: Vec<String> = command.iter().map(|word| (*word).to_owned()).collect();
        let [files, start, output, benchmark] = ["/files", "/work", "/out", "/b it/x.smt2"].map(Path::new);
        Invocation::new(&command, files, start, output, benchmark, &LIMITS)
    }

    #[test]
    fn words_are_filled_in_and_shown_as_typed() {
        let shown = |command: &[&str]| invocation(command).to_string();
        assert_eq!(shown(&["bin/z3", "-smt2", "{benchmark}"]), "/files/bin/z3 -smt2 '/b it/x.smt2'");
        assert_eq!(shown(&["/usr/bin/z3", "{output}"]), "/usr/bin/z3 /out");
        assert_eq!(shown(&["z3", ""]), "z3 ''");
    }

    #[test]
    fn r19_5_19_limits_are_in_the_environment() {
        let environment = invocation(&["x"]).environment;
        let value =
            |name: &str| environment.iter().find(|(key, _)| key == name).unwrap().1.to_str().unwrap().to_owned();
        assert_eq!(value("STAREXEC_WALLCLOCK_LIMIT"), "5");
        assert_eq!(value("STAREXEC_CPU_LIMIT"), "20");
        assert_eq!(value("STAREXEC_MAX_MEM"), "3072");
    }
}
