//! SHA-256 digests, which identify files by their content.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};
use std::fmt;
use std::str::FromStr;

/// A SHA-256 digest: the identity of a benchmark, a prepared file, an output or an entrant's version.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The digest of the concatenation of these pieces.
    pub fn of_pieces<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut hasher = Sha256::new();
        pieces.into_iter().for_each(|piece| hasher.update(piece));
        Self(hasher.finalize().into())
    }

    /// The 32 bytes of the digest.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Builds a digest from its 32 stored bytes.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The first 12 hexadecimal digits, for display.
    pub fn short(&self) -> String {
        self.to_string()[..12].to_owned()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

/// A string that is not 64 hexadecimal digits.
#[derive(Debug, thiserror::Error)]
#[error("'{0}' is not a SHA-256 digest (64 hexadecimal digits)")]
pub struct MalformedDigest(String);

impl FromStr for Digest {
    type Err = MalformedDigest;

    fn from_str(text: &str) -> Result<Self, MalformedDigest> {
        let malformed = || MalformedDigest(text.to_owned());
        let (pairs, []) = text.as_bytes().as_chunks::<2>() else { return Err(malformed()) };
        let mut bytes = [0; 32];
        if pairs.len() != bytes.len() {
            return Err(malformed());
        }
        let value = |digit: u8| char::from(digit).to_digit(16);
        for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
            let (high, low) = value(*high).zip(value(*low)).ok_or_else(malformed)?;
            *byte = (high << 4 | low) as u8;
        }
        Ok(Self(bytes))
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_digest_round_trips() {
        let digest = Digest::of(b"abc");
        let text = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(digest.to_string(), text);
        assert_eq!(text.parse::<Digest>().unwrap(), digest);
        assert_eq!(digest.short(), "ba7816bf8f01");
    }

    #[test]
    fn malformed_digests_are_rejected() {
        let too_short = "ab".repeat(31);
        let not_hex = "zz".repeat(32);
        let not_ascii = "é".repeat(32);
        for text in ["", too_short.as_str(), not_hex.as_str(), not_ascii.as_str()] {
            assert!(text.parse::<Digest>().is_err(), "{text}");
        }
    }
}
