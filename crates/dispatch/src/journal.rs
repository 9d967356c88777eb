//! A worker's journal: an append-only file. Each entry has its length and digest, so that a worker that is killed while
//! writing loses only the last entry.

use crate::task::Done;
use agon_domain::{Digest, FailedAttempt, Outcome, PairId};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// The length of an entry's header: the length of its body, and the body's digest.
const HEAD: usize = 8 + 32;

/// The maximum length of an entry. A larger value in a header means that the file is corrupt.
const LONGEST: u64 = 8 << 30;

/// The size at which a read stops after the current entry, since a whole journal may not fit into memory.
const AT_ONCE: u64 = 32 << 20;

/// The first line of an entry, as JSON. The solver's stdout and stderr follow it.
#[derive(Serialize, Deserialize)]
struct Facts {
    outcome: Outcome,
    faults: Vec<FailedAttempt>,
    stdout_bytes: usize,
}

/// A journal opened for writing, and locked against other writers.
#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
}

/// Entries read from a journal, starting at some offset.
#[derive(Debug, Default)]
pub(crate) struct Entries {
    pub(crate) done: Vec<Done>,
    /// The offset of the end of the last complete entry.
    pub(crate) end: u64,
}

impl Journal {
    /// Opens a journal for appending, and returns it with the pairs it contains. Truncates an incomplete last entry.
    /// Returns `None` if another process is writing to it.
    pub(crate) fn open(path: &Path) -> io::Result<Option<(Self, HashSet<PairId>)>> {
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        let (mut pairs, mut end) = (HashSet::new(), 0);
        loop {
            let entries = read_entries(&file, end)?;
            pairs.extend(entries.done.iter().map(|done| done.outcome.pair));
            if entries.end == end {
                break;
            }
            end = entries.end;
        }
        file.set_len(end)?;
        file.seek(SeekFrom::Start(end))?;
        Ok(Some((Self { file }, pairs)))
    }

    /// Appends an entry and syncs it to disk.
    pub(crate) fn append(&mut self, done: &Done) -> io::Result<()> {
        let facts =
            Facts { outcome: done.outcome.clone(), faults: done.faults.clone(), stdout_bytes: done.stdout.len() };
        let mut entry = vec![0; HEAD];
        serde_json::to_writer(&mut entry, &facts)?;
        entry.push(b'\n');
        entry.extend_from_slice(&done.stdout);
        entry.extend_from_slice(&done.stderr);
        let (head, body) = entry.split_at_mut(HEAD);
        head[..8].copy_from_slice(&(body.len() as u64).to_le_bytes());
        head[8..].copy_from_slice(Digest::of(body).as_bytes());
        self.file.write_all(&entry)?;
        self.file.sync_data()
    }
}

/// Reads complete entries starting at an offset, up to about [`AT_ONCE`] bytes. A missing journal is empty.
pub(crate) fn read_from(path: &Path, start: u64) -> io::Result<Entries> {
    match File::open(path) {
        Ok(file) => read_entries(&file, start),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Entries { done: vec![], end: start }),
        Err(error) => Err(error),
    }
}

fn read_entries(file: &File, start: u64) -> io::Result<Entries> {
    let length = file.metadata()?.len();
    let mut entries = Entries { done: vec![], end: start };
    let mut reader = BufReader::new(file);
    reader.seek(SeekFrom::Start(start))?;
    while entries.end - start < AT_ONCE {
        let mut head = [0; HEAD];
        if length.saturating_sub(entries.end) < HEAD as u64 || reader.read_exact(&mut head).is_err() {
            return Ok(entries);
        }
        let size = u64::from_le_bytes(*head.first_chunk().unwrap_or(&[0; 8]));
        if size > LONGEST || length - entries.end - (HEAD as u64) < size {
            return Ok(entries);
        }
        let mut body = vec![0; size as usize];
        reader.read_exact(&mut body)?;
        let Some(done) = (Digest::of(&body).as_bytes() == &head[8..]).then(|| parse(&body)).flatten() else {
            return Ok(entries);
        };
        entries.done.push(done);
        entries.end += HEAD as u64 + size;
    }
    Ok(entries)
}

