//! A scheduler and executors, each in its own process, with Parquet files and bundles at a path that all processes
//! share.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use arrow::datatypes::DataType;
use processes::{Cluster, Process, answer_of, embedded, eventually, outcome_of};
use robomata_engine::PolicyStore;
use support::{CRAWLER, allowed, answers, store, urls, write_bundle, write_shards, write_urls};
use tempfile::TempDir;

mod processes;
#[expect(dead_code, reason = "the tests of the functions use the rest")]
#[path = "../../datafusion/tests/support/mod.rs"]
mod support;

const FILES: usize = 24;

/// A folder with a bundle and URLs in many files.
struct World {
    folder: TempDir,
    bundle: String,
    /// The numbers of URLs that are allowed, disallowed, and neither.
    expected: [usize; 3],
}

impl World {
    fn new(urls_of_file: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = store("day");
        let bundle = write_bundle(&folder.path().join("p.bundle"), &store);
        let tables = folder.path().join("urls");
        std::fs::create_dir(&tables).unwrap();
        let mut expected = [0; 3];
        for file in 0..FILES {
            let start = file * urls_of_file;
            let urls = urls(start..start + urls_of_file);
            write_urls(&tables.join(format!("part-{file:05}.parquet")), &DataType::Utf8View, start, &urls);
            for answer in answers(&store, &urls) {
                expected[allowed(answer).map_or(2, |may| usize::from(!may))] += 1;
            }
        }
        assert!(expected.iter().all(|&urls| urls > 0));
        World { folder, bundle, expected }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn tables(&self) -> String {
        format!("urls={}", self.path().join("urls").display())
    }

    /// The expected result of [`count`].
    fn counted(&self) -> String {
        let [allowed, disallowed, neither] = self.expected;
        format!("may,urls\ntrue,{allowed}\nfalse,{disallowed}\n,{neither}\n")
    }
}

/// Counts URLs by the answer of `robots_allowed`.
fn count(bundle: &str) -> String {
    format!(
        "SELECT robots_allowed('{bundle}', '{CRAWLER}', url) AS may, count(*) AS urls
         FROM urls GROUP BY 1 ORDER BY 1 DESC NULLS LAST"
    )
}

/// Queries of the tables of a bundle.
fn of_tables(bundle: &str) -> [String; 2] {
    [
        format!("SELECT site, outcome, first, versions FROM robots_sites('{bundle}') ORDER BY site"),
        format!("SELECT site, delay FROM robots_pace('{bundle}', '{CRAWLER}') ORDER BY site"),
    ]
}

/// Counts the rows that each process evaluated.
fn by_process(cluster: &Cluster, tables: &str) -> BTreeMap<u32, usize> {
    let sql = "SELECT robots_build()['pid'] AS pid, count(*) AS urls FROM urls GROUP BY 1";
    let answer = cluster.answer(tables, sql);
    let rows = answer.lines().skip(1).map(|row| row.split_once(',').unwrap());
    rows.map(|(pid, urls)| (pid.parse().unwrap(), urls.parse().unwrap())).collect()
}

/// Waits until every executor accepts tasks.
fn until_all_work(cluster: &mut Cluster, tables: &str) -> BTreeMap<u32, usize> {
    eventually("all executors to work", || {
        for executor in &mut cluster.executors {
            assert!(executor.is_running(), "it ended: {}", executor.stderr());
        }
        Some(by_process(cluster, tables)).filter(|pids| pids.len() == cluster.executors.len())
    })
}

const ONE_TASK: &[&str] = &["--tasks", "1"];

/// Starts two executors with one task each, and waits until both work.
fn two_executors(world: &World) -> (Cluster, String) {
    let mut cluster = Cluster::start(world.path(), &[ONE_TASK, ONE_TASK]);
    let tables = world.tables();
    until_all_work(&mut cluster, &tables);
    (cluster, tables)
}

/// Waits until the first executor has done a task of a query that runs, which is none of the queries `before`.
fn until_a_task_is_done(cluster: &Cluster, client: &mut Process, before: &[PathBuf]) {
    eventually("a task that is done", || {
        assert!(client.is_running(), "the query is over: {}", client.stderr());
        jobs(&cluster.work_dir(0)).into_iter().find(|job| !before.contains(job) && holds_file(job))
    });
}

#[test]
fn two_executors_answer_as_one_process_does() {
    let world = World::new(500);
    // Executors with several tasks share the work, too.
    let mut cluster = Cluster::start(world.path(), &[&["--tasks", "2"], &["--tasks", "2"]]);
    let tables = world.tables();
    let pids = until_all_work(&mut cluster, &tables);
    let executors: Vec<u32> = cluster.executors.iter().map(Process::pid).collect();
    assert!(executors.iter().all(|pid| pids.contains_key(pid)), "{pids:?}");
    assert_eq!(pids.values().sum::<usize>(), FILES * 500);

    // The count, the rows, and one field of the struct.
    assert_eq!(cluster.answer(&tables, &count(&world.bundle)), world.counted());
    let verdict = |field: &str| format!("robots_verdict('{}', '{CRAWLER}', url)['{field}']", world.bundle);
    let (word, line) = (verdict("verdict"), verdict("line"));
    let rows = format!("SELECT number, {word}, {line} FROM urls ORDER BY number");
    assert_eq!(cluster.answer(&tables, &rows), embedded(world.path(), &tables, &rows));

    // The sites of the bundle, alone and joined with other tables.
    for sites in [
        format!(
            "SELECT outcome, count(*) AS sites FROM robots_sites('{}') GROUP BY 1 ORDER BY 1",
            world.bundle
        ),
        format!("SELECT site, first, versions FROM robots_sites('{}') ORDER BY site", world.bundle),
        format!("SELECT site, delay FROM robots_pace('{}', 'ExampleBot') ORDER BY site", world.bundle),
        format!(
            "SELECT count(*) FROM urls JOIN robots_sites('{}') AS s ON starts_with(url, s.site || '/')
             WHERE number < 500",
            world.bundle
        ),
    ] {
        assert_eq!(cluster.answer(&tables, &sites), embedded(world.path(), &tables, &sites), "{sites}");
    }
    shards_are_opened_where_their_hosts_are_met(&world, &cluster);
    a_stale_bundle_is_an_error(&world, &cluster);
    let error = cluster.refusal(&tables, &count("/no such.bundle"));
    assert!(error.contains("robots_allowed: /no such.bundle: cannot be read"), "{error}");

    // On SIGTERM, all processes end in an orderly way.
    for process in &mut cluster.executors {
        process.ask_to_end();
        assert!(process.wait().success(), "{}", process.stderr());
    }
    cluster.scheduler().ask_to_end();
    assert!(cluster.scheduler().wait().success());
}

/// The planner and the executors find different files with the same name, as on machines with separate disks. All
/// processes run in folders of their own, and the bundle's name is relative.
fn a_stale_bundle_is_an_error(world: &World, cluster: &Cluster) {
    let (tables, query) = (world.tables(), count("relative.bundle"));
    let of = |folder: &str| world.path().join(folder).join("relative.bundle");
    let [day, tomorrow] = ["day", "tomorrow"].map(store);
    for executor in ["executor-0", "executor-1"] {
        write_bundle(&of(executor), &day);
    }
    let queries = |bundle: &str| [&[count(bundle)], &of_tables(bundle)[..]].concat();
    let expected: Vec<_> = queries("relative.bundle")
        .iter()
        .map(|query| embedded(&world.path().join("executor-0"), &tables, query))
        .collect();
    assert_eq!(expected[0], world.counted());
    let answers =
        |bundle: &str| queries(bundle).iter().map(|query| cluster.answer(&tables, query)).collect::<Vec<_>>();
    // Neither the client nor the scheduler has the file, so nothing says that the executors have the same one.
    let pinned = format!("relative.bundle#{}", day.fingerprint());
    for query in queries("relative.bundle") {
        let error = cluster.refusal(&tables, &query);
        assert!(
            error.contains("could not be opened where the query was planned") && error.contains(&pinned),
            "{error}"
        );
    }
    assert_eq!(answers(&pinned), expected);
    // One of them has it.
    for planner in ["scheduler", "client"] {
        write_bundle(&of(planner), &day);
        assert_eq!(answers("relative.bundle"), expected, "{planner}");
        std::fs::remove_file(of(planner)).unwrap();
    }
    write_bundle(&of("client"), &day);
    // One of the executors has yesterday's.
    write_bundle(&of("executor-1"), &tomorrow);
    let stale = |expected: &PolicyStore, found: &PolicyStore| {
        let (expected, found) = (expected.fingerprint(), found.fingerprint());
        format!("relative.bundle: another bundle than was asked for: expected {expected}, found {found}")
    };
    let error = cluster.refusal(&tables, &query);
    assert!(error.contains(&stale(&day, &tomorrow)), "{error}");
    assert!(error.contains("Give every machine the same file"), "{error}");
    // `robots_build` reports which process has which bundle.
    let sql = "SELECT DISTINCT robots_build('relative.bundle')['bundle'] AS bundle FROM urls ORDER BY 1";
    let mut bundles = [&day, &tomorrow].map(|store| store.fingerprint().to_string());
    bundles.sort();
    assert_eq!(cluster.answer(&tables, sql), format!("bundle\n{}\n", bundles.join("\n")));
    // The copy to one of the executors was cut off.
    for length in [day.bytes().len() / 2, day.bytes().len() - 1, 0] {
        std::fs::write(of("executor-1"), &day.bytes()[..length]).unwrap();
        let error = cluster.refusal(&tables, &query);
        assert!(error.contains("robots_allowed: relative.bundle: "), "{length}: {error}");
    }
    // One task reads a table. If it runs on the other executor, its answer is complete.
    let table_is_right_or_refused = |problem: &str| {
        for (query, expected) in queries("relative.bundle").iter().zip(&expected).skip(1) {
            match outcome_of(cluster.ask(&tables, query)) {
                Ok(answer) => assert_eq!(&answer, expected),
                Err(error) => assert!(error.contains(problem), "{error}"),
            }
        }
    };
    table_is_right_or_refused("relative.bundle: ");
    write_bundle(&of("executor-1"), &tomorrow);
    table_is_right_or_refused(&stale(&day, &tomorrow));
    write_bundle(&of("executor-1"), &day);
    assert_eq!(cluster.answer(&tables, &query), world.counted());
    // The scheduler has another one, which does not matter if the client has the bundle.
    write_bundle(&of("scheduler"), &tomorrow);
    assert_eq!(answers("relative.bundle"), expected);
    std::fs::remove_file(of("client")).unwrap();
    for query in queries("relative.bundle") {
        let error = cluster.refusal(&tables, &query);
        assert!(error.contains(&stale(&tomorrow, &day)), "{error}");
    }
    // The copy to the client was cut off: the scheduler pins the bundle.
    std::fs::write(of("client"), &day.bytes()[..day.bytes().len() - 1]).unwrap();
    write_bundle(&of("scheduler"), &day);
    assert_eq!(answers("relative.bundle"), expected);
    std::fs::remove_file(of("scheduler")).unwrap();
    for query in queries("relative.bundle") {
        let error = cluster.refusal(&tables, &query);
        assert!(error.contains("could not be opened where the query was planned"), "{error}");
    }
    // All of them have another one.
    write_bundle(&of("client"), &tomorrow);
    for query in queries("relative.bundle") {
        let error = cluster.refusal(&tables, &query);
        assert!(error.contains(&stale(&tomorrow, &day)), "{error}");
    }
}

fn shards_are_opened_where_their_hosts_are_met(world: &World, cluster: &Cluster) {
    let (files, sharded) = write_shards(&world.path().join("s"), &store("day"), 4);
    let file = |shard: u32| files.file(shard);
    let tables = world.tables();
    // A missing shard is not an error if no URL is on its hosts.
    let shard_of = |host: usize| {
        robomata_engine::Site::of_url(format!("https://h{host}.example").as_bytes()).unwrap().shard(4)
    };
    let aside = world.path().join("aside");
    std::fs::rename(file(shard_of(0)), &aside).unwrap();
    let host = (1..60).find(|&host| shard_of(host) != shard_of(0)).unwrap();
    let of_host = |bundle: &str, host: usize| {
        count(bundle).replace("GROUP BY", &format!("WHERE url LIKE 'https://h{host}.example/%' GROUP BY"))
    };
    let of_whole = embedded(world.path(), &tables, &of_host(&world.bundle, host));
    assert_eq!(cluster.answer(&tables, &of_host(&sharded, host)), of_whole);
    let error = cluster.refusal(&tables, &of_host(&sharded, 0));
    assert!(error.contains(file(shard_of(0)).to_str().unwrap()), "{error}");
    std::fs::rename(aside, file(shard_of(0))).unwrap();
    assert_eq!(cluster.answer(&tables, &count(&sharded)), world.counted());
}

#[test]
fn an_executor_that_is_killed_in_mid_query_is_made_up_for() {
    let world = World::new(4000);
    let (mut cluster, tables) = two_executors(&world);
    let before = jobs(&cluster.work_dir(0));

    let may = format!("robots_allowed('{}', '{CRAWLER}', url)", world.bundle);
    let sql = format!(
        "SELECT robots_build()['pid'] AS pid, {may} AS may, count(*) AS urls FROM urls GROUP BY 1, 2"
    );
    let mut client = cluster.ask(&tables, &sql);
    // The first executor has completed part of this query, and many tasks remain for both.
    until_a_task_is_done(&cluster, &mut client, &before);
    cluster.executors[0].kill();

    let answer = answer_of(client);
    let mut counted = BTreeMap::from([("true", 0), ("false", 0), ("", 0)]);
    let mut pids = Vec::new();
    for row in answer.lines().skip(1) {
        let [pid, may, urls] = row.split(',').collect::<Vec<_>>()[..] else { panic!("{row}") };
        *counted.get_mut(may).unwrap() += urls.parse::<usize>().unwrap();
        pids.push(pid.parse::<u32>().unwrap());
    }
    assert_eq!([counted["true"], counted["false"], counted[""]], world.expected);
    // The results of the killed executor were lost and computed again.
    let survivor = cluster.executors[1].pid();
    assert!(pids.iter().all(|&pid| pid == survivor), "{answer}");
    let log = cluster.scheduler().stderr();
    assert!(log.contains("timed out") || log.contains("Failed to launch"), "{log}");
    // The next query runs without it.
    assert_eq!(cluster.answer(&tables, &count(&world.bundle)), world.counted());
}

#[test]
fn an_executor_that_pauses_is_made_up_for_and_works_again() {
    let world = World::new(4000);
    let (mut cluster, tables) = two_executors(&world);

    let client = cluster.ask(&tables, &count(&world.bundle));
    cluster.executors[0].pause();
    assert_eq!(answer_of(client), world.counted());
    assert_eq!(cluster.answer(&tables, &count(&world.bundle)), world.counted());
    cluster.executors[0].go_on();
    until_all_work(&mut cluster, &tables);
    assert_eq!(cluster.answer(&tables, &count(&world.bundle)), world.counted());
}

#[test]
fn an_executor_that_is_restarted_in_mid_query_is_made_up_for() {
    let world = World::new(4000);
    let (mut cluster, tables) = two_executors(&world);
    let query = count(&world.bundle);
    let asked = |cluster: &Cluster| {
        let before = jobs(&cluster.work_dir(0));
        let mut client = cluster.ask(&tables, &query);
        until_a_task_is_done(cluster, &mut client, &before);
        client
    };

    // In an orderly way, and by SIGKILL.
    let client = asked(&cluster);
    cluster.executors[0].ask_to_end();
    assert!(cluster.executors[0].wait().success());
    cluster.restart_executor(0, ONE_TASK);
    assert_eq!(answer_of(client), world.counted());
    until_all_work(&mut cluster, &tables);

    let client = asked(&cluster);
    cluster.executors[0].kill();
    cluster.restart_executor(0, ONE_TASK);
    assert_eq!(answer_of(client), world.counted());
    until_all_work(&mut cluster, &tables);
    assert_eq!(cluster.answer(&tables, &query), world.counted());

    // The bundle is replaced during a query. No answer is from both bundles.
    let client = asked(&cluster);
    write_bundle(Path::new(&world.bundle), &store("tomorrow"));
    match outcome_of(client) {
        Ok(answer) => assert_eq!(answer, world.counted()),
        Err(error) => assert!(error.contains("another bundle than was asked for"), "{error}"),
    }
    assert_ne!(cluster.answer(&tables, &query), world.counted());
}

#[test]
fn a_scheduler_that_pauses_delays_a_query_and_one_that_dies_fails_it() {
    let world = World::new(4000);
    let (mut cluster, tables) = two_executors(&world);

    // Longer than the time after which it considers executors lost.
    let client = cluster.ask(&tables, &count(&world.bundle));
    cluster.scheduler().pause();
    std::thread::sleep(std::time::Duration::from_secs(10));
    cluster.scheduler().go_on();
    assert_eq!(answer_of(client), world.counted());

    let before = jobs(&cluster.work_dir(0));
    let mut client = cluster.ask(&tables, &count(&world.bundle));
    until_a_task_is_done(&cluster, &mut client, &before);
    cluster.replace_scheduler();
    assert!(!client.wait().success(), "{}", client.stdout());
    assert!(client.stderr().contains("error: "), "{}", client.stderr());
    assert!(client.stdout().lines().count() <= 1, "no row of a result is written: {}", client.stdout());
    // The executors find the new scheduler by its address.
    until_all_work(&mut cluster, &tables);
    assert_eq!(cluster.answer(&tables, &count(&world.bundle)), world.counted());
}

/// The folders of the queries for which an executor has worked.
fn jobs(work: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(work) else { return vec![] };
    entries.map(|entry| entry.unwrap().path()).collect()
}

fn holds_file(folder: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else { return false };
    entries.flatten().any(|entry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => holds_file(&entry.path()),
        _ => entry.metadata().is_ok_and(|metadata| metadata.len() > 0),
    })
}

#[test]
fn an_executor_without_the_functions_is_reported() {
    let world = World::new(20);
    let cluster = Cluster::start(world.path(), &[&["--without-functions"]]);
    let tables = world.tables();
    // It works, except for the functions.
    assert_eq!(cluster.answer(&tables, "SELECT count(*) AS urls FROM urls"), "urls\n480\n");
    for query in [count(&world.bundle), "SELECT DISTINCT robots_build() FROM urls".to_owned()] {
        let error = cluster.refusal(&tables, &query);
        assert!(error.contains("Every executor must be a robomata-executor"), "{error}");
    }
}
