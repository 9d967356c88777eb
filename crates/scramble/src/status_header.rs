//! The statuses that the trace executor reads before an incremental benchmark.

use agon_domain::BENCHMARK_BEGINS;

/// The header that the organizers' wrapper script puts before an incremental benchmark: the status of each
/// `(set-info :status …)` with exactly this spelling, even in comments, and an end marker.
pub(crate) fn official_header(script: &[u8]) -> Vec<u8> {
    const START: &[u8] = b"(set-info :status ";
    let mut header = vec![];
    let mut rest = script;
    while let Some(at) = memchr::memmem::find(rest, START) {
        rest = &rest[at + START.len()..];
        for status in [&b"sat"[..], b"unsat", b"unknown"] {
            if let Some(behind) = rest.strip_prefix(status)
                && behind.starts_with(b")")
            {
                header.extend_from_slice(status);
                header.push(b'\n');
            }
        }
    }
    header.extend_from_slice(BENCHMARK_BEGINS.as_bytes());
    header.push(b'\n');
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_exact_spelling_is_recognized() {
        let script =
            b"(set-info :status sat)(set-info :status  unsat) ; (set-info :status unknown)\n(set-info :status satx)";
        assert_eq!(String::from_utf8(official_header(script)).unwrap(), format!("sat\nunknown\n{BENCHMARK_BEGINS}\n"));
    }
}
