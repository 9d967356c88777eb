use super::*;
use crate::outcomes::SHORT;
use crate::{Judged, Judgement, Ladders, Progress, Recorded};
use agon_domain::{
    Answer, BenchmarkPath, Claim, Digest, Ending, Evidence, Limit, Limits, Logic, Outcome, Pair, PairId, Prepared,
    Ruling, Status, Time, Track, Verdict,
};

const TRACK: Track = Track::SingleQuery;
use std::fs;

fn prepared(name: &str) -> Prepared {
    Prepared {
        benchmark: BenchmarkPath(format!("non-incremental/QF_UF/f/{name}.smt2")),
        track: Track::SingleQuery,
        logic: Logic("QF_UF".into()),
        digest: Digest::of(name.as_bytes()),
        status: Status::Sat,
    }
}

const LIMITS: Limits = Limits::new(Time::from_secs(5), 1 << 30, 1);

fn outcome(pair: PairId, attempt: u32) -> Outcome {
    Outcome {
        pair,
        attempt,
        reason: "first".into(),
        limits: LIMITS,
        started: 1,
        wall: Time::from_nanos(5),
        cpu: Time::from_nanos(7),
        memory_bytes: Some(9),
        ending: Ending::Signal(9),
        limit: Some(Limit::Wall),
        stdout: Digest::of(b"sat\n"),
        stderr: Digest::of(b""),
        host: "here".into(),
        isolation: "none".into(),
        system: Time::from_secs(0),
        anonymous_bytes: Some(1 << 20),
        processes: None,
        surroundings: "{}".into(),
        disturbance: Some("heat".into()),
    }
}

/// A store with two benchmarks and two entrants, all planned.
fn planned(root: &Path) -> Store {
    let mut store = Store::open(&root.join("agon.db")).unwrap();
    let benchmarks = [prepared("a"), prepared("b")];
    store.set_prepared(Track::SingleQuery, &benchmarks, &[], &Digest::of(b"test")).unwrap();
    plan(&mut store, &["x", "y"], &benchmarks);
    store
}

fn pending(store: &Store) -> Vec<Pair> {
    let queue = store.queue(Track::SingleQuery).unwrap();
    queue.pending.iter().map(|pending| queue.pair(pending)).collect()
}

fn plan(store: &mut Store, names: &[&str], benchmarks: &[Prepared]) {
    let entrants: Vec<_> = names.iter().map(|name| (name.parse().unwrap(), Digest::of(name.as_bytes()))).collect();
    let pairs = (0..benchmarks.len()).flat_map(|at| (0..entrants.len()).map(move |entrant| (entrant, at)));
    store.set_plan(Track::SingleQuery, &entrants, benchmarks, pairs, &ladder(&[LIMITS])).unwrap();
}

/// The limits of the only logic, shortest first.
fn ladder(limits: &[Limits]) -> Ladders {
    [(Logic("QF_UF".into()), limits.to_vec())].into()
}

#[test]
fn outcomes_and_verdicts_round_trip() {
    let root = tempfile::tempdir().unwrap();
    let mut store = planned(root.path());
    let pairs = pending(&store);
    assert_eq!(pairs.len(), 4);
    let outcome = outcome(pairs[0].id, 1);
    store.record(std::slice::from_ref(&outcome), &[b"sat\n", b""], &[]).unwrap();
    let claim = Claim { answer: Answer::Sat, evidence: Evidence::None };
    let verdict = Verdict { claim, ruling: Ruling::Solved, points: 1 };
    let judged = Judged { pair: pairs[0].id, attempt: 1, basis: "v1".into(), verdict, evidence: Some("why".into()) };
    store.set_verdicts(&[judged]).unwrap();
    drop(store);
    let store = Store::open(&root.path().join("agon.db")).unwrap();
    let recorded = store.recorded(TRACK).unwrap();
    assert_eq!(
        recorded,
        [Recorded {
            pair: pairs[0].clone(),
            outcome,
            judgement: Some(Judgement { verdict, evidence: Some("why".into()), basis: "v1".into() })
        }]
    );
    assert_eq!(pending(&store), pairs[1..]);
    assert_eq!(store.progress(TRACK).unwrap(), Progress { done: 1, planned: 4 });
}

#[test]
fn recording_an_outcome_twice_fails_and_rolls_back_the_batch() {
    let root = tempfile::tempdir().unwrap();
    let mut store = planned(root.path());
    let pairs = pending(&store);
    store.record(&[outcome(pairs[0].id, 1)], &[b"sat\n", b""], &[]).unwrap();
    let batch = [outcome(pairs[1].id, 1), outcome(pairs[0].id, 1)];
    assert!(matches!(store.record(&batch, &[], &[]), Err(StoreError::Twice(pair, 1)) if pair == pairs[0].id));
    assert_eq!(store.progress(TRACK).unwrap().done, 1);
}

