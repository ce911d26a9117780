//! Bodies that are encoded, mislabelled, or not what was asked for.

use std::io::Write as _;

use rowhaul::client::{ErrorKind, Outcome};

use super::*;
use crate::support::script_server::with_headers;

const ROWS: &str = r#"{"status": "completed", "row_count": 2, "data": [{"a": 1}, {"a": 2}]}"#;

async fn fetched(headers: &str, body: &[u8]) -> Result<usize, Error> {
    let reply = with_headers(200, headers, body);
    let server =
        ScriptServer::play(move |request, _| if request.is_results() { reply.clone() } else { status("running") })
            .await;
    rows(&client(&server)).await.map(|(_, rows)| rows.len())
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test]
async fn gzip_and_zstd_are_asked_for_and_undone() {
    assert_eq!(fetched("content-encoding: gzip\r\n", &gzip(ROWS.as_bytes())).await.unwrap(), 2);
    assert_eq!(
        fetched("content-encoding: zstd\r\n", &zstd::bulk::compress(ROWS.as_bytes(), 3).unwrap()).await.unwrap(),
        2
    );
    let server = ScriptServer::play(|request, _| well(request)).await;
    client(&server).balance().await.unwrap();
    assert!(server.seen()[0].head.contains("accept-encoding: gzip, zstd\r\n"));
}

#[tokio::test]
async fn a_bomb_and_every_wrong_encoding_is_bad_and_tried_once_more() {
    let bomb = gzip(&vec![b' '; 64 << 20]);
    let mut corrupt = gzip(ROWS.as_bytes());
    corrupt[15] ^= 0xFF;
    let cut = gzip(ROWS.as_bytes())[..40].to_vec();
    let cases: [(&str, &[u8]); 7] = [
        ("gzip", &bomb),
        ("gzip", &corrupt),
        ("gzip", &cut),
        ("gzip", ROWS.as_bytes()),
        ("zstd", ROWS.as_bytes()),
        ("br", ROWS.as_bytes()),
        ("gzip, gzip", &gzip(&gzip(ROWS.as_bytes()))),
    ];
    for (encoding, body) in cases {
        let reply = with_headers(200, &format!("content-encoding: {encoding}\r\n"), body);
        let server = ScriptServer::play(move |_, _| reply.clone()).await;
        let error = rows(&client(&server)).await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::BadResponse), "{encoding}: {error:?}");
        assert_eq!(server.gets(), 2, "{encoding}");
    }
}

#[tokio::test]
async fn an_encoded_body_that_turns_out_garbled_is_fetched_once_more_and_a_plain_one_is_not() {
    // A flipped bit of a stored block comes out as another letter, long before the check sum says so.
    let stored = |text: &str| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let rows: Vec<Value> = (0..3000).map(|n| json!({"number": n})).collect();
    let long = json!({"status": "completed", "row_count": rows.len(), "data": rows}).to_string();
    let zstd = |text: &str| zstd::bulk::compress(text.as_bytes(), 3).unwrap();
    let garbled = long.replacen("\"number\":7}", "\"number\";7}", 1);
    let in_gzip = {
        let mut whole = stored(&long);
        let at = whole.windows(11).position(|bytes| bytes == b"\"number\":7}").unwrap() + 8;
        whole[at] ^= 1;
        whole
    };
    for (encoding, wrong, whole) in [("gzip", in_gzip, stored(&long)), ("zstd", zstd(&garbled), zstd(&long))] {
        let reply = move |body: &[u8]| with_headers(200, &format!("content-encoding: {encoding}\r\n"), body);
        let (wrong, whole) = (reply(&wrong), reply(&whole));
        let server = ScriptServer::play({
            let wrong = wrong.clone();
            move |_, before| if before == 0 { wrong.clone() } else { whole.clone() }
        })
        .await;
        assert_eq!(super::rows(&client(&server)).await.unwrap().1.len(), 3000, "{encoding}");
        let server = ScriptServer::play(move |_, _| wrong.clone()).await;
        let error = super::rows(&client(&server)).await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Decode(_)), "{encoding}: {error:?}");
        assert_eq!(server.gets(), 2, "{encoding}");
    }
    let server = ScriptServer::play(move |_, _| with_headers(200, "", garbled.as_bytes())).await;
    super::rows(&client(&server)).await.unwrap_err();
    assert_eq!(server.gets(), 1);
}

