//! Thousands of runs outside the plan share one machine without leaking threads or file descriptors.

use agon_competition::{Event, Interrupts, JudgeOptions, Machine, Source, Walls, Work, enter, judge};
use agon_contain::Host;
use agon_domain::{
    BenchmarkPath, Digest, Ending, EntrantName, Logic, Outcome, PairId, Prepared, Ruling, Status, Time, Track,
};
use agon_entrant::Details;
use agon_store::{Competition, Confinement, write_again};
use std::fs;
use std::os::unix::fs::PermissionsExt;

const CORES: usize = 2000;

fn count(directory: &str) -> usize {
    fs::read_dir(directory).unwrap().count()
}

/// A different benchmark for each number, so that the panel votes on every core.
fn script(number: usize) -> String {
    format!(
        "(set-option :produce-unsat-cores true)\n(set-logic QF_UF)\n(declare-fun p{number} () Bool)\n\
         (assert (! (and p{number} (not p{number})) :named a))\n(assert (! p{number} :named b))\n\
         (check-sat)\n(get-unsat-core)\n(exit)\n"
    )
}

#[test]
fn judging_two_thousand_cores_leaks_no_threads_or_descriptors() {
    if Host::probe().is_err() {
        return agon_testkit::skipped("runs cannot be confined here");
    }
    let world = tempfile::tempdir().unwrap();
    let directory = world.path().join("c");
    let competition =
        Competition::init(&directory, "smtcomp-2019", "x", toml::Table::new(), Confinement::Required).unwrap();
    let program = world.path().join("voter");
    fs::write(&program, "#!/bin/sh\necho unsat\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    for name in ["one", "two"] {
        let details = Details { name: Some(name.parse().unwrap()), team: Some(name.into()), ..Details::default() };
        enter(&competition, &Source::Files(program.clone()), &details).unwrap();
    }
    let track = Track::UnsatCore;
    let limits = competition.rulebook().tracks[&track].limits;
    let mut store = competition.store().unwrap();
    let prepared: Vec<Prepared> = (0..CORES)
        .map(|number| {
            let text = script(number);
            let digest = Digest::of(text.as_bytes());
            write_again(&competition.prepared_file(track, &digest), text.as_bytes()).unwrap();
            let benchmark = BenchmarkPath(format!("non-incremental/QF_UF/x/b{number:05}.smt2"));
            Prepared { benchmark, track, logic: Logic("QF_UF".into()), digest, status: Status::Unsat }
        })
        .collect();
    store.set_prepared(track, &prepared, &[], &Digest::of(b"test")).unwrap();
    agon_competition::Plan::refresh(&competition, track, &mut store).unwrap();
    let queue = store.queue(track).unwrap();
    assert_eq!(queue.pending.len(), 2 * CORES);
    let output = b"unsat\n(a)\n";
    let outcomes: Vec<Outcome> = queue
        .pending
        .iter()
        .filter(|pending| queue.entrant(pending).0 == "one".parse::<EntrantName>().unwrap())
        .map(|pending| outcome(pending.pair, limits, output))
        .collect();
    store.record(&outcomes, &[output, b""], &[]).unwrap();

    let machine = Machine::new(Walls::Required, Interrupts::default());
    let (mut votes, mut is_voting, mut seen) = (0, false, vec![]);
    let summary = judge(&competition, track, &JudgeOptions::default(), &machine, &mut |event| match event {
        Event::Started { work, parts, .. } => {
            is_voting = work == Work::Ask;
            if is_voting {
                assert_eq!(parts, 2 * CORES as u64, "every voter votes on every core");
            }
        }
        Event::Advanced if is_voting => {
            votes += 1;
            if votes % 100 == 0 {
                seen.push((count("/proc/self/task"), count("/proc/self/fd")));
            }
        }
        _ => {}
    })
    .unwrap();
    assert_eq!((summary.judged, votes), (CORES, 2 * CORES));
    // The first sample is after a hundred votes, when all threads run. A leak of one per core would add up to 1,900.
    let (threads, descriptors) = seen[0];
    for (later_threads, later_descriptors) in &seen {
        assert!(*later_threads <= threads + 8, "{seen:?}");
        assert!(*later_descriptors <= descriptors + 40, "{seen:?}");
    }
    let recorded = store.recorded(track).unwrap();
    assert!(recorded.iter().all(|run| run.is_ruled(Ruling::Solved)));
    // Judging again starts no votes.
    let mut asked = false;
    judge(&competition, track, &JudgeOptions::default(), &machine, &mut |event| {
        asked |= matches!(event, Event::Started { .. });
    })
    .unwrap();
    assert!(!asked);
}

fn outcome(pair: PairId, limits: agon_domain::Limits, output: &[u8]) -> Outcome {
    Outcome {
        pair,
        attempt: 1,
        reason: "first".into(),
        limits,
        started: 0,
        wall: Time::from_secs(1),
        cpu: Time::from_secs(1),
        system: Time::from_nanos(0),
        memory_bytes: None,
        anonymous_bytes: None,
        processes: None,
        ending: Ending::Exit(0),
        limit: None,
        stdout: Digest::of(output),
        stderr: Digest::of(b""),
        host: "here".into(),
        isolation: String::new(),
        surroundings: "{}".into(),
        disturbance: None,
    }
}
