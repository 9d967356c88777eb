//! The directory of a competition.

use crate::{Store, StoreError, write_whole};
use agon_domain::{Digest, Entrant, EntrantName, MalformedEntrant, Submission, Track, Upload};
use agon_edition::{Calendar, Damage, Entry, Log, Proposal, Refused};
use agon_library::{IndexError, Library};
use agon_rulebook::{Rulebook, RulebookError};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// The content of `agon.toml`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    rulebook: String,
    title: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    allow_unconfined: bool,
    #[serde(default, skip_serializing_if = "toml::Table::is_empty")]
    rules: toml::Table,
    #[serde(default, skip_serializing)]
    calendar: Calendar,
}

/// Whether a competition requires confined runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confinement {
    /// Required: a machine that cannot confine runs must not run any.
    Required,
    /// Optional: `--unconfined` is allowed, and is recorded in each outcome.
    Optional,
}

/// A competition: its directory and its rules.
#[derive(Clone, Debug)]
pub struct Competition {
    directory: PathBuf,
    title: String,
    confinement: Confinement,
    rulebook: Rulebook,
    calendar: Calendar,
    override_reason: Option<String>,
}

/// The reason why the directory of a competition cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CompetitionError {
    /// The directory does not contain a competition.
    #[error(
        "{0} is not a competition (it has no agon.toml); create one with 'agon init {0} --rules RULEBOOK', or name its \
         directory with -C"
    )]
    None(PathBuf),
    /// The directory already contains a competition.
    #[error("{0} is already a competition; its agon.toml was not changed")]
    Already(PathBuf),
    /// A file of the competition is malformed.
    #[error("{0}: {1}")]
    Malformed(PathBuf, String),
    /// The rulebook is unknown, or the changes to it are invalid.
    #[error("{0}: {1}")]
    Rules(PathBuf, RulebookError),
    /// An entrant's description violates a rule.
    #[error("{0}: {1}")]
    Entrant(PathBuf, MalformedEntrant),
    /// The log of decisions is damaged.
    #[error("{0}: {1}; restore the file from a copy, since decisions are only ever added")]
    Log(PathBuf, Damage),
    /// A decision cannot be recorded.
    #[error("{0}")]
    Decision(#[from] Refused),
    /// Another process is running the competition's pairs.
    #[error("another agon process is running the pairs of {0}; wait for it or stop it")]
    Busy(PathBuf),
    /// A file could not be read or written.
    #[error("{0}: {1}")]
    Io(PathBuf, io::Error),
}

impl Competition {
    /// Creates a new competition with `rules` as changes to its rulebook.
    pub fn init(
        directory: &Path,
        rulebook: &str,
        title: &str,
        rules: toml::Table,
        confinement: Confinement,
    ) -> Result<Self, CompetitionError> {
        let file = directory.join("agon.toml");
        if file.exists() {
            return Err(CompetitionError::Already(directory.to_owned()));
        }
        Rulebook::with_changes(rulebook, &rules).map_err(|e| CompetitionError::Rules(file.clone(), e))?;
        let allow_unconfined = confinement == Confinement::Optional;
        let settings = Settings {
            rulebook: rulebook.to_owned(),
            title: title.to_owned(),
            allow_unconfined,
            rules,
            calendar: Calendar::default(),
        };
        let text = toml::to_string_pretty(&settings).map_err(|e| malformed(&file, &e))?;
        let comment = "# The settings of this competition. [rules] overrides fields of the rulebook, for instance\n\
                       #   [rules.tracks.single-query.limits]\n#   wall_s = 60\n\n";
        write(&file, format!("{comment}{text}").as_bytes())?;
        Self::open(directory)
    }

    /// Opens an existing competition.
    pub fn open(directory: &Path) -> Result<Self, CompetitionError> {
        let file = directory.join("agon.toml");
        let text = match fs::read_to_string(&file) {
            Ok(text) => text,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Err(CompetitionError::None(directory.to_owned())),
            Err(e) => return Err(CompetitionError::Io(file, e)),
        };
        let settings: Settings = toml::from_str(&text).map_err(|e| malformed(&file, &e))?;
        let rulebook = Rulebook::with_changes(&settings.rulebook, &settings.rules)
            .map_err(|e| CompetitionError::Rules(file.clone(), e))?;
        let confinement = if settings.allow_unconfined { Confinement::Optional } else { Confinement::Required };
        Ok(Self {
            directory: directory.to_owned(),
            title: settings.title,
            confinement,
            rulebook,
            calendar: settings.calendar,
            override_reason: None,
        })
    }