#[tokio::test]
async fn a_large_encoded_body_ends_the_same_with_one_thread_and_with_several() {
    let rows: Vec<Value> =
        (0..30_000_u64).map(|n| json!({"n": n, "hash": n.wrapping_mul(0x9E37_79B9_7F4A_7C15)})).collect();
    let body = json!({"status": "completed", "row_count": rows.len(), "data": rows}).to_string();
    let wrong = body.replacen("\"n\":29000,", "\"n\":29000;", 1);
    let whole = gzip(body.as_bytes());
    let mut corrupt = whole.clone();
    let late = corrupt.len() - 1000;
    corrupt[late] ^= 0x55;
    let cases = [whole.clone(), whole[..late].to_vec(), corrupt, gzip(wrong.as_bytes())];
    for (case, encoded) in cases.into_iter().enumerate() {
        let mut outcomes = Vec::new();
        for threads in [1, 2, 4] {
            let reply = with_headers(200, "content-encoding: gzip\r\n", &encoded);
            let server = ScriptServer::play(move |_, _| reply.clone()).await;
            let fetched = super::rows(&Client::new(ClientConfig { threads, ..config(&server) }).unwrap()).await;
            let fetched = fetched.map(|(_, rows)| rows.len()).map_err(|error| error.to_string());
            assert_eq!(fetched.is_ok(), case == 0, "{fetched:?}");
            outcomes.push((fetched, server.gets()));
        }
        assert!(outcomes.iter().all(|outcome| *outcome == outcomes[0]), "{outcomes:?}");
    }
}

#[tokio::test]
async fn no_thread_at_all_is_a_mistake_in_the_configuration() {
    let server = ScriptServer::play(|request, _| well(request)).await;
    let error = Client::new(ClientConfig { threads: 0, ..config(&server) }).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Config) && error.message().contains("`threads`"), "{error:?}");
}

#[tokio::test]
async fn an_answer_larger_than_its_limit_is_bad() {
    let server = ScriptServer::play(|_, _| results(1000)).await;
    let mut config = config(&server);
    config.max_response_bytes = 1000;
    let error = rows(&Client::new(config).unwrap()).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::BadResponse), "{error:?}");
    assert!(error.message().contains("limit of 1000 bytes"), "{error}");
}

#[tokio::test]
async fn json_under_a_wrong_or_missing_type_is_read() {
    for kind in ["", "content-type: text/html\r\n", "content-type: text/csv\r\n", "content-type: \r\n"] {
        for before in ["", "\n  ", "\u{feff}", "\u{feff}\r\n"] {
            let body = format!("{before}{ROWS}");
            assert_eq!(fetched(kind, body.as_bytes()).await.unwrap(), 2, "{kind}: {body}");
        }
    }
}

#[tokio::test]
async fn csv_is_read_as_text() {
    assert_eq!(fetched("content-type: text/csv; charset=utf-8\r\n", b"a,b\r\n007,x\r\n1,\r\n").await.unwrap(), 2);
    let error = fetched("content-type: text/csv\r\n", b"a,b\r\n1\r\n").await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Decode(_)), "{error:?}");
}