#[test]
fn a_rerun_is_a_new_attempt_and_the_latest_counts() {
    let root = tempfile::tempdir().unwrap();
    let mut store = planned(root.path());
    let pair = pending(&store)[0].id;
    store.record(&[outcome(pair, store.next_attempt(pair).unwrap())], &[b"sat\n", b""], &[]).unwrap();
    let again = Outcome { reason: "asked for".into(), limit: None, ..outcome(pair, store.next_attempt(pair).unwrap()) };
    store.record(std::slice::from_ref(&again), &[b"sat\n", b""], &[]).unwrap();
    assert_eq!(store.attempts(pair).unwrap().len(), 2);
    assert_eq!(store.recorded(TRACK).unwrap()[0].outcome, again);
}

#[test]
fn outcomes_under_other_limits_do_not_count() {
    let root = tempfile::tempdir().unwrap();
    let mut store = planned(root.path());
    let pair = pending(&store)[0].id;
    store.record(&[outcome(pair, 1)], &[b"sat\n", b""], &[]).unwrap();
    let longer = Limits { wall: Time::from_secs(60), ..LIMITS };
    let plan = |store: &mut Store, limits| {
        let entrants = [("x".parse().unwrap(), Digest::of(b"x"))];
        store.set_plan(TRACK, &entrants, &[prepared("a")], std::iter::once((0, 0)), &ladder(&[limits])).unwrap();
    };
    plan(&mut store, longer);
    assert_eq!(store.recorded(TRACK).unwrap(), []);
    assert_eq!(store.queue(TRACK).unwrap().pending[0].attempt, 2, "the next attempt at the pair");
    assert_eq!((store.set_aside(TRACK).unwrap().other_limits, store.repeats(TRACK).unwrap().limits), (1, 1));
    store.record(&[Outcome { limits: longer, ..outcome(pair, 2) }], &[b"sat\n", b""], &[]).unwrap();
    assert_eq!(store.recorded(TRACK).unwrap()[0].outcome.attempt, 2);
    assert_eq!(store.progress(TRACK).unwrap().done, 1);
    plan(&mut store, LIMITS);
    assert_eq!(store.recorded(TRACK).unwrap()[0].outcome.attempt, 1);
}

#[test]
fn sl19_22_only_runs_that_reached_the_time_limit_run_under_the_next_one() {
    let root = tempfile::tempdir().unwrap();
    let mut store = planned(root.path());
    let [longer, longest] = [60, 600].map(|wall| Limits { wall: Time::from_secs(wall), ..LIMITS });
    let ladders = ladder(&[LIMITS, longer, longest]);
    let pairs: Vec<PairId> = pending(&store).iter().map(|pair| pair.id).collect();
    // One run reached the limit of time, one that of memory, and one ended.
    let ends = [Some(Limit::Wall), Some(Limit::Memory), None];
    for (pair, limit) in pairs.iter().zip(ends) {
        store.record(&[Outcome { limit, ..outcome(*pair, 1) }], &[b"sat\n", b""], &[]).unwrap();
    }
    store.climb(TRACK, &ladders).unwrap();
    let queue = store.queue(TRACK).unwrap();
    let next: Vec<_> = queue.pending.iter().map(|pending| (pending.pair, queue.limits(pending).wall)).collect();
    assert_eq!(next, [(pairs[0], longer.wall), (pairs[3], LIMITS.wall)]);
    assert_eq!((store.progress(TRACK).unwrap().done, store.recorded(TRACK).unwrap().len()), (2, 2));
    assert_eq!((store.set_aside(TRACK).unwrap().all(), store.repeats(TRACK).unwrap().longer), (0, 1));
    // It reaches the second limit too, and another call changes nothing more.
    store.record(&[Outcome { limits: longer, ..outcome(pairs[0], 2) }], &[b"sat\n", b""], &[]).unwrap();
    for _ in 0..2 {
        store.climb(TRACK, &ladders).unwrap();
        assert_eq!(store.limits(pairs[0]).unwrap(), longest);
    }
    // The last limits are final, whatever happens under them.
    store.record(&[Outcome { limits: longest, ..outcome(pairs[0], 3) }], &[b"sat\n", b""], &[]).unwrap();
    store.climb(TRACK, &ladders).unwrap();
    assert_eq!(store.queue(TRACK).unwrap().pending.len(), 1);
    assert_eq!(store.recorded(TRACK).unwrap()[0].outcome.attempt, 3);
}

#[test]
fn a_corrected_status_needs_no_new_run() {
    let root = tempfile::tempdir().unwrap();
    let mut store = planned(root.path());
    let pair = pending(&store)[0].clone();
    store.record(&[outcome(pair.id, 1)], &[b"sat\n", b""], &[]).unwrap();
    let corrected = [Prepared { status: Status::Unsat, ..prepared("a") }, prepared("b")];
    store.set_prepared(Track::SingleQuery, &corrected, &[], &Digest::of(b"test")).unwrap();
    assert_eq!(store.recorded(TRACK).unwrap()[0].pair.prepared.status, Status::Unsat);
}

#[test]
fn several_processes_may_open_a_new_database_at_once() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("agon.db");
    std::thread::scope(|scope| {
        let all: Vec<_> = (0..8).map(|_| scope.spawn(|| Store::open(&file).map(drop))).collect();
        all.into_iter().for_each(|one| one.join().unwrap().unwrap());
    });
}

