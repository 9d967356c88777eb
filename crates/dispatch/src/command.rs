//! The exact command line of a run.

use crate::work::Place;
use agon_contain::Job;
use agon_domain::Limits;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Fills in an entrant's command. The first word is a path below the entrant's files, or an absolute one; `{benchmark}`
/// is the file and `{output}` a folder for what the solver wants to leave.
pub fn job(command: &[String], files: &Path, place: &Place, benchmark: &Path, limits: &Limits) -> Job {
    let mut words = command.iter();
    let program = words.next().map_or_else(PathBuf::new, |word| files.join(word));
    let fill = |word: &String| match word.as_str() {
        "{benchmark}" => benchmark.into(),
        "{output}" => place.output.clone().into(),
        part => OsString::from(part.replace("{benchmark}", &benchmark.to_string_lossy())),
    };
    Job {
        program,
        arguments: words.map(fill).collect(),
        environment: environment(&place.start, limits),
        folder: place.start.clone(),
        writable: place.root.clone(),
        cores: vec![],
        stdin: None,
        network: false,
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

#[cfg(test)]
mod tests {
    use super::*;
    use agon_domain::Time;

    const LIMITS: Limits = Limits { wall: Time::from_secs(5), memory_bytes: 3 << 30, cores: 4, output_bytes: 1 };

    fn filled(command: &[&str]) -> Job {
        let command: Vec<String> = command.iter().map(|word| (*word).to_owned()).collect();
        let place = Place { root: "/place".into(), start: "/place/run".into(), output: "/place/out".into() };
        job(&command, Path::new("/files"), &place, Path::new("/b it/x.smt2"), &LIMITS)
    }

    #[test]
    fn words_are_filled_in() {
        assert_eq!(filled(&["bin/z3", "-smt2", "{benchmark}"]).to_string(), "/files/bin/z3 -smt2 '/b it/x.smt2'");
        assert_eq!(filled(&["/usr/bin/z3", "{output}"]).to_string(), "/usr/bin/z3 /place/out");
        assert_eq!(filled(&["bin/z3", "--in={benchmark}"]).to_string(), "/files/bin/z3 '--in=/b it/x.smt2'");
    }

    #[test]
    fn r19_5_19_limits_are_in_the_environment() {
        let environment = filled(&["x"]).environment;
        let value =
            |name: &str| environment.iter().find(|(key, _)| key == name).unwrap().1.to_str().unwrap().to_owned();
        assert_eq!(value("STAREXEC_WALLCLOCK_LIMIT"), "5");
        assert_eq!(value("STAREXEC_CPU_LIMIT"), "20");
        assert_eq!(value("STAREXEC_MAX_MEM"), "3072");
    }
}
