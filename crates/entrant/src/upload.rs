//! Keeps archives as they were uploaded, with digests that anyone can check (R08-1.3).

use agon_domain::{Digest, Upload};
use md5::Md5;
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

/// Copies an archive, and returns its facts. They are those of the copy, even if the original changes meanwhile.
pub fn keep_upload(archive: &Path, copy: &Path) -> io::Result<Upload> {
    let name = archive.file_name().unwrap_or_default().to_string_lossy();
    // Lists of checksums have one line per file.
    let file = name.chars().map(|c| if c.is_control() || c == '\\' { '_' } else { c }).collect();
    digests(&mut File::open(archive)?, &mut File::create(copy)?, file)
}

/// Whether a file is still the archive that was uploaded.
pub fn is_upload(file: &Path, upload: &Upload) -> io::Result<bool> {
    Ok(digests(&mut File::open(file)?, &mut io::sink(), upload.file.clone())? == *upload)
}

fn digests(from: &mut impl Read, to: &mut impl Write, file: String) -> io::Result<Upload> {
    let (mut md5, mut sha256, mut bytes) = (Md5::new(), Sha256::new(), 0);
    let mut piece = vec![0; 1 << 16];
    loop {
        let read = match from.read(&mut piece) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        md5.update(&piece[..read]);
        sha256.update(&piece[..read]);
        to.write_all(&piece[..read])?;
        bytes += read as u64;
    }
    to.flush()?;
    let md5 = md5.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(Upload { file, bytes, md5, sha256: Digest::from_bytes(sha256.finalize().into()) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn r08_1_3_an_upload_has_the_digests_that_md5sum_and_sha256sum_print() {
        let directory = tempfile::tempdir().unwrap();
        let (archive, copy) = (directory.path().join("a\nb.zip"), directory.path().join("copy"));
        fs::write(&archive, "abc").unwrap();
        let upload = keep_upload(&archive, &copy).unwrap();
        assert_eq!((upload.file.as_str(), upload.bytes), ("a_b.zip", 3));
        assert_eq!(upload.md5, "900150983cd24fb0d6963f7d28e17f72");
        assert_eq!(upload.sha256, Digest::of(b"abc"));
        assert!(is_upload(&copy, &upload).unwrap());
        fs::write(&copy, "abd").unwrap();
        assert!(!is_upload(&copy, &upload).unwrap());
    }
}
