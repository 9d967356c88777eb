//! The paths of pages and the links between them. All links are relative, so that a site works at any location.

use agon_domain::Digest;
use std::fmt::Write;

/// The path of a division's page, relative to the site's root.
pub(crate) fn division(name: &str) -> String {
    format!("divisions/{}.html", plain(name))
}

/// The path of a solver's page, relative to the site's root.
pub(crate) fn solver(name: &str) -> String {
    format!("solvers/{}.html", plain(name))
}

/// The path of a benchmark's page, relative to the site's root.
pub(crate) fn benchmark(path: &str) -> String {
    // A directory whose name ends like a page could collide with one.
    let directory = |name: &str| plain(name).replace(".html", "=2ehtml");
    match path.rsplit_once('/') {
        Some((directories, name)) => {
            let directories: Vec<String> = directories.split('/').map(directory).collect();
            format!("benchmarks/{}/{}.html", directories.join("/"), plain(name))
        }
        None => format!("benchmarks/{}.html", plain(path)),
    }
}

/// The maximum length of a name, so that it fits into a file system with its suffixes.
const LONGEST: usize = 200;

/// Encodes a name so that it is safe in a path on any server. Letters, digits and `._+-` stay; any other byte, and a
/// leading dot, becomes `=` and its value in hexadecimal, so that different names stay different. A long name is
/// truncated and ends in its digest.
fn plain(name: &str) -> String {
    let mut plain = String::new();
    for (at, byte) in name.bytes().enumerate() {
        let safe = byte.is_ascii_alphanumeric() || b"_+-".contains(&byte) || (byte == b'.' && at > 0);
        if safe {
            plain.push(char::from(byte));
        } else {
            let _ = write!(plain, "={byte:02x}");
        }
    }
    if plain.len() > LONGEST {
        plain.truncate(LONGEST - 20);
        plain += &format!("=={}", Digest::of(name.as_bytes()).short());
    }
    plain
}

/// The relative path from a page to the site's root: `../../`.
pub(crate) fn root_of(page: &str) -> String {
    "../".repeat(page.matches('/').count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_below_the_root_and_do_not_collide() {
        let page = |path: &str| benchmark(path);
        assert_eq!(page("non-incremental/QF_BV/a/x.smt2"), "benchmarks/non-incremental/QF_BV/a/x.smt2.html");
        assert_eq!(page("a/../b"), "benchmarks/a/=2e./b.html");
        assert_ne!(page("a b"), page("a=20b"));
        assert_eq!(page("s.html/x"), "benchmarks/s=2ehtml/x.html");
        let (long, other) = ("é".repeat(120), format!("{}e", "é".repeat(119)));
        assert!(page(&long).len() < 230);
        assert_ne!(page(&long), page(&other));
        assert_eq!(root_of("benchmarks/a/b.html"), "../../");
        assert_eq!(root_of("index.html"), "");
    }
}