    /// The competition with the organizers' reason for taking steps outside their windows in the calendar.
    #[must_use]
    pub fn with_override(mut self, reason: Option<String>) -> Self {
        self.override_reason = reason;
        self
    }

    /// The organizers' reason for taking steps outside their windows, if they gave one.
    pub fn override_reason(&self) -> Option<&str> {
        self.override_reason.as_deref()
    }

    /// The calendar of the competition.
    pub fn calendar(&self) -> &Calendar {
        &self.calendar
    }

    /// The title of the competition.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Whether unconfined runs are allowed.
    pub fn allows_unconfined(&self) -> bool {
        self.confinement == Confinement::Optional
    }

    /// The rulebook, with the competition's changes.
    pub fn rulebook(&self) -> &Rulebook {
        &self.rulebook
    }

    /// The directory of the competition.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The file with the ledger of the seed.
    pub fn seed_file(&self) -> PathBuf {
        self.directory.join("seed.toml")
    }

    /// The file with the selection of a track and its reasons.
    pub fn selection_file(&self, track: Track) -> PathBuf {
        match track {
            Track::SingleQuery => self.directory.join("selection.tsv"),
            other => self.directory.join(format!("selection-{other}.tsv")),
        }
    }

    /// The directory of the published site.
    pub fn site(&self) -> PathBuf {
        self.directory.join("site")
    }

    /// The directory of the prepared benchmarks of a track.
    pub fn prepared_folder(&self, track: Track) -> PathBuf {
        self.directory.join("prepared").join(track.name())
    }

    /// The file that a solver gets for a prepared benchmark.
    pub fn prepared_file(&self, track: Track, digest: &Digest) -> PathBuf {
        prepared_in(&self.prepared_folder(track), digest)
    }

    /// The directory of what pre-processors made of prepared benchmarks (SL19-19).
    pub fn inputs_folder(&self, track: Track) -> PathBuf {
        self.directory.join("inputs").join(track.name())
    }

    /// The path of the input that a pre-processor made, with this extension.
    pub fn input_with_extension(&self, track: Track, digest: &Digest, extension: &str) -> PathBuf {
        prepared_as(&self.inputs_folder(track), digest, extension)
    }

    /// The path to which a benchmark is prepared, with this extension.
    pub fn prepared_with_extension(&self, track: Track, digest: &Digest, extension: &str) -> PathBuf {
        prepared_as(&self.prepared_folder(track), digest, extension)
    }

    /// The directory of the rounds on a cluster.
    pub fn cluster_folder(&self) -> PathBuf {
        self.directory.join("slurm")
    }

    /// The table of the original names in a prepared benchmark. It is named by the digest of the original file, so that
    /// it cannot be found from the prepared file.
    pub fn names_file(&self, track: Track, original: &Digest) -> PathBuf {
        let name = original.to_string();
        self.directory.join("names").join(track.name()).join(&name[..2]).join(format!("{name}.tsv"))
    }

    /// The directory with the unpacked files of a version of an entrant.
    pub fn entrant_folder(&self, digest: &Digest) -> PathBuf {
        self.directory.join("archives").join(digest.to_string())
    }

    /// The file of an archive as it was uploaded.
    pub fn upload_file(&self, upload: &Upload) -> PathBuf {
        self.directory.join("uploads").join(upload.sha256.to_string()).join(&upload.file)
    }

    fn entrant_file(&self, name: &EntrantName) -> PathBuf {
        self.directory.join("entrants").join(format!("{name}.toml"))
    }

    /// Enters a solver, or a new version of one.
    pub fn enter(&self, entrant: &Entrant) -> Result<(), CompetitionError> {
        let file = self.entrant_file(&entrant.name);
        let text = entrant_text(entrant).map_err(|e| malformed(&file, &e))?;
        write(&file, text.as_bytes())
    }

    /// Removes an entrant. Its outcomes are kept. Returns false if there is no entrant with that name.
    pub fn withdraw(&self, name: &EntrantName) -> Result<bool, CompetitionError> {
        let file = self.entrant_file(name);
        match fs::remove_file(&file) {
            Ok(()) => Ok(true),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(e) => Err(CompetitionError::Io(file, e)),
        }
    }

