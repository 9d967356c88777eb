//! Turns an entrant's command into a job.

use crate::slot::contained;
use crate::work_directory::OUTPUT;
use agon_contain::{Job, Work, called_by, needed_by};
use agon_domain::Limits;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Fills in an entrant's command. The program is a path relative to the entrant's directory, or absolute. `{benchmark}`
/// is replaced with the benchmark's file and `{output}` with a directory for the solver's own files. The file after `<`
/// becomes stdin, where solvers of the first competitions expect the benchmark (R08-3.2). Besides system files, the
/// solver sees its own files and the benchmark.
pub fn job<'a>(command: &[String], files: &Path, work: &'a Work, benchmark: &Path, limits: &Limits) -> Job<'a> {
    let mut words = command.iter();
    let program = words.next().map_or_else(PathBuf::new, |word| files.join(word));
    let fill = |word: &String| match word.as_str() {
        "{benchmark}" => benchmark.into(),
        "{output}" => work.root().join(OUTPUT).into(),
        part => OsString::from(part.replace("{benchmark}", &benchmark.to_string_lossy())),
    };
    let mut arguments: Vec<OsString> = words.map(fill).collect();
    let mut stdin = None;
    if let Some(at) = arguments.iter().position(|word| word == "<")
        && at + 1 < arguments.len()
    {
        stdin = Some(PathBuf::from(arguments.remove(at + 1)));
        arguments.remove(at);
    }
    // A program installed on the machine may need files next to it, and an entrant's start script may call such a
    // program.
    let around = if program.starts_with(files) { called_by(&program) } else { needed_by(&program) };
    let shown = [files.to_owned(), benchmark.to_owned()].into_iter().chain(around).collect();
    Job {
        program,
        arguments,
        environment: environment(work.start(), limits),
        work,
        shown,
        named: vec![],
        hidden: vec![],
        cores: vec![],
        stdin,
        network: false,
    }
}

/// The environment of a solver: a search path, its working directory, and its limits under StarExec's names (R19-5.19).
fn environment(start: &Path, limits: &Limits) -> Vec<(OsString, OsString)> {
    let mut environment: Vec<(OsString, OsString)> = vec![
        ("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into()),
        ("LANG".into(), "C.UTF-8".into()),
        ("HOME".into(), start.into()),
        ("TMPDIR".into(), start.into()),
    ];
    environment.extend(starexec_limits(&contained(limits)));
    environment
}

/// The limits as StarExec's environment variables, in seconds and megabytes.
pub fn starexec_limits(limits: &agon_contain::Limits) -> impl Iterator<Item = (OsString, OsString)> {
    let seconds = |time: std::time::Duration| time.as_secs_f64().ceil().to_string();
    let megabytes = |bytes: u64| (bytes >> 20).to_string();
    let variables = [
        ("STAREXEC_WALLCLOCK_LIMIT", limits.wall.map(seconds)),
        ("STAREXEC_CPU_LIMIT", limits.cpu.map(seconds)),
        ("STAREXEC_MAX_MEM", limits.memory.map(megabytes)),
        ("STAREXEC_MAX_WRITE", Some(megabytes(limits.disk()))),
    ];
    variables.into_iter().filter_map(|(name, value)| Some((name.into(), value?.into())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_domain::Time;

    fn filled<T>(command: &[&str], look: impl Fn(Job<'_>) -> T) -> T {
        let command: Vec<String> = command.iter().map(|word| (*word).to_owned()).collect();
        let work = Work::given(Path::new("/place"));
        let limits = Limits::new(Time::from_secs(5), 3 << 30, 4);
        look(job(&command, Path::new("/files"), &work, Path::new("/b it/x.smt2"), &limits))
    }

    #[test]
    fn placeholders_are_replaced() {
        assert_eq!(
            filled(&["bin/z3", "-smt2", "{benchmark}"], |job| job.to_string()),
            "/files/bin/z3 -smt2 '/b it/x.smt2'"
        );
        assert_eq!(filled(&["/usr/bin/z3", "{output}"], |job| job.to_string()), "/usr/bin/z3 /place/output");
        assert_eq!(filled(&["bin/z3", "--in={benchmark}"], |job| job.to_string()), "/files/bin/z3 '--in=/b it/x.smt2'");
    }

    #[test]
    fn r08_3_2_a_solver_may_read_the_benchmark_on_standard_input() {
        let look = |job: Job<'_>| (job.to_string(), job.stdin);
        let read = Some(PathBuf::from("/b it/x.smt2"));
        assert_eq!(filled(&["bin/x", "-s", "<", "{benchmark}"], look), ("/files/bin/x -s".into(), read));
        assert_eq!(filled(&["bin/x", "{benchmark}", "<"], look), ("/files/bin/x '/b it/x.smt2' '<'".into(), None));
    }

    #[test]
    fn r19_5_19_limits_are_in_the_environment() {
        let environment = filled(&["x"], |job| job.environment);
        let value =
            |name: &str| environment.iter().find(|(key, _)| key == name).unwrap().1.to_str().unwrap().to_owned();
        assert_eq!(value("STAREXEC_WALLCLOCK_LIMIT"), "5");
        assert_eq!(value("STAREXEC_CPU_LIMIT"), "20");
        assert_eq!(value("STAREXEC_MAX_MEM"), "3072");
        assert_eq!(value("STAREXEC_MAX_WRITE"), "1536");
    }
}
