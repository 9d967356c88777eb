//! Chunks: the tasks of one Slurm job.

use crate::task::{Batch, Task};
use agon_domain::Time;
use agon_store::write_whole;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

/// The tasks of one worker, and their common batch.
#[derive(Clone, Debug)]
pub(crate) struct Chunk {
    pub(crate) batch: Batch,
    pub(crate) tasks: Vec<Task>,
}

impl Chunk {
    /// Writes a chunk as JSON lines: the batch first, then one task per line.
    pub(crate) fn write(batch: &Batch, tasks: &[Task], file: &Path) -> io::Result<()> {
        let mut text = serde_json::to_vec(batch)?;
        for task in tasks {
            text.push(b'\n');
            serde_json::to_writer(&mut text, task)?;
        }
        text.push(b'\n');
        write_whole(file, &text)
    }

    /// Reads a chunk's file.
    pub(crate) fn read(file: &Path) -> io::Result<Self> {
        let mut lines = BufReader::new(File::open(file)?).lines();
        let first = lines.next().ok_or_else(|| io::Error::other("the file is empty"))??;
        let tasks = lines.map(|line| Ok(serde_json::from_str(&line?)?)).collect::<io::Result<_>>()?;
        Ok(Self { batch: serde_json::from_str(&first)?, tasks })
    }
}

/// Splits tasks, given their expected times, into chunks of about `length`, but into at most `most` chunks. Returns the
/// number of tasks in each chunk.
pub(crate) fn cut(expected: impl Iterator<Item = Time> + Clone, length: Time, most: usize) -> Vec<usize> {
    let nanos = |time: Time| u128::from(time.as_nanos()).max(1_000_000);
    let total: u128 = expected.clone().map(nanos).sum();
    let length = nanos(length).max(total.div_ceil(most.max(1) as u128));
    let mut chunks = vec![];
    let (mut count, mut sum) = (0, 0);
    for time in expected {
        count += 1;
        sum += nanos(time);
        if sum >= length {
            chunks.push(count);
            (count, sum) = (0, 0);
        }
    }
    chunks.extend((count > 0).then_some(count));
    chunks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_have_the_intended_length() {
        let second = Time::from_secs(1);
        let cut = |count: usize, seconds: u64, most: usize| {
            cut(std::iter::repeat_n(second, count), Time::from_secs(seconds), most)
        };
        assert_eq!(cut(10, 4, 100), [4, 4, 2]);
        assert_eq!(cut(0, 4, 100), [0_usize; 0]);
        // The limit on the number of chunks takes precedence over their length.
        assert_eq!(cut(10, 1, 3), [4, 4, 2]);
        assert!(cut(1000, 1, 7).len() <= 7);
    }
}
