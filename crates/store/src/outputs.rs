//! What solvers wrote: compressed, and named by its digest, so that equal outputs are kept once.

use crate::{StoreError, write_whole};
use agon_domain::Digest;
use std::fs;
use std::path::PathBuf;

/// The folder of outputs of a competition.
#[derive(Clone, Debug)]
pub struct Outputs {
    folder: PathBuf,
}

impl Outputs {
    /// The outputs in this folder.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    fn file(&self, digest: &Digest) -> PathBuf {
        let name = digest.to_string();
        self.folder.join(&name[..2]).join(format!("{}.zst", &name[2..]))
    }

    /// Keeps an output and gives its name. When this returns, the bytes are on disk.
    pub fn put(&self, bytes: &[u8]) -> Result<Digest, StoreError> {
        let digest = Digest::of(bytes);
        if bytes.is_empty() {
            return Ok(digest);
        }
        let file = self.file(&digest);
        // One that is there and damaged is made anew.
        if !file.exists() || self.get(&digest).is_err() {
            let failed = |error| StoreError::io(&self.folder, error);
            // In one piece, so that the tables of the compression fit the size; most outputs are a few bytes.
            let packed = zstd::bulk::compress(bytes, 3).map_err(failed)?;
            write_whole(&file, &packed).map_err(failed)?;
        }
        Ok(digest)
    }

    /// The bytes of an output.
    pub fn get(&self, digest: &Digest) -> Result<Vec<u8>, StoreError> {
        if *digest == Digest::of(b"") {
            return Ok(vec![]);
        }
        let lost = || StoreError::LostOutput(*digest, self.folder.clone());
        let packed = fs::read(self.file(digest)).map_err(|_| lost())?;
        let bytes = zstd::decode_all(packed.as_slice()).map_err(|_| lost())?;
        if Digest::of(&bytes) == *digest { Ok(bytes) } else { Err(lost()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_outputs_are_kept_once() {
        let root = tempfile::tempdir().unwrap();
        let outputs = Outputs::new(root.path().join("outputs"));
        let digest = outputs.put(b"sat\n").unwrap();
        assert_eq!(outputs.put(b"sat\n").unwrap(), digest);
        assert_eq!(outputs.get(&digest).unwrap(), b"sat\n");
        assert_eq!(outputs.get(&outputs.put(b"").unwrap()).unwrap(), b"");
    }

    #[test]
    fn a_damaged_or_missing_output_is_not_passed_on() {
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
