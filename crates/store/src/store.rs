//! Opens and upgrades the database, and runs transactions.

use crate::StoreError;
use crate::outputs::Outputs;
use rusqlite::{Connection, ErrorCode, Row, Transaction, TransactionBehavior};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The migrations. The format of a database is the number of migrations applied to it.
const MIGRATIONS: [&str; 6] = [
    include_str!("../migrations/0001.sql"),
    include_str!("../migrations/0002.sql"),
    include_str!("../migrations/0003.sql"),
    include_str!("../migrations/0004.sql"),
    include_str!("../migrations/0005.sql"),
    include_str!("../migrations/0006.sql"),
];

/// SQLite's application id in the header of the database: "AGON".
const APPLICATION: i32 = 0x4147_4f4e;

/// The database of a competition.
#[derive(Debug)]
pub struct Store {
    pub(crate) connection: Connection,
    pub(crate) file: PathBuf,
    pub(crate) long_outputs: Outputs,
}

/// Switches the journal mode. Retries, since SQLite fails without waiting if two processes do this at the same time.
fn set_journal(connection: &Connection, mode: &str) -> rusqlite::Result<()> {
    let mut tries = 0;
    loop {
        match connection.pragma_update(None, "journal_mode", mode) {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && tries < 1000 => {
                tries += 1;
                std::thread::sleep(Duration::from_millis(10));
            }
            done => return done,
        }
    }
}

impl Store {
    /// Opens the database, creating or upgrading it as needed.
    pub fn open(file: &Path) -> Result<Self, StoreError> {
        let failed = |error| StoreError::sqlite(file, error);
        let mut connection = Connection::open(file).map_err(failed)?;
        connection.busy_timeout(Duration::from_secs(30)).map_err(failed)?;
        connection.pragma_update(None, "synchronous", "FULL").map_err(failed)?;
        // A migration may replace a table that is the target of foreign keys.
        connection.pragma_update(None, "foreign_keys", false).map_err(failed)?;
        // A write-ahead log requires shared memory, which does not work across machines.
        let is_shared = is_on_network(file);
        if is_shared {
            set_journal(&connection, "DELETE").map_err(failed)?;
        }
        if format_of(&connection, file)? < MIGRATIONS.len() as u32 {
            set_journal(&connection, if is_shared { "DELETE" } else { "WAL" }).map_err(failed)?;
            // Another process may be migrating too. The transaction makes one wait, and it then finds the work done.
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
            for step in &MIGRATIONS[format_of(&transaction, file)? as usize..] {
                transaction.execute_batch(step).map_err(failed)?;
            }
            transaction.pragma_update(None, "application_id", APPLICATION).map_err(failed)?;
            transaction.pragma_update(None, "user_version", MIGRATIONS.len() as u32).map_err(failed)?;
            transaction.commit().map_err(failed)?;
        }
        connection.pragma_update(None, "foreign_keys", true).map_err(failed)?;
        let directory = file.parent().unwrap_or(Path::new(".")).join("outputs");
        Ok(Self { connection, file: file.to_owned(), long_outputs: Outputs::new(directory) })
    }

    /// Closes the database so that its file alone contains everything. Fails if another process is using it.
    pub fn close_whole(self) -> Result<(), StoreError> {
        let sql = "PRAGMA wal_checkpoint(TRUNCATE)";
        let busy =
            self.connection.query_row(sql, [], |row| row.get::<_, i64>(0)).map_err(|error| self.failed(error))?;
        if busy != 0 {
            return Err(StoreError::Invalid(
                self.file,
                "another process is using it; try again when it is done".into(),
            ));
        }
        let file = self.file;
        self.connection.close().map_err(|(_, error)| StoreError::sqlite(&file, error))
    }

    /// Runs `act` in one transaction.
    pub(crate) fn whole<T>(
        &mut self,
        act: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let file = &self.file;
        let failed = |error| StoreError::sqlite(file, error);
        // Take the write lock at the start: SQLite fails without waiting if a transaction that began as a reader wants
        // to write while another process is writing.
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
        let result = act(&transaction).map_err(failed)?;
        transaction.commit().map_err(failed)?;
        Ok(result)
    }

    pub(crate) fn failed(&self, error: rusqlite::Error) -> StoreError {
        StoreError::sqlite(&self.file, error)
    }

    pub(crate) fn query<T>(
        &self,
        sql: &str,
        parameters: impl rusqlite::Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let mut statement = self.connection.prepare(sql).map_err(|error| self.failed(error))?;
        let rows = statement.query_map(parameters, read).map_err(|error| self.failed(error))?;
        rows.collect::<rusqlite::Result<Vec<T>>>().map_err(|error| match error {
            rusqlite::Error::FromSqlConversionFailure(_, _, cause) => {
                StoreError::Invalid(self.file.clone(), cause.to_string())
            }
            other => self.failed(other),
        })
    }
}

/// Whether a file is on a network or cluster file system, by the magic number of its type.
fn is_on_network(file: &Path) -> bool {
    const SHARED: [i64; 9] = [
        0x6969,      // NFS
        0xff53_4d42, // CIFS
        0xfe53_4d42, // SMB 2
        0x0bd0_0bd0, // Lustre
        0x4750_4653, // GPFS
        0x1983_0326, // BeeGFS
        0x00c3_6400, // Ceph
        0x5346_414f, // AFS
        0x0102_1997, // 9P
    ];
    rustix::fs::statfs(file).is_ok_and(|kind| SHARED.contains(&kind.f_type))
}

/// The format of a database; 0 if it is new. Fails if it belongs to another application or a newer version.
fn format_of(connection: &Connection, file: &Path) -> Result<u32, StoreError> {
    let ask = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    let failed = |error| StoreError::sqlite(file, error);
    let tables = ask("SELECT count(*) FROM sqlite_schema").map_err(failed)?;
    if tables > 0 && ask("PRAGMA application_id").map_err(failed)? != i64::from(APPLICATION) {
        return Err(StoreError::Foreign(file.to_owned()));
    }
    let format = ask("PRAGMA user_version").map_err(failed)? as u32;
    let known = MIGRATIONS.len() as u32;
    if format > known { Err(StoreError::Newer(file.to_owned(), format, known)) } else { Ok(format) }
}

#[cfg(test)]
mod tests;