    /// All entrants, sorted by name.
    pub fn entrants(&self) -> Result<Vec<Entrant>, CompetitionError> {
        let directory = self.directory.join("entrants");
        let mut files: Vec<PathBuf> = match fs::read_dir(&directory) {
            Ok(items) => items.filter_map(|item| item.ok().map(|item| item.path())).collect(),
            Err(e) if e.kind() == io::ErrorKind::NotFound => vec![],
            Err(e) => return Err(CompetitionError::Io(directory, e)),
        };
        files.retain(|file| file.extension().is_some_and(|end| end == "toml"));
        files.sort_unstable();
        files.iter().map(|file| read_entrant(file)).collect()
    }

    /// The file with the log of decisions.
    pub fn log_file(&self) -> PathBuf {
        self.directory.join("decisions.jsonl")
    }

    /// The log of decisions. A log that was edited is an error.
    pub fn log(&self) -> Result<Log, CompetitionError> {
        let file = self.log_file();
        let text = match fs::read_to_string(&file) {
            Ok(text) => text,
            Err(e) if e.kind() == io::ErrorKind::NotFound => String::new(),
            Err(e) => return Err(CompetitionError::Io(file, e)),
        };
        Log::read(&text).map_err(|damage| CompetitionError::Log(file, damage))
    }

    /// Records a decision at the end of the log, and returns its entry.
    pub fn decide(&self, proposal: Proposal) -> Result<Entry, CompetitionError> {
        let _lock = self.wait_for_lock("decisions.lock")?;
        let mut log = self.log()?;
        let entry = log.append(proposal, jiff::Timestamp::now())?.clone();
        // The whole file is replaced, so that an interruption cannot leave half an entry.
        write(&self.log_file(), log.to_text().as_bytes())?;
        Ok(entry)
    }

    /// The index of the competition's library.
    pub fn library(&self) -> Result<Library, IndexError> {
        Library::read(&self.library_file())
    }

    /// Replaces the index of the competition's library.
    pub fn set_library(&self, library: &Library) -> Result<(), CompetitionError> {
        write(&self.library_file(), &library.to_table())
    }

    /// The file of the library's index.
    pub fn library_file(&self) -> PathBuf {
        self.directory.join("library").join("index.tsv")
    }

    /// Opens the database of the competition.
    pub fn store(&self) -> Result<Store, StoreError> {
        Store::open(&self.directory.join("agon.db"))
    }

    /// Takes the lock for running pairs. It is released when it is dropped or its holder dies. Child processes of a
    /// killed holder may keep it for a moment, so this retries for two seconds.
    pub fn lock_runs(&self) -> Result<Lock, CompetitionError> {
        for _ in 0..100 {
            if let Some(lock) = self.try_lock_runs()? {
                return Ok(lock);
            }
            thread::sleep(Duration::from_millis(20));
        }
        Err(CompetitionError::Busy(self.directory.clone()))
    }

    /// Whether a process is running the competition's pairs now.
    pub fn is_running(&self) -> Result<bool, CompetitionError> {
        Ok(self.try_lock_runs()?.is_none())
    }

    /// Takes the lock for changing the library's index. Waits until other holders release it.
    pub fn lock_library(&self) -> Result<Lock, CompetitionError> {
        self.wait_for_lock("library.lock")
    }

    fn wait_for_lock(&self, name: &str) -> Result<Lock, CompetitionError> {
        let path = self.directory.join(name);
        let locked = File::create(&path).and_then(|file| file.lock().map(|()| file));
        Ok(Lock { _file: locked.map_err(|e| CompetitionError::Io(path, e))? })
    }

    fn try_lock_runs(&self) -> Result<Option<Lock>, CompetitionError> {
        let path = self.directory.join("run.lock");
        let file = File::create(&path).map_err(|e| CompetitionError::Io(path.clone(), e))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Lock { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(e)) => Err(CompetitionError::Io(path, e)),
        }
    }
}

/// The file of a prepared benchmark in the directory of its track. It is named by its digest, which reveals nothing
/// about the original. A benchmark of version 1.2 ends in `.smt`, since solvers choose their parser by the extension
/// (R08-3.3).
pub fn prepared_in(directory: &Path, digest: &Digest) -> PathBuf {
    let old = prepared_as(directory, digest, "smt");
    if old.exists() { old } else { prepared_as(directory, digest, "smt2") }
}

fn prepared_as(directory: &Path, digest: &Digest, extension: &str) -> PathBuf {
    let name = digest.to_string();
    directory.join(&name[..2]).join(format!("{name}.{extension}"))
}

/// An exclusive file lock, held until it is dropped.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

