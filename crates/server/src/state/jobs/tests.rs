use super::*;
use crate::state::testing::state;

/// As if nobody had prolonged a lease for long.
fn expire(c: &Connection, leases: &Mutex<Leases>) -> Result<()> {
    let mut leases = locked(leases);
    leases.ended(c)?;
    leases.0.values_mut().for_each(|(_, since)| *since -= LEASE);
    Ok(())
}

fn take(c: &mut Connection, leases: &Mutex<Leases>, quick: bool) -> Result<Option<Job>> {
    Ok(lease(c, leases, quick)?.0)
}

#[test]
fn a_worker_that_lost_its_job_writes_in_vain() {
    let (_folder, state) = state();
    let leases = Mutex::default();
    let own: Name = "ac".parse().expect("a name");
    state
        .now(|c| {
            let id = add(c, &own, &own, Kind::Query, &json!({"query": "q"}), 1)?.expect("added");
            assert_eq!(add(c, &own, &own, Kind::Query, &json!({}), 1)?, None, "one at a time");
            assert_eq!(take(c, &leases, false)?, None, "not of this kind");
            let first = take(c, &leases, true)?.expect("a job");
            assert_eq!((&first.id, first.token, &first.request), (&id, 1, &json!({"query": "q"})));
            assert_eq!(take(c, &leases, true)?, None, "it is taken");
            assert!(event(c, &id, 1, "stage", "1")? && prolong(c, &id, 1)?);
            expire(c, &leases)?;
            let second = take(c, &leases, true)?.expect("taken over");
            assert_eq!(second.token, 2);
            assert!(!event(c, &id, 1, "stage", "2")? && !prolong(c, &id, 1)? && !park(c, &id, 1)?);
            assert!(!finish(c, &id, 1, &Ok("old".to_owned()), Some("{}"))?);
            assert!(finish(c, &id, 2, &Ok("new".to_owned()), Some("{}"))?);
            assert!(!finish(c, &id, 2, &Err(json!("again")), None)?, "it has ended");
            let done = find(c, Some(&own), &id)?.expect("kept");
            assert_eq!((done.stage, done.has_result), (Stage::Done, true));
            let read = &mut ResultRead::default();
            assert_eq!(result_part(c, &id, read)?, b"new");
            assert_eq!(result_part(c, &id, read)?, b"");
            c.execute("UPDATE results SET result = 'now'", [])?;
            assert_eq!(crate::state::check(c)?, [format!("result of job {id}")]);
            let read = &mut ResultRead::default();
            assert_eq!(result_part(c, &id, read)?, b"now");
            assert!(result_part(c, &id, read).is_err(), "it ends with an error");
            let names = |after| {
                Ok::<_, rusqlite::Error>(
                    events(c, &id, after)?.into_iter().map(|e| (e.seq, e.name)).collect::<Vec<_>>(),
                )
            };
            assert_eq!(names(0)?, [(1, "stage".to_owned()), (2, "answer".to_owned())]);
            assert_eq!(names(1)?.len(), 1);
            assert_eq!(find(c, Some(&"other".parse().expect("a name")), &id)?, None);
            Ok(())
        })
        .expect("works");
}

