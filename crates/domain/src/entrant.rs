//! Entrants: the submission of a team, and the entrant that it becomes in a competition.

use crate::{AnswerWords, Digest, Division, Logic, Track, did_you_mean};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;
use std::str::FromStr;

/// The name of an entrant: letters, digits and `._+-`, starting with a letter or digit, so that it can be used in file
/// names and addresses.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct EntrantName(String);

impl EntrantName {
    /// The name as a string.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for EntrantName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl From<EntrantName> for String {
    fn from(name: EntrantName) -> Self {
        name.0
    }
}

/// An invalid description of an entrant.
#[derive(Debug, thiserror::Error)]
pub enum MalformedEntrant {
    /// The name cannot be used in a file name.
    #[error("'{0}' cannot name an entrant: use 1 to 64 letters, digits and ._+- starting with a letter or digit")]
    Name(String),
    /// The entrant has no command for any track.
    #[error("entrant '{0}' has no command: add one per track under [commands]")]
    NoCommand(EntrantName),
    /// The command for a track is empty.
    #[error("entrant '{0}' has an empty command for the {1} track")]
    EmptyCommand(EntrantName, Track),
    /// The command does not contain `{benchmark}` (R19-5.6).
    #[error(
        "entrant '{0}': the command for the {1} track does not contain {{benchmark}}; add it where the solver expects the \
         file (R19-5.6)"
    )]
    NoBenchmark(EntrantName, Track),
    /// A word is empty or maps to two answers.
    #[error("entrant '{0}': the word '{1}' under [answers] must be non-empty and stand for one answer")]
    AmbiguousWord(EntrantName, String),
    /// A path leads out of the entrant's directory.
    #[error("entrant '{0}': the path '{1}' leads out of the entrant's directory; use a relative path without '..'")]
    Outside(EntrantName, String),
    /// A pre-processor is a program of the machine, which could change unnoticed.
    #[error("entrant '{0}': the pre-processor '{1}' must be a program among the entrant's files, which are pinned")]
    OutsidePreprocessor(EntrantName, String),
    /// The name of a derived solver does not start with the name of its base solver (R19-3.3, R19-4.3).
    #[error("'{0}' is derived from '{1}', so its name must start with '{1}-' (R19-3.3)")]
    DerivedName(EntrantName, String),
    /// A wrapper does not name the exact version of a solver that it calls (R08-2.22, R19-4.2).
    #[error(
        "entrant '{0}' does not name the exact versions that it wraps: write \"solver version\" in wraps (R19-4.2)"
    )]
    WrappedVersion(EntrantName),
}

impl TryFrom<String> for EntrantName {
    type Error = MalformedEntrant;

    fn try_from(text: String) -> Result<Self, MalformedEntrant> {
        let allowed = |c: char| c.is_ascii_alphanumeric() || "._+-".contains(c);
        let starts_well = text.starts_with(|c: char| c.is_ascii_alphanumeric());
        if starts_well && text.len() <= 64 && text.chars().all(allowed) {
            Ok(Self(text))
        } else {
            Err(MalformedEntrant::Name(text))
        }
    }
}

impl FromStr for EntrantName {
    type Err = MalformedEntrant;

    fn from_str(text: &str) -> Result<Self, MalformedEntrant> {
        text.to_owned().try_into()
    }
}

/// How an entrant takes part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EntrantKind {
    /// Submitted by its authors; can win (R19-6.1).
    #[default]
    Competing,
    /// Run for comparison only (A11-19, R19-4.13).
    NonCompeting,
    /// Submitted by the organizers, and cannot win. Its magic number does not enter the seed (R08-2.21, R19-6.10).
    Organizer,
    /// Submitted by the organizers, and competes like any other. Its magic number does not enter the seed (R08-2.21,
    /// R19-6.10).
    CompetingOrganizer,
}

impl EntrantKind {
    /// Whether the entrant can win and makes a division competitive (R19-6.1).
    pub const fn can_win(self) -> bool {
        matches!(self, Self::Competing | Self::CompetingOrganizer)
    }

    /// Whether the entrant belongs to the organizers, who know the seed before it is drawn (R08-2.21, R19-6.10).
    pub const fn is_organizers(self) -> bool {
        matches!(self, Self::Organizer | Self::CompetingOrganizer)
    }

    /// The name in files and options.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Competing => "competing",
            Self::NonCompeting => "non-competing",
            Self::Organizer => "organizer",
            Self::CompetingOrganizer => "competing-organizer",
        }
    }

    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Competing, Self::NonCompeting, Self::Organizer, Self::CompetingOrganizer];
}

