//! Solvers that are already installed on this machine.

use crate::DESCRIPTION;
use agon_domain::Digest;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Solvers that take an SMT-LIB file as their last argument: name, team, arguments before the file, logics.
const KNOWN: [(&str, &str, &[&str], &[&str]); 7] = [
    ("z3", "Microsoft Research", &[], &[]),
    ("cvc5", "Stanford University and University of Iowa", &[], &[]),
    ("cvc4", "Stanford University and University of Iowa", &["--lang", "smt2"], &[]),
    (
        "yices-smt2",
        "SRI International",
        &[],
        &["QF_UF", "QF_BV", "QF_ABV", "QF_AX", "QF_IDL", "QF_LIA", "QF_LRA", "QF_UFLIA"],
    ),
    (
        "bitwuzla",
        "Stanford University",
        &[],
        &["QF_BV", "QF_ABV", "QF_UFBV", "QF_AUFBV", "QF_FP", "QF_BVFP", "BV", "FP"],
    ),
    (
        "opensmt",
        "Universita della Svizzera italiana",
        &[],
        &["QF_UF", "QF_IDL", "QF_RDL", "QF_LIA", "QF_LRA", "QF_UFLIA", "QF_UFLRA"],
    ),
    (
        "mathsat",
        "Fondazione Bruno Kessler",
        &["-input=smt2"],
        &["QF_UF", "QF_BV", "QF_LIA", "QF_LRA", "QF_IDL", "QF_UFLIA", "QF_FP"],
    ),
];

/// A solver found on the search path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    /// The name of the solver's program.
    pub name: &'static str,
    /// The absolute path of the program.
    pub program: PathBuf,
    team: &'static str,
    arguments: &'static [&'static str],
    logics: &'static [&'static str],
}

/// Finds the known solvers on a search path, such as the value of `PATH`.
pub fn installed(path: &OsStr) -> Vec<Installed> {
    let is_program =
        |file: &PathBuf| fs::metadata(file).is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0);
    let find = |name: &str| std::env::split_paths(path).map(|directory| directory.join(name)).find(is_program);
    KNOWN
        .into_iter()
        .filter_map(|(name, team, arguments, logics)| {
            let program = find(name)?.canonicalize().ok()?;
            Some(Installed { name, program, team, arguments, logics })
        })
        .collect()
}

impl Installed {
    /// Writes an entrant's directory for the solver. The program is not copied.
    pub fn write_folder(&self, directory: &Path) -> io::Result<()> {
        let digest = Digest::of(&fs::read(&self.program)?);
        fs::create_dir_all(directory)?;
        let quoted = |word: &str| format!("{word:?}");
        let words = std::iter::once(self.program.to_string_lossy().into_owned())
            .chain(self.arguments.iter().map(|word| (*word).to_owned()))
            .chain(["{benchmark}".to_owned()]);
        let command = words.map(|word| quoted(&word)).collect::<Vec<_>>().join(", ");
        let mut text = format!(
            "# A solver of this machine: {} with SHA-256 {digest}\nname = {:?}\nversion = \"installed-{}\"\n\
             team = {:?}\nmagic = {}\n\n[commands]\nsingle-query = [{command}]\n",
            self.program.display(),
            self.name,
            digest.short(),
            self.team,
            u32::from(digest.as_bytes()[0]),
        );
        if !self.logics.is_empty() {
            let logics = self.logics.iter().map(|logic| quoted(logic)).collect::<Vec<_>>().join(", ");
            text.push_str(&format!("\n[divisions]\nsingle-query = [{logics}]\n"));
        }
        fs::write(directory.join(DESCRIPTION), text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Details, open};
    use agon_domain::Track;

    #[test]
    fn programs_on_the_path_can_be_entered() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("z3"), "not executable").unwrap();
        fs::write(root.path().join("yices-smt2"), "").unwrap();
        fs::set_permissions(root.path().join("yices-smt2"), fs::Permissions::from_mode(0o755)).unwrap();
        let found = installed(root.path().as_os_str());
        assert_eq!(found.len(), 1);
        found[0].write_folder(&root.path().join("entrant")).unwrap();
        let entrant = open(&root.path().join("entrant"), &Details::default(), &root.path().join("copy")).unwrap();
        assert_eq!(entrant.name.as_str(), "yices-smt2");
        let program = found[0].program.to_string_lossy().into_owned();
        assert_eq!(entrant.commands[&Track::SingleQuery], [program.as_str(), "{benchmark}"]);
    }
}
