//! Long outputs: compressed files named by their digests, so that equal outputs are stored once.

use crate::{StoreError, write_whole};
use agon_domain::Digest;
use std::fs;
use std::path::PathBuf;

/// The directory of a competition's long outputs. Short outputs are in the database; most have only a few bytes.
#[derive(Clone, Debug)]
pub(crate) struct Outputs {
    directory: PathBuf,
}

impl Outputs {
    /// The outputs in this directory.
    pub(crate) fn new(directory: PathBuf) -> Self {
        Self { directory }
    }

    fn file(&self, digest: &Digest) -> PathBuf {
        let name = digest.to_string();
        self.directory.join(&name[..2]).join(format!("{}.zst", &name[2..]))
    }

    /// Stores an output, syncs it to disk and returns its digest.
    pub(crate) fn put(&self, bytes: &[u8]) -> Result<Digest, StoreError> {
        let digest = Digest::of(bytes);
        let file = self.file(&digest);
        // An existing but corrupt file is rewritten.
        if !file.exists() || self.get(&digest).is_err() {
            let failed = |error| StoreError::io(&self.directory, error);
            let packed = zstd::encode_all(bytes, 3).map_err(failed)?;
            write_whole(&file, &packed).map_err(failed)?;
        }
        Ok(digest)
    }

    /// The bytes of an output.
    pub(crate) fn get(&self, digest: &Digest) -> Result<Vec<u8>, StoreError> {
        let lost = || StoreError::LostOutput(*digest, self.directory.clone());
        let packed = fs::read(self.file(digest)).map_err(|_| lost())?;
        let bytes = zstd::decode_all(packed.as_slice()).map_err(|_| lost())?;
        if Digest::of(&bytes) == *digest { Ok(bytes) } else { Err(lost()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn storing_an_output_twice_returns_the_same_digest() {
        let root = tempfile::tempdir().unwrap();
        let outputs = Outputs::new(root.path().join("outputs"));
        let digest = outputs.put(b"sat\n").unwrap();
        assert_eq!(outputs.put(b"sat\n").unwrap(), digest);
        assert_eq!(outputs.get(&digest).unwrap(), b"sat\n");
    }

    #[test]
    fn a_corrupt_or_missing_output_is_an_error() {
        let root = tempfile::tempdir().unwrap();
        let outputs = Outputs::new(root.path().to_owned());
        let digest = outputs.put(b"sat\n").unwrap();
        fs::write(outputs.file(&digest), zstd::encode_all(&b"unsat\n"[..], 3).unwrap()).unwrap();
        assert!(matches!(outputs.get(&digest), Err(StoreError::LostOutput(..))));
        assert!(matches!(outputs.get(&Digest::of(b"never")), Err(StoreError::LostOutput(..))));
        outputs.put(b"sat\n").unwrap();
        assert_eq!(outputs.get(&digest).unwrap(), b"sat\n");
    }
}