/// A word that does not name a kind of entrant.
#[derive(Debug, thiserror::Error)]
#[error("unknown kind of entrant '{0}'{hint}; the kinds are {all}", hint = did_you_mean(.0, EntrantKind::ALL.map(EntrantKind::name)), all = EntrantKind::ALL.map(EntrantKind::name).join(", "))]
pub struct UnknownKind(String);

impl FromStr for EntrantKind {
    type Err = UnknownKind;

    fn from_str(word: &str) -> Result<Self, UnknownKind> {
        Self::ALL.into_iter().find(|kind| kind.name() == word).ok_or_else(|| UnknownKind(word.to_owned()))
    }
}

/// One version of one solver, as its team describes it: the content of `entrant.toml`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Submission {
    /// The name of the entrant in the competition.
    pub name: EntrantName,
    /// The version of the solver.
    pub version: String,
    /// The team: entrants of one team are not "substantially different" (R19-6.1).
    pub team: String,
    /// How the entrant takes part; competing by default.
    #[serde(default)]
    pub kind: EntrantKind,
    /// The team's magic number for the seed: 32 bits, unsigned (R08-2.17, R19-4.9).
    pub magic: Option<u32>,
    /// The authors (R08-2.14, R19-4.10), each as "name" or "name (affiliation)".
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub authors: Vec<String>,
    /// The address of the person who answers for the entry (SL19-3).
    pub contact: Option<String>,
    /// The programming languages that the solver is written in (R08-2.15).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<String>,
    /// The basic approach of the solver (R08-2.15, R19-4.10).
    pub approach: Option<String>,
    /// Its main techniques, with references to the literature (R19-4.10).
    pub techniques: Option<String>,
    /// What a wrapper or derived solver does better than the solver it uses (R19-4.2, R19-4.3).
    pub innovations: Option<String>,
    /// Other tools that it uses, such as SAT solvers and libraries (R19-4.10).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// The license of the solver (R19-5.2).
    pub license: Option<String>,
    /// Whether the team agrees that the submission is published and evaluated in research (R19-5.2).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub consent: bool,
    /// The archive with the source code: a file in the entrant's directory, or a URL (R08-2.10).
    pub source: Option<String>,
    /// The solver's web site (R08-2.16).
    pub website: Option<String>,
    /// The system description: a file in the entrant's directory, or a URL (R08-2.13, R19-4.9).
    pub description: Option<String>,
    /// The solvers that a wrapper calls, each as "name version" (R19-4.2).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wraps: Vec<String>,
    /// Those of the wrapped solvers that were released before the previous competition (R08-2.25).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub older: Vec<String>,
    /// How the authors of the wrapped solvers gave their permission (R08-2.26).
    pub permission: Option<String>,
    /// The official entrant that this one is a corrected version of, run beside it without competing.
    pub corrects: Option<String>,
    /// The entrant that is another version of the same solver, which takes part in other tracks, as some did in 2011.
    pub version_of: Option<String>,
    /// Who wrote the adapter that lets the solver take part, if it is not its team.
    pub adapter: Option<String>,
    /// The divisions that the solver won the year before (R08-2.25).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub won: Vec<Division>,
    /// The base solver of a derived solver (R19-4.3).
    pub derived_from: Option<String>,
    /// Whether the solver is open source and can be recognized as the best such solver (R08-5.3).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub open_source: bool,
    /// The format of the solver's proofs, which determines their checker.
    pub proof_format: Option<String>,
    /// Whether the solver enters for the first time and can be recognized as a new entrant (R19-7.11).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub new: bool,
    /// The working directory of runs, relative to the entrant's directory: StarExec starts solvers in `bin`.
    pub start_in: Option<String>,
    /// The command per track. `{benchmark}` is replaced by the file's path. The first element is a path relative to the
    /// entrant's directory, or the absolute path of a program installed on the machine.
    pub commands: BTreeMap<Track, Vec<String>>,
    /// The words by which the solver states its answers to single queries, if they are not the usual ones.
    #[serde(default, skip_serializing_if = "AnswerWords::is_empty")]
    pub answers: AnswerWords,
    /// The command per track of a pre-processor, whose stdout is what the solver reads instead of the benchmark. It
    /// runs outside the time limit, where the rules allow that (SL19-19).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub preprocess: BTreeMap<Track, Vec<String>>,
    /// The logics entered per track; a track without an entry means all logics.
    #[serde(default, rename = "divisions", skip_serializing_if = "BTreeMap::is_empty")]
    pub logics: BTreeMap<Track, Vec<Logic>>,
}