#[test]
fn a_job_that_ends_every_server_fails_and_one_that_is_parked_does_not() {
    let (_folder, state) = state();
    let leases = Mutex::default();
    let own: Name = "ac".parse().expect("a name");
    state
        .now(|c| {
            let id = add(c, &own, &own, Kind::Ingest, &json!({}), 9)?.expect("added");
            for token in 1..=5 {
                assert_eq!(take(c, &leases, false)?.expect("a job").token, token);
                assert!(park(c, &id, token)?);
            }
            for _ in 0..10 {
                assert!(take(c, &leases, false)?.is_some());
                expire(c, &leases)?;
            }
            // Any worker finds it, and says so to those who follow it.
            assert_eq!(lease(c, &leases, true)?, (None, vec![id.clone()]));
            assert_eq!(lease(c, &leases, false)?, (None, Vec::new()));
            let last = events(c, &id, 0)?.pop().expect("an event");
            assert!(last.name == "error" && last.data.contains("job_lost"), "{last:?}");
            let job = find(c, None, &id)?.expect("kept");
            assert_eq!(job.stage, Stage::Failed);
            assert_eq!(job.error.expect("an error")["code"], "job_lost");
            // A clock that was wrong once deletes nothing.
            let due = &mut HashSet::new();
            let finished = "UPDATE jobs SET finished = ?1";
            for (time, want) in [
                ("9999-01-01T00:00:00.000Z", 0),
                ("2020-01-01T00:00:00.000Z", 0),
                ("9999-01-01T00:00:00.000Z", 0),
                ("2020-01-01T00:00:00.000Z", 0),
                ("2020-01-01T00:00:00.000Z", 1),
            ] {
                c.execute(finished, [time])?;
                assert_eq!(prune(c, due)?, vec![("ac".to_owned(), json!({})); want], "{time}");
            }
            assert_eq!(find(c, None, &id)?, None);
            // The second of two fails: none is gone.
            for _ in 0..2 {
                add(c, &own, &own, Kind::Ingest, &json!({}), 9)?;
            }
            c.execute(finished, ["2020-01-01T00:00:00.000Z"])?;
            prune(c, due)?;
            let fails =
                "CREATE TEMP TRIGGER fails BEFORE DELETE ON main.jobs WHEN (SELECT COUNT(*) FROM jobs) = 1
                         BEGIN SELECT RAISE(ABORT, 'it fails'); END";
            c.execute_batch(fails)?;
            prune(c, due).expect_err("fails");
            assert_eq!(counts(c)?, [("queued".to_owned(), 2)]);
            Ok(())
        })
        .expect("works");
}

#[test]
fn a_question_that_ends_every_server_does_not_take_others_with_it() {
    let (_folder, state) = state();
    let own: Name = "ac".parse().expect("a name");
    state
        .now(|c| {
            let ids: Vec<String> = (0..12)
                .map(|at| Ok(add(c, &own, &own, Kind::Query, &json!(at), 99)?.expect("added")))
                .collect::<Result<_>>()?;
            let (deadly, mut lost) = (&ids[2], Vec::new());
            // Four workers; the server ends when one of them has the question.
            for _ in 0..60 {
                let leases = Mutex::default();
                expire(c, &leases)?;
                let mut taken = Vec::new();
                for _ in 0..4 {
                    let (job, failed) = lease(c, &leases, true)?;
                    lost.extend(failed);
                    taken.extend(job);
                }
                if taken.iter().any(|job| job.id == *deadly) {
                    continue;
                }
                for job in taken {
                    assert!(finish(c, &job.id, job.token, &Ok(String::new()), Some("1"))?);
                }
            }
            assert_eq!(lost, std::slice::from_ref(deadly));
            assert_eq!(counts(c)?, [("done".to_owned(), 11), ("failed".to_owned(), 1)]);
            Ok(())
        })
        .expect("works");
}

#[test]
fn a_tenant_with_many_jobs_lets_the_others_go_between() {
    let (_folder, state) = state();
    let leases = Mutex::default();
    state
        .now(|c| {
            let jobs = [
                ("a", 6, Kind::Ingest),
                ("b", 2, Kind::Evaluate),
                ("c", 1, Kind::Ingest),
                ("a", 4, Kind::Query),
            ];
            for (name, count, kind) in jobs {
                let name: Name = name.parse().expect("a name");
                for at in 0..count {
                    let id = add(c, &name, &name, kind, &json!(at), 99)?.expect("added");
                    // As if it were older than those that are added next.
                    c.execute(
                        "UPDATE jobs SET created = ?2 WHERE id = ?1",
                        params![id, format!("{name}{at}")],
                    )?;
                    sign(c, &id)?;
                }
            }
            let mut next = |quick| -> Result<String> {
                let job = take(c, &leases, quick)?.expect("a job");
                assert!(finish(c, &job.id, job.token, &Ok("1".to_owned()), None)?);
                Ok(format!("{}{}", job.tenant, job.request))
            };
            // Questions, which are taken in between, do not cost a tenant its turn.
            let mut order = vec![next(false)?, next(false)?];
            for _ in 0..4 {
                next(true)?;
            }
            for _ in 0..7 {
                order.push(next(false)?);
            }
            assert_eq!(order, ["a0", "b0", "c0", "a1", "b1", "a2", "a3", "a4", "a5"]);
            // Whoever comes later is next.
            let (a, d): (Name, Name) = ("a".parse().expect("a name"), "d".parse().expect("a name"));
            for name in [&a, &a, &d] {
                add(c, name, name, Kind::Ingest, &json!(9), 99)?.expect("added");
            }
            assert!(take(c, &leases, false)?.is_some_and(|job| job.tenant == d));
            Ok(())
        })
        .expect("works");
}