/// Reads an entrant's file: its submission and the digests that pin it.
fn read_entrant(file: &Path) -> Result<Entrant, CompetitionError> {
    let text = fs::read_to_string(file).map_err(|e| CompetitionError::Io(file.to_owned(), e))?;
    let mut table: toml::Table = toml::from_str(&text).map_err(|e| malformed(file, &e))?;
    let mut digest = |key: &str| -> Result<Option<Digest>, CompetitionError> {
        table.remove(key).map(|value| value.try_into().map_err(|e: toml::de::Error| malformed(file, &e))).transpose()
    };
    let (files, program) = (digest("digest")?, digest("program_digest")?);
    let upload = table.remove("upload").map(Upload::deserialize).transpose().map_err(|e| malformed(file, &e))?;
    if let Some(upload) =
        upload.as_ref().filter(|upload| Path::new(&upload.file).file_name() != Some(upload.file.as_ref()))
    {
        return Err(malformed(file, &format!("upload.file is '{}', which is not a file name", upload.file)));
    }
    let submission: Submission = table.try_into().map_err(|e| malformed(file, &e))?;
    submission.validate().map_err(|e| CompetitionError::Entrant(file.to_owned(), e))?;
    if file.file_stem().is_none_or(|stem| stem != submission.name.as_str()) {
        let remedy = format!("the file of entrant '{}' must be named {0}.toml", submission.name);
        return Err(CompetitionError::Malformed(file.to_owned(), remedy));
    }
    let files = files.ok_or_else(|| {
        let remedy = "the digest is missing; add entrants with 'agon entrant add', not by hand";
        CompetitionError::Malformed(file.to_owned(), remedy.to_owned())
    })?;
    Ok(Entrant { submission, files, program, upload })
}

/// The content of an entrant's file.
fn entrant_text(entrant: &Entrant) -> Result<String, toml::ser::Error> {
    let mut table = toml::Table::try_from(&entrant.submission)?;
    table.insert("digest".into(), entrant.files.to_string().into());
    if let Some(program) = &entrant.program {
        table.insert("program_digest".into(), program.to_string().into());
    }
    if let Some(upload) = &entrant.upload {
        table.insert("upload".into(), toml::Value::try_from(upload)?);
    }
    toml::to_string_pretty(&table)
}

fn malformed(file: &Path, error: &impl ToString) -> CompetitionError {
    CompetitionError::Malformed(file.to_owned(), error.to_string().trim_end().to_owned())
}

fn write(file: &Path, bytes: &[u8]) -> Result<(), CompetitionError> {
    write_whole(file, bytes).map_err(|e| CompetitionError::Io(file.to_owned(), e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_competition_opens_with_its_changes() {
        let root = tempfile::tempdir().unwrap();
        let directory = root.path().join("comp");
        let changes = toml::from_str("[tracks.single-query.limits]\nwall_s = 5").unwrap();
        Competition::init(&directory, "smtcomp-2019", "Mine", changes, Confinement::Required).unwrap();
        let competition = Competition::open(&directory).unwrap();
        assert_eq!(competition.title(), "Mine");
        assert_eq!(competition.rulebook().tracks[&Track::SingleQuery].limits.wall.as_secs_f64(), 5.0);
        let again = Competition::init(&directory, "smtcomp-2019", "Other", toml::Table::new(), Confinement::Required);
        assert!(matches!(again, Err(CompetitionError::Already(_))));
    }

    #[test]
    fn errors_name_the_malformed_file() {
        let root = tempfile::tempdir().unwrap();
        assert!(matches!(Competition::open(root.path()), Err(CompetitionError::None(_))));
        for (text, word) in [
            ("rulebook = 3", "agon.toml"),
            ("rulebook = \"smtcomp-1900\"\ntitle = \"\"", "smtcomp-2019"),
            ("rulebook = \"smtcomp-2019\"\ntitle = \"\"\n[rules]\nteam = 1", "team"),
            ("rulebook = \"smtcomp-2019\"\ntitle = \"\"\nlimit = 1", "limit"),
        ] {
            fs::write(root.path().join("agon.toml"), text).unwrap();
            let error = Competition::open(root.path()).unwrap_err().to_string();
            assert!(error.contains("agon.toml") && error.contains(word), "{error}");
        }
    }

    #[test]
    fn the_lock_for_runs_is_exclusive() {
        let root = tempfile::tempdir().unwrap();
        let competition =
            Competition::init(root.path(), "smtcomp-2019", "Mine", toml::Table::new(), Confinement::Required).unwrap();
        let lock = competition.lock_runs().unwrap();
        assert!(matches!(competition.lock_runs(), Err(CompetitionError::Busy(_))));
        drop(lock);
        assert!(competition.lock_runs().is_ok());
    }
}