impl Submission {
    /// A competing solver with a command for the single-query track; all optional fields are empty.
    pub fn new(name: EntrantName, version: &str, team: &str, command: Vec<String>) -> Self {
        Self {
            name,
            version: version.to_owned(),
            team: team.to_owned(),
            kind: EntrantKind::Competing,
            magic: None,
            authors: vec![],
            contact: None,
            languages: vec![],
            approach: None,
            techniques: None,
            innovations: None,
            tools: vec![],
            license: None,
            consent: false,
            source: None,
            older: vec![],
            permission: None,
            corrects: None,
            version_of: None,
            adapter: None,
            website: None,
            description: None,
            wraps: vec![],
            won: vec![],
            derived_from: None,
            open_source: false,
            proof_format: None,
            new: false,
            start_in: None,
            commands: BTreeMap::from([(Track::SingleQuery, command)]),
            answers: AnswerWords::default(),
            preprocess: BTreeMap::new(),
            logics: BTreeMap::new(),
        }
    }

    /// Whether the entrant enters this logic in this track (R08-3.4).
    pub fn enters(&self, track: Track, logic: &Logic) -> bool {
        self.commands.contains_key(&track) && self.logics.get(&track).is_none_or(|all| all.contains(logic))
    }

    /// A digest that identifies what runs in a track: these files, the command and the working directory.
    pub fn version_with(&self, files: Digest, track: Track) -> Digest {
        let words = self.commands.get(&track).map(|command| command.join("\0")).unwrap_or_default();
        let start = self.start_in.as_deref().unwrap_or_default();
        let before = self.preprocess.get(&track).map(|command| format!("\n{}", command.join("\0"))).unwrap_or_default();
        Digest::of_pieces([&files.as_bytes()[..], words.as_bytes(), b"\n", start.as_bytes(), before.as_bytes()])
    }

    /// Checks the rules that can be checked on the description alone.
    pub fn validate(&self) -> Result<(), MalformedEntrant> {
        if let Some(word) = self.answers.ambiguous() {
            return Err(MalformedEntrant::AmbiguousWord(self.name.clone(), word.to_owned()));
        }
        if self.commands.is_empty() {
            return Err(MalformedEntrant::NoCommand(self.name.clone()));
        }
        if let Some((track, _)) = self.commands.iter().find(|(_, command)| command.is_empty()) {
            return Err(MalformedEntrant::EmptyCommand(self.name.clone(), *track));
        }
        for (track, command) in &self.preprocess {
            if !command.iter().any(|word| word.contains("{benchmark}")) {
                return Err(MalformedEntrant::NoBenchmark(self.name.clone(), *track));
            }
            if let Some(program) = command.first().filter(|word| word.starts_with('/')) {
                return Err(MalformedEntrant::OutsidePreprocessor(self.name.clone(), program.clone()));
            }
        }
        for (track, command) in &self.commands {
            if !track.is_incremental() && !command.iter().any(|word| word.contains("{benchmark}")) {
                return Err(MalformedEntrant::NoBenchmark(self.name.clone(), *track));
            }
        }
        let programs = self.commands.values().chain(self.preprocess.values()).filter_map(|command| command.first());
        let programs = programs.filter(|word| !word.starts_with('/'));
        // The description is read and published, so it must not name a file of the organizers' machine.
        let documents = [&self.description, &self.source].into_iter().flatten().filter(|path| !path.contains("://"));
        if let Some(path) = programs.chain(&self.start_in).chain(documents).find(|path| !is_below(path)) {
            return Err(MalformedEntrant::Outside(self.name.clone(), path.clone()));
        }
        if let Some(base) = &self.derived_from
            && !self.name.as_str().starts_with(&format!("{base}-"))
        {
            return Err(MalformedEntrant::DerivedName(self.name.clone(), base.clone()));
        }
        if self.wraps.iter().any(|wrapped| wrapped.split_whitespace().count() < 2) {
            return Err(MalformedEntrant::WrappedVersion(self.name.clone()));
        }
        Ok(())
    }
}

/// A submission that was entered into a competition, pinned by the digest of its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrant {
    /// The description that the team submitted.
    pub submission: Submission,
    /// The digest of the entrant's files.
    pub files: Digest,
    /// The digest of the program outside the entrant's files that its commands run, if there is one.
    pub program: Option<Digest>,
    /// The archive as it was uploaded; `None` for a directory or an installed solver.
    pub upload: Option<Upload>,
}

/// An archive as it was uploaded, with digests that anyone can check with `md5sum` or `sha256sum` (R08-1.3).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Upload {
    /// The file name of the archive.
    pub file: String,
    /// Its size.
    pub bytes: u64,
    /// Its MD5 digest, in hexadecimal digits.
    pub md5: String,
    /// Its SHA-256 digest.
    pub sha256: Digest,
}