/// The results of a job that the service says has three rows.
async fn of_three_rows(results: Reply) -> (Result<usize, Error>, usize) {
    let server = ScriptServer::play(move |request, _| {
        if request.is_results() {
            return results.clone();
        }
        answer(200, r#"{"job_id": "j1", "status": "completed", "row_count": 3}"#)
    })
    .await;
    let client = client(&server);
    let job = refresh(&client, &client.job("j1", None).unwrap()).await.unwrap();
    let fetched = client.rows(&job, &RowOptions::default(), &Progress::new()).await.map_err(scanned);
    (fetched.map(|(_, rows)| rows.len()), server.gets() - 1)
}

#[tokio::test]
async fn csv_that_was_cut_between_two_rows_is_no_result_and_hands_over_what_came() {
    let two = "a,b\r\n1,x\r\n2,y\r\n";
    let close_delimited =
        |body: &str| Reply::Close(format!("HTTP/1.1 200 OK\r\ncontent-type: text/csv\r\n\r\n{body}").into());
    for (reply, attempts) in [
        (with_headers(200, "content-type: text/csv\r\n", two.as_bytes()), 1),
        // Only the end of the connection ended it: that may have come too soon, and the next time it may not.
        (close_delimited(two), 8),
    ] {
        let (fetched, gets) = of_three_rows(reply).await;
        let error = fetched.unwrap_err();
        let ErrorKind::Decode(decode) = error.kind() else { panic!("{error:?}") };
        assert_eq!((decode.rows.len(), error.outcome(), gets), (2, Outcome::Accepted, attempts));
        assert!(error.message().contains("3 rows"), "{error}");
    }
    let (fetched, gets) = of_three_rows(close_delimited("a,b\r\n1,x\r\n2,y\r\n3,z\r\n")).await;
    assert_eq!((fetched.unwrap(), gets), (3, 1));
}

#[tokio::test]
async fn a_page_an_empty_body_and_a_204_are_bad_and_named() {
    let page = b"<!doctype html><html><head><title>Sign in\n to Hotel</title></head>";
    let error = fetched("content-type: text/html\r\n", page).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::BadResponse), "{error:?}");
    assert!(error.message().contains("`text/html`, titled `Sign in to Hotel`"), "{error}");
    let long = [page.as_slice(), &vec![b'x'; 100_000]].concat();
    assert!(fetched("content-type: text/html\r\n", &long).await.unwrap_err().message().contains("Hotel"));
    let error = fetched("content-type: application/json\r\n", b"").await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::BadResponse) && error.message().contains("empty"), "{error:?}");
    let server = ScriptServer::play(|_, _| with_headers(204, "", b"")).await;
    let error = scanned(client(&server).balance().await.unwrap_err());
    assert!(matches!(error.kind(), ErrorKind::BadResponse), "{error:?}");
}

#[tokio::test]
async fn broken_rows_are_a_decode_error_that_hands_over_what_was_read() {
    let error =
        fetched("", br#"{"status": "completed", "row_count": 9, "data": [{"a": 1}, {"a": 2}]}"#).await.unwrap_err();
    let ErrorKind::Decode(decode) = error.kind() else { panic!("{error:?}") };
    assert_eq!((decode.rows.len(), error.outcome()), (2, Outcome::Accepted));
    let error = fetched("", br#"{"status": "completed", "data": [{"a": 1}, {"a": }]}"#).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Decode(decode) if decode.row == Some(1)), "{error:?}");
}

#[tokio::test]
async fn another_jobs_id_in_the_answer_is_bad() {
    let error = fetched("", br#"{"job_id": "j2", "status": "completed", "data": []}"#).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::BadResponse) && error.message().contains("j2"), "{error:?}");
    let server = ScriptServer::play(|_, _| answer(200, r#"{"id": "j2", "status": "running"}"#)).await;
    let client = client(&server);
    let error = refresh(&client, &client.job("j1", None).unwrap()).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::BadResponse), "{error:?}");
}

#[tokio::test]
async fn more_rows_than_were_asked_for_are_kept_and_their_cost_is_noted() {
    let server = ScriptServer::play(|request, _| if request.is_results() { results(5) } else { well(request) }).await;
    let (job, rows) = run(&client(&server)).await.unwrap();
    assert_eq!((rows.len(), job.cost_usd().unwrap().to_string().as_str()), (5, "0.05"));
    let note = &rows.notes().last().unwrap().message;
    assert_eq!(note, "5 rows came where at most 3 were asked for; the 2 more cost 0.02 USD");
}

#[tokio::test]
async fn a_known_agents_columns_are_there_even_without_rows() {
    let server = ScriptServer::play(|request, _| if request.is_results() { results(0) } else { well(request) }).await;
    let (_, rows) = run(&client(&server)).await.unwrap();
    assert_eq!((rows.len(), rows.schema().fields().len()), (0, 29));
}

#[tokio::test]
async fn a_result_is_streamed_in_batches_of_one_schema() {
    let server = ScriptServer::play(|request, _| if request.is_results() { results(10) } else { well(request) }).await;
    let client = client(&server);
    let options = RowOptions { batch_rows: 4, ..RowOptions::default() };
    let spooled = client.spool(&client.job("j1", None).unwrap(), &options, &Progress::new()).await.unwrap();
    assert_eq!(spooled.row_count, 10);
    let sizes: Vec<usize> = spooled.batches.map(|batch| batch.unwrap().num_rows()).collect();
    assert_eq!((sizes.iter().sum::<usize>(), sizes.iter().all(|size| *size <= 4)), (10, true), "{sizes:?}");
}
