//! Processes many items on several threads.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// The number of threads to use: one per available core.
pub fn threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Applies `act` to every item on several threads, each with its own state, and passes the results to `done` in the
/// order of the items. Stops early if `done` fails.
pub fn in_order<T: Sync, S, R: Send, E>(
    items: &[T],
    threads: usize,
    state: impl Fn() -> S + Sync,
    act: impl Fn(&mut S, &T) -> R + Sync,
    mut done: impl FnMut(&T, R) -> Result<(), E>,
) -> Result<(), E> {
    let next = AtomicUsize::new(0);
    let (send, receive) = mpsc::sync_channel(1024);
    thread::scope(|scope| {
        for _ in 0..threads.min(items.len()).max(1) {
            let (send, next, state, act) = (send.clone(), &next, &state, &act);
            scope.spawn(move || {
                let mut own = state();
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(at) else { return };
                    if send.send((at, act(&mut own, item))).is_err() {
                        return; // The receiver stopped after an error.
                    }
                }
            });
        }
        drop(send);
        let mut waiting = BTreeMap::new();
        let mut due = 0;
        for (at, result) in receive {
            waiting.insert(at, result);
            while let Some(result) = waiting.remove(&due) {
                done(&items[due], result)?;
                due += 1;
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_arrive_in_order_and_an_error_stops_early() {
        let items: Vec<u64> = (0..5000).collect();
        let mut seen = vec![];
        let all: Result<(), ()> = in_order(
            &items,
            4,
            || 0,
            |_, item| item * 2,
            |item, result| {
                assert_eq!(result, item * 2);
                seen.push(*item);
                Ok(())
            },
        );
        assert!(all.is_ok());
        assert_eq!(seen, items);
        let mut count = 0;
        let failed = in_order(
            &items,
            4,
            || (),
            |(), item| *item,
            |_, item| {
                count += 1;
                if item == 10 { Err("ten") } else { Ok(()) }
            },
        );
        assert_eq!((failed, count), (Err("ten"), 11));
    }
}