impl Entrant {
    /// A digest that identifies the version that runs in a track: files, command and working directory.
    pub fn version_in(&self, track: Track) -> Digest {
        self.submission.version_with(self.files, track)
    }

    /// A digest that identifies the pre-processor that runs in a track; `None` if there is none.
    pub fn preprocessor_in(&self, track: Track) -> Option<Digest> {
        let words = self.preprocess.get(&track)?.join("\0");
        let start = self.start_in.as_deref().unwrap_or_default();
        Some(Digest::of_pieces([&self.files.as_bytes()[..], words.as_bytes(), b"\n", start.as_bytes()]))
    }
}

/// The fields and methods of the submission can be used on the entrant directly.
impl Deref for Entrant {
    type Target = Submission;

    fn deref(&self) -> &Submission {
        &self.submission
    }
}

/// Whether a path is relative and has no empty, `.` or `..` component.
fn is_below(path: &str) -> bool {
    !path.is_empty() && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_leave_the_directory_are_rejected() {
        for (program, start_in, fits) in [
            ("bin/x", Some("bin"), true),
            ("/usr/bin/z3", None, true),
            ("../x", None, false),
            ("bin/../../x", None, false),
            ("x", Some("../.."), false),
            ("x", Some("/tmp"), false),
        ] {
            let mut entrant = entrant("x");
            entrant.commands.insert(Track::SingleQuery, vec![program.into(), "{benchmark}".into()]);
            entrant.start_in = start_in.map(str::to_owned);
            assert_eq!(entrant.validate().is_ok(), fits, "{program} {start_in:?}");
        }
    }

    #[test]
    fn descriptions_and_sources_are_files_of_the_entrant_or_addresses() {
        for (path, fits) in
            [("doc/a.pdf", true), ("https://example.org/../a", true), ("../a.pdf", false), ("/etc/passwd", false)]
        {
            let (mut described, mut open) = (entrant("x"), entrant("x"));
            (described.description, open.source) = (Some(path.into()), Some(path.into()));
            assert_eq!((described.validate().is_ok(), open.validate().is_ok()), (fits, fits), "{path}");
        }
    }

    #[test]
    fn r19_5_6_a_command_names_the_benchmark() {
        let mut entrant = entrant("x");
        entrant.commands.insert(Track::SingleQuery, vec!["bin/x".into(), "--file={benchmark}".into()]);
        assert!(entrant.validate().is_ok());
        entrant.commands.insert(Track::SingleQuery, vec!["bin/x".into()]);
        assert!(matches!(entrant.validate(), Err(MalformedEntrant::NoBenchmark(..))));
    }

    fn entrant(name: &str) -> Submission {
        Submission::new(name.parse().unwrap(), "1", "T", vec!["bin/x".into(), "{benchmark}".into()])
    }

    #[test]
    fn names_unsafe_in_file_names_are_rejected() {
        for bad in ["", "..", ".x", "-x", "a/b", "a b", "é", &"x".repeat(65)] {
            assert!(bad.parse::<EntrantName>().is_err(), "{bad}");
        }
        assert!("STP+MergeSAT-2.0".parse::<EntrantName>().is_ok());
    }

    #[test]
    fn r08_3_4_no_divisions_means_all() {
        let mut entrant = entrant("x");
        assert!(entrant.enters(Track::SingleQuery, &Logic("QF_BV".into())));
        assert!(!entrant.enters(Track::Incremental, &Logic("QF_BV".into())));
        entrant.logics.insert(Track::SingleQuery, vec![Logic("LIA".into())]);
        assert!(!entrant.enters(Track::SingleQuery, &Logic("QF_BV".into())));
    }

    #[test]
    fn r19_3_3_and_r19_4_3_derived_tools_carry_the_base_name() {
        let mut derived = entrant("mine");
        derived.derived_from = Some("base".into());
        assert!(matches!(derived.validate(), Err(MalformedEntrant::DerivedName(..))));
        derived.name = "base-mine".parse().unwrap();
        assert!(derived.validate().is_ok());
    }

    #[test]
    fn r19_4_2_wrappers_name_exact_versions() {
        let mut wrapper = entrant("w");
        wrapper.wraps = vec!["z3".into()];
        assert!(matches!(wrapper.validate(), Err(MalformedEntrant::WrappedVersion(_))));
        wrapper.wraps = vec!["z3 5.4.0".into()];
        assert!(wrapper.validate().is_ok());
    }

    #[test]
    fn r19_4_13_and_r19_6_1_only_competing_entrants_can_win() {
        assert!(EntrantKind::Competing.can_win());
        assert!(!EntrantKind::NonCompeting.can_win());
        assert!(!EntrantKind::Organizer.can_win());
        assert!(EntrantKind::CompetingOrganizer.can_win());
    }
}
