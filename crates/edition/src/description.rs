//! System descriptions: whether a file is a PDF or a Markdown text, and how many pages it has.

use flate2::read::ZlibDecoder;
use memchr::memmem;
use std::io::Read;

/// The words on a page of text, to count the pages of a Markdown file.
const WORDS_PER_PAGE: usize = 600;

/// The number of bytes of a PDF's streams that are decompressed, so that a small file cannot cost much memory or time.
const MOST_DECOMPRESSED: u64 = 64 << 20;

/// What is known about an entrant's system description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Description {
    /// A web address, which is not looked up.
    Url,
    /// A file that does not exist in the entrant's directory.
    Missing,
    /// A file that is neither a PDF nor a text.
    Unreadable(String),
    /// A PDF or Markdown file with this many pages; `None` if they cannot be counted.
    Pages(Option<u32>),
}

impl Description {
    /// Examines the bytes of a description with this file name.
    pub fn of(name: &str, bytes: &[u8]) -> Self {
        let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
        match ending.as_deref() {
            Some("pdf") => page_count(bytes).map_or_else(|why| Self::Unreadable(why.to_owned()), Self::Pages),
            Some("md" | "markdown" | "txt") => match std::str::from_utf8(bytes) {
                Ok(text) if text.trim().is_empty() => Self::Unreadable("is empty".into()),
                Ok(text) => {
                    let pages = text.split_whitespace().count().div_ceil(WORDS_PER_PAGE);
                    Self::Pages(u32::try_from(pages).ok())
                }
                Err(_) => Self::Unreadable("is not a text in UTF-8".into()),
            },
            _ => Self::Unreadable("is neither a PDF nor a Markdown file".into()),
        }
    }
}

/// The number of pages of a PDF file; `None` if it cannot be determined, as in an encrypted file.
///
/// Counts the objects of type `Page`, in the file itself and in its compressed object streams.
pub fn page_count(pdf: &[u8]) -> Result<Option<u32>, &'static str> {
    if !pdf.starts_with(b"%PDF-") {
        return Err("is not a PDF: it does not start with %PDF-");
    }
    let tail = &pdf[pdf.len().saturating_sub(2048)..];
    if memmem::find(tail, b"%%EOF").is_none() {
        return Err("is not a complete PDF: it has no end");
    }
    if memmem::find(pdf, b"/Encrypt").is_some() {
        return Ok(None);
    }
    let mut pages = 0;
    let mut left = MOST_DECOMPRESSED;
    let mut rest = pdf;
    while let Some(at) = memmem::find(rest, b"stream") {
        let (before, after) = rest.split_at(at);
        pages += pages_in(before);
        let data = &after[b"stream".len()..];
        let data = data.strip_prefix(b"\r\n").or_else(|| data.strip_prefix(b"\n")).unwrap_or(data);
        let end = memmem::find(data, b"endstream").unwrap_or(data.len());
        let dictionary = &before[before.len().saturating_sub(512)..];
        if memmem::find(dictionary, b"/ObjStm").is_some() {
            let mut objects = vec![];
            // A damaged stream contributes what could be read of it.
            let _ = ZlibDecoder::new(&data[..end]).take(left).read_to_end(&mut objects);
            left -= objects.len() as u64;
            pages += pages_in(&objects);
        }
        rest = &data[(end + b"endstream".len()).min(data.len())..];
    }
    pages += pages_in(rest);
    Ok(Some(pages).filter(|pages| *pages > 0))
}

/// The number of `/Type /Page` in some bytes; `/Pages` is the list of pages.
fn pages_in(mut bytes: &[u8]) -> u32 {
    let mut count = 0;
    while let Some(at) = memmem::find(bytes, b"/Type") {
        bytes = &bytes[at + b"/Type".len()..];
        let value = bytes.trim_ascii_start();
        let is_page =
            value.strip_prefix(b"/Page").is_some_and(|rest| !rest.first().is_some_and(u8::is_ascii_alphabetic));
        count += u32::from(is_page);
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::ZlibEncoder};
    use std::io::Write;

    fn pdf(body: &[u8]) -> Vec<u8> {
        [b"%PDF-1.5\n", body, b"\ntrailer <</Root 1 0 R>>\nstartxref\n0\n%%EOF\n"].concat()
    }

    #[test]
    fn r08_2_13_the_pages_of_a_pdf_are_counted() {
        let plain =
            b"1 0 obj <</Type /Pages /Kids [2 0 R 3 0 R]>> endobj 2 0 obj <</Type/Page>> 3 0 obj <</Type /Page /X 1>>";
        assert_eq!(page_count(&pdf(plain)), Ok(Some(2)));
        let mut encoder = ZlibEncoder::new(vec![], Compression::best());
        encoder.write_all(b"2 0 3 9 <</Type /Page>> <</Type /Page>> <</Type /Page>> <</Type /Pages>>").unwrap();
        let packed = encoder.finish().unwrap();
        let body =
            [b"5 0 obj <</Type /ObjStm /Filter /FlateDecode>> stream\n", &packed[..], b"\nendstream endobj"].concat();
        assert_eq!(page_count(&pdf(&body)), Ok(Some(3)));
        assert_eq!(page_count(&pdf(b"<</Encrypt 9 0 R>> <</Type /Page>>")), Ok(None));
    }

    #[test]
    fn r08_2_13_a_pdf_that_is_not_a_pdf_is_named() {
        assert!(page_count(b"MZ this is a program").is_err());
        assert!(page_count(b"%PDF-1.5 cut off").is_err());
        assert!(matches!(Description::of("a.pdf", b"<html>"), Description::Unreadable(_)));
        assert!(matches!(Description::of("a.docx", b"PK"), Description::Unreadable(_)));
        assert!(matches!(Description::of("a.md", b"  \n"), Description::Unreadable(_)));
        assert!(matches!(Description::of("a.md", &[0xff]), Description::Unreadable(_)));
        assert_eq!(Description::of("a.md", "word ".repeat(601).as_bytes()), Description::Pages(Some(2)));
    }
}