fn parse(body: &[u8]) -> Option<Done> {
    let line = body.iter().position(|byte| *byte == b'\n')?;
    let Facts { outcome, faults, stdout_bytes } = serde_json::from_slice(&body[..line]).ok()?;
    let (stdout, stderr) = body[line + 1..].split_at_checked(stdout_bytes)?;
    Some(Done { outcome, faults, stdout: stdout.to_vec(), stderr: stderr.to_vec() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_domain::{Ending, Limits, Time};
    use std::fs;

    fn done(pair: i64) -> Done {
        let stdout = format!("sat\n\0{pair}").into_bytes();
        let outcome = Outcome {
            pair: PairId(pair),
            attempt: 2,
            reason: "first".into(),
            limits: Limits::new(Time::from_nanos(3_123_456_000), 1 << 20, 1),
            started: 7,
            wall: Time::from_nanos(1),
            cpu: Time::from_nanos(2),
            system: Time::from_nanos(3),
            memory_bytes: Some(4),
            anonymous_bytes: None,
            processes: Some(1),
            ending: Ending::Signal(9),
            limit: Some(agon_domain::Limit::Wall),
            stdout: Digest::of(&stdout),
            stderr: Digest::of(b"warning"),
            host: "n1".into(),
            isolation: "all".into(),
            surroundings: "{}".into(),
            disturbance: None,
        };
        let fault =
            FailedAttempt { pair: PairId(pair), attempt: 1, started: 6, host: "n0".into(), message: "no\nroom".into() };
        Done { outcome, stdout, stderr: b"warning".to_vec(), faults: vec![fault] }
    }

    #[test]
    fn entries_round_trip_and_can_be_appended() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("journal");
        let (mut journal, before) = Journal::open(&path).unwrap().unwrap();
        assert!(before.is_empty());
        assert!(Journal::open(&path).unwrap().is_none(), "nobody else may write");
        journal.append(&done(1)).unwrap();
        journal.append(&done(2)).unwrap();
        let first = read_from(&path, 0).unwrap();
        assert_eq!(first.done, [done(1), done(2)]);
        journal.append(&done(3)).unwrap();
        assert_eq!(read_from(&path, first.end).unwrap().done, [done(3)]);
        drop(journal);
        assert_eq!(Journal::open(&path).unwrap().unwrap().1.len(), 3);
        assert!(read_from(&directory.path().join("none"), 0).unwrap().done.is_empty());
    }

    #[test]
    fn a_truncated_journal_keeps_its_complete_entries() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("journal");
        let (mut journal, _) = Journal::open(&path).unwrap().unwrap();
        journal.append(&done(1)).unwrap();
        let one = fs::metadata(&path).unwrap().len();
        journal.append(&done(2)).unwrap();
        drop(journal);
        let whole = fs::read(&path).unwrap();
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            let (mut journal, before) = Journal::open(&path).unwrap().unwrap();
            assert_eq!(before.len(), usize::from(length as u64 >= one), "{length}");
            journal.append(&done(3)).unwrap();
            drop(journal);
            let now = read_from(&path, 0).unwrap().done;
            assert_eq!(now.last(), Some(&done(3)));
            assert_eq!(now.len(), before.len() + 1);
        }
    }

    #[test]
    fn a_corrupt_byte_is_detected() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("journal");
        let (mut journal, _) = Journal::open(&path).unwrap().unwrap();
        journal.append(&done(1)).unwrap();
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 0x40;
            fs::write(&path, &changed).unwrap();
            assert!(read_from(&path, 0).unwrap().done.is_empty(), "byte {at}");
        }
    }
}