#[test]
fn outputs_round_trip_and_corrupt_ones_are_errors() {
    let root = tempfile::tempdir().unwrap();
    let mut store = planned(root.path());
    let pair = pending(&store)[0].id;
    let long = vec![b'x'; SHORT + 1];
    store.record(&[outcome(pair, 1)], &[b"sat\n", b"", &long], &[]).unwrap();
    for output in [&b"sat\n"[..], b"", &long] {
        assert_eq!(store.output(&Digest::of(output)).unwrap(), output);
    }
    assert!(matches!(store.output(&Digest::of(b"never")), Err(StoreError::LostOutput(..))));
    store.connection.execute("UPDATE output SET bytes = x'00'", []).unwrap();
    assert!(matches!(store.output(&Digest::of(b"sat\n")), Err(StoreError::LostOutput(..))));
    store.record(&[outcome(pair, 2)], &[b"sat\n"], &[]).unwrap();
    assert_eq!(store.output(&Digest::of(b"sat\n")).unwrap(), b"sat\n");
}

#[test]
fn pairs_keep_their_numbers_and_outcomes_in_a_new_plan() {
    let root = tempfile::tempdir().unwrap();
    let mut store = planned(root.path());
    let before = store.planned(TRACK).unwrap();
    store.record(&[outcome(before[0].id, 1)], &[b"sat\n", b""], &[]).unwrap();
    plan(&mut store, &["x"], &[prepared("a")]);
    assert_eq!(store.planned(TRACK).unwrap(), before[..1]);
    plan(&mut store, &["x", "y"], &[prepared("a"), prepared("b")]);
    assert_eq!(store.planned(TRACK).unwrap(), before);
    assert_eq!(store.progress(TRACK).unwrap().done, 1);
}

#[test]
fn pairs_are_found_by_number_or_by_entrant_and_path() {
    let root = tempfile::tempdir().unwrap();
    let store = planned(root.path());
    let pairs = store.planned(TRACK).unwrap();
    assert_eq!(store.find(TRACK, &pairs[2].id.to_string()).unwrap(), pairs[2]);
    assert_eq!(store.find(TRACK, "y:f/b").unwrap().prepared.benchmark, prepared("b").benchmark);
    assert!(matches!(store.find(TRACK, "y:QF_UF"), Err(StoreError::ManyPairs(_, 2))));
    assert!(matches!(store.find(TRACK, "z:a"), Err(StoreError::NoPair(_))));
    assert!(matches!(store.find(TRACK, "999"), Err(StoreError::NoPair(_))));
}

#[test]
fn foreign_corrupt_and_newer_files_are_rejected() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("agon.db");
    fs::write(&file, "a text file, not a database, whatever its name").unwrap();
    assert!(matches!(Store::open(&file), Err(StoreError::Damaged(..))));
    fs::remove_file(&file).unwrap();
    Connection::open(&file).unwrap().execute_batch("CREATE TABLE t (x)").unwrap();
    assert!(matches!(Store::open(&file), Err(StoreError::Foreign(_))));
    fs::remove_file(&file).unwrap();
    drop(Store::open(&file).unwrap());
    Connection::open(&file).unwrap().pragma_update(None, "user_version", 99).unwrap();
    assert!(matches!(Store::open(&file), Err(StoreError::Newer(_, 99, _))));
}

#[test]
fn a_database_of_format_1_is_upgraded() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("agon.db");
    let connection = Connection::open(&file).unwrap();
    connection.execute_batch(include_str!("../../migrations/0001.sql")).unwrap();
    connection
        .execute_batch(&format!(
            "PRAGMA application_id = {APPLICATION}; PRAGMA user_version = 1;
             INSERT INTO entrant VALUES (1, 'x', zeroblob(32));
             INSERT INTO prepared VALUES (1, 'single-query', 'b', 'QF_UF', zeroblob(32), 'sat', 1);
             INSERT INTO pair VALUES (1, 1, 1, 1);
             INSERT INTO host VALUES (1, 'h', 'i');
             INSERT INTO limits VALUES (1, 5000000000, 1073741824, 1, 1048576);
             INSERT INTO outcome VALUES (1, 1, 'first', 1, 0, 1, 2, NULL, 0, NULL, NULL, zeroblob(32), zeroblob(32), 1);"
        ))
        .unwrap();
    drop(connection);
    let limits = Limits { output_bytes: 1 << 20, ..LIMITS };
    let mut store = Store::open(&file).unwrap();
    let entrants = [("x".parse().unwrap(), Digest::from_bytes([0; 32]))];
    let known = store.prepared(TRACK).unwrap();
    store.set_plan(TRACK, &entrants, &known, std::iter::once((0, 0)), &ladder(&[limits])).unwrap();
    let recorded = store.recorded(TRACK).unwrap();
    assert_eq!(recorded.len(), 1);
    assert_eq!(recorded[0].outcome.ending, Ending::Exit(0));
}
