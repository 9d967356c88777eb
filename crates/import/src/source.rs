//! Files as they come: plain or compressed.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};
use std::path::Path;

type Inner = Chain<Cursor<Vec<u8>>, BufReader<Box<dyn Read>>>;

/// A file that is being read, decompressed where that is needed.
pub(crate) struct Source(BufReader<Box<dyn Read>>);

/// Opens a file, or standard input for `-`. Its first bytes say how it is compressed.
pub(crate) fn open(file: &Path) -> io::Result<Source> {
    let opened: Box<dyn Read> =
        if file == Path::new("-") { Box::new(io::stdin()) } else { Box::new(File::open(file)?) };
    let mut reader = BufReader::with_capacity(1 << 16, opened);
    let mut magic = vec![0; 6];
    let mut length = 0;
    while length < magic.len() {
        match reader.read(&mut magic[length..])? {
            0 => break,
            count => length += count,
        }
    }
    magic.truncate(length);
    let kind = magic.clone();
    let inner: Inner = Cursor::new(magic).chain(reader);
    let plain: Box<dyn Read> = match &kind[..] {
        [0x1f, 0x8b, ..] => Box::new(flate2::read::MultiGzDecoder::new(inner)),
        [0xfd, b'7', b'z', b'X', b'Z', 0] => Box::new(liblzma::read::XzDecoder::new_multi_decoder(inner)),
        [b'B', b'Z', b'h', ..] => Box::new(bzip2::read::MultiBzDecoder::new(inner)),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Box::new(zstd::stream::read::Decoder::new(inner)?),
        _ => Box::new(inner),
    };
    Ok(Source(BufReader::with_capacity(1 << 16, plain)))
}

impl Source {
    /// The first bytes, which are not taken.
    pub(crate) fn start(&mut self) -> io::Result<&[u8]> {
        self.0.fill_buf()
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl BufRead for Source {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.0.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.0.consume(amount);
    }
}
