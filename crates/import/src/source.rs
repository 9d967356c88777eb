//! The bytes of a file, decompressed, with line numbers.

use std::cell::Cell;
use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::rc::Rc;

/// The number of bytes that is enough to recognize an archive.
const MAGIC: usize = 512;

/// A file that is being read, decompressed if necessary.
pub(crate) struct Source {
    reader: BufReader<Box<dyn Read>>,
    lines: LineCount,
}

/// The archive format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    None,
    Tar,
    Zip,
}

impl Source {
    /// Opens a stream of bytes. Its first bytes determine how it is compressed.
    pub(crate) fn open(stream: Box<dyn Read>) -> io::Result<Self> {
        let mut reader = BufReader::with_capacity(1 << 16, stream);
        let mut magic = vec![];
        reader.by_ref().take(6).read_to_end(&mut magic)?;
        let kind = magic.clone();
        let inner = Cursor::new(magic).chain(reader);
        let plain: Box<dyn Read> = match &kind[..] {
            [0x1f, 0x8b, ..] => Box::new(flate2::read::MultiGzDecoder::new(inner)),
            [0xfd, b'7', b'z', b'X', b'Z', 0] => Box::new(liblzma::read::XzDecoder::new_multi_decoder(inner)),
            [b'B', b'Z', b'h', ..] => Box::new(bzip2::read::MultiBzDecoder::new(inner)),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Box::new(zstd::stream::read::Decoder::new(inner)?),
            _ => Box::new(inner),
        };
        Ok(Self { reader: BufReader::with_capacity(1 << 16, plain), lines: LineCount::default() })
    }

    /// Determines the archive format from the first bytes, without consuming them.
    pub(crate) fn packing(&mut self) -> io::Result<Packing> {
        let mut start = vec![];
        self.reader.by_ref().take(MAGIC as u64).read_to_end(&mut start)?;
        let packing = if start.starts_with(b"PK\x03\x04") {
            Packing::Zip
        } else if start.get(257..262) == Some(b"ustar") {
            Packing::Tar
        } else {
            Packing::None
        };
        // Put the inspected bytes back.
        let rest = std::mem::replace(&mut self.reader, BufReader::new(Box::new(io::empty())));
        self.reader = BufReader::with_capacity(1 << 16, Box::new(Cursor::new(start).chain(rest)));
        Ok(packing)
    }

    /// The next bytes, without consuming them.
    pub(crate) fn start(&mut self) -> io::Result<&[u8]> {
        self.reader.fill_buf()
    }

    /// Skips a byte order mark, which parsers do not expect.
    pub(crate) fn skip_byte_order_mark(&mut self) {
        self.reader.consume(3);
    }

    /// The line of the next byte, for parsers that read bytes one by one.
    pub(crate) fn line(&self) -> Rc<Cell<u64>> {
        Rc::clone(&self.lines.line)
    }

    /// Records where lines start from now on, for [`Source::line_from`].
    pub(crate) fn remember_lines(&mut self) {
        self.lines.starts.get_or_insert_default();
    }

    /// The number of the first non-blank line that starts at this byte or after it. Earlier lines are forgotten, so
    /// calls must have increasing arguments.
    pub(crate) fn line_from(&mut self, byte: u64) -> u64 {
        let starts = self.lines.starts.get_or_insert_default();
        while starts.front().is_some_and(|(offset, _)| *offset < byte) {
            starts.pop_front();
        }
        starts.front().map_or(self.lines.line.get(), |(_, line)| *line)
    }
}

/// The size limit for a line of a table.
const LONGEST_LINE: u64 = 16 << 20;

/// Counts lines, which end with `\n`, `\r\n` or a lone `\r`.
struct LineCount {
    /// The line of the next byte.
    line: Rc<Cell<u64>>,
    /// The offset of the next byte.
    offset: u64,
    /// The offset at which the last line starts.
    line_start: u64,
    /// Whether the last byte was `\r`, so that a `\n` after it belongs to the same line end.
    after_return: bool,
    /// Whether the next byte starts a line.
    at_start: bool,
    /// The offsets at which non-blank lines start, and their numbers, if they are recorded.
    starts: Option<VecDeque<(u64, u64)>>,
}

impl Default for LineCount {
    fn default() -> Self {
        Self {
            line: Rc::new(Cell::new(1)),
            offset: 0,
            line_start: 0,
            after_return: false,
            at_start: true,
            starts: None,
        }
    }
}

impl LineCount {
    /// Counts the lines in bytes that have been read.
    fn pass(&mut self, bytes: &[u8]) {
        let mut at = 0;
        while at < bytes.len() {
            let byte = bytes[at];
            if byte == b'\n' || byte == b'\r' {
                if byte == b'\r' || !self.after_return {
                    self.line.set(self.line.get() + 1);
                }
                self.after_return = byte == b'\r';
                self.at_start = true;
                at += 1;
                self.line_start = self.offset + at as u64;
                continue;
            }
            if self.at_start
                && let Some(starts) = &mut self.starts
            {
                starts.push_back((self.offset + at as u64, self.line.get()));
            }
            (self.at_start, self.after_return) = (false, false);
            at += memchr::memchr2(b'\n', b'\r', &bytes[at..]).unwrap_or(bytes.len() - at);
        }
        self.offset += bytes.len() as u64;
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.lines.pass(&buffer[..count]);
        if self.lines.starts.is_some() && self.lines.offset - self.lines.line_start > LONGEST_LINE {
            return Err(io::Error::other("a line is longer than 16 MB"));
        }
        Ok(count)
    }
}

impl BufRead for Source {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.reader.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.lines.pass(&self.reader.buffer()[..amount]);
        self.reader.consume(amount);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_numbers_are_those_of_the_file() {
        for text in ["a\nb\n\nc\n", "a\r\nb\r\n\r\nc\r\n", "a\rb\r\rc"] {
            let mut source = Source::open(Box::new(Cursor::new(text.as_bytes().to_vec()))).unwrap();
            source.remember_lines();
            let mut all = vec![];
            source.read_to_end(&mut all).unwrap();
            let offset = |letter: u8| all.iter().position(|byte| *byte == letter).unwrap() as u64;
            assert_eq!(source.line_from(0), 1, "{text:?}");
            // A parser that stops at the first byte of a line end, or after it, gets the same line.
            assert_eq!(source.line_from(offset(b'b') - 1), 2, "{text:?}");
            assert_eq!(source.line_from(offset(b'b')), 2, "{text:?}");
            assert_eq!(source.line_from(offset(b'b') + 1), 4, "{text:?}");
        }
    }
}
