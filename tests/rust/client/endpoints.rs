//! Every endpoint of the contract, in both path forms and with group names of a service's own.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use rowhaul::client::ErrorKind;
use rowhaul::wire::PathForm;
use serde_json::Map;

use super::*;

fn paths(server: &ScriptServer) -> Vec<String> {
    server.seen().iter().map(|request| format!("{} {}", request.method, request.path)).collect()
}

#[tokio::test]
async fn both_path_forms_are_spoken() {
    for (form, run_path, jobs) in [
        (PathForm::Agents, "/api/v1/agents/events/events/run", "/api/v1/jobs/j1"),
        (PathForm::Data, "/v1/data/events/events/run", "/v1/jobs/j1"),
    ] {
        let server = ScriptServer::play(|request, _| well(request)).await;
        let mut config = config(&server);
        config.paths = form;
        run(&Client::new(config).unwrap()).await.unwrap();
        let expected = [format!("POST {run_path}"), format!("GET {jobs}"), format!("GET {jobs}/results")];
        assert_eq!(paths(&server), expected);
        let body: Value = serde_json::from_slice(&server.seen()[0].body).unwrap();
        let queries = if form == PathForm::Data { json!("jazz") } else { json!(["jazz"]) };
        assert_eq!(body["params"]["searchQueries"], queries);
    }
}

#[tokio::test]
async fn a_trailing_api_v1_and_a_prefix_are_understood() {
    for (suffix, path) in [("/api/v1", "/api/v1/balance"), ("/gate/way/", "/gate/way/api/v1/balance")] {
        let server = ScriptServer::play(|request, _| well(request)).await;
        let mut config = config(&server);
        config.base_url += suffix;
        Client::new(config).unwrap().balance().await.unwrap();
        assert_eq!(server.seen()[0].path, path);
    }
}

#[tokio::test]
async fn a_placeholders_group_is_sent_under_the_services_name_and_recognised_by_it() {
    let server = ScriptServer::play(|request, _| if request.is_results() { results(0) } else { well(request) }).await;
    let mut config = config(&server);
    config.groups = BTreeMap::from([("events".to_owned(), "happenings".to_owned())]);
    let client = Client::new(config).unwrap();
    for name in ["events/events", "happenings/events"] {
        let request = of(name, &json!({"searchQueries": "jazz", "maxResults": 3}));
        let (_, rows) = client.run(&request, &RunOptions::default(), &Progress::new()).await.unwrap();
        assert_eq!(rows.schema().fields().len(), 29);
    }
    let starts: Vec<Seen> = server.seen().into_iter().filter(Seen::is_start).collect();
    assert!(starts.iter().all(|start| start.path == "/api/v1/agents/happenings/events/run"));
    assert_eq!(starts[0].body, starts[1].body);
    let wrong = of("happenings/events", &json!({"maxResult": 3}));
    let error = client.start(&wrong, None, &Progress::new()).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::InvalidParams { field, .. } if field == "maxResult"), "{error:?}");
}

#[test]
fn a_request_is_checked_when_it_is_made_if_its_agent_is_known() {
    let params = |value: Value| value.as_object().unwrap().clone();
    let error = Request::new("events/events", Map::new()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::InvalidParams { field, .. } if field == "searchQueries"), "{error:?}");
    assert!(Request::new("no-slash", Map::new()).is_err());
    let strange = Request::new("other/agent", params(json!({"any": "params"}))).unwrap();
    assert_eq!(strange.params()["any"], "params");
    let completed = Request::new("video/shorts-scraper", params(json!({"channels": "@c"}))).unwrap();
    assert_eq!(Value::Object(completed.params().clone()), json!({"channels": ["@c"], "maxResultsShorts": 50}));
}

#[tokio::test]
async fn groups_agents_details_and_balance_are_asked_for() {
    let server = ScriptServer::play(|request, _| match request.path.as_str() {
        "/api/v1/agents" => answer(200, r#"{"groups": ["a", "b"]}"#),
        "/api/v1/agents/all" | "/api/v1/agents/a" => {
            answer(200, r#"{"agents": [{"group": "a", "slug": "s", "price_per_1k_usd": 3}]}"#)
        }
        _ => well(request),
    })
    .await;
    let client = client(&server);
    assert_eq!(client.groups().await.unwrap(), ["a", "b"]);
    assert_eq!(client.agents(None).await.unwrap()[0].slug, "s");
    assert_eq!(client.agents(Some("a")).await.unwrap().len(), 1);
    let details = client.agent("events/events").await.unwrap();
    assert_eq!(details.price_per_1k_usd.unwrap().0.to_string(), "10");
    assert_eq!(client.job("j1", Some("a/s")).unwrap().price_per_1k_usd().unwrap().to_string(), "3");
}

#[tokio::test]
async fn without_a_list_of_agents_the_catalogue_answers_where_there_is_a_service_at_all() {
    let nowhere = ScriptServer::play(|_, _| answer(404, "")).await;
    let error = client(&nowhere).agents(None).await.unwrap_err();
    assert_eq!((error.status_code(), error.hint().unwrap().contains("`base_url`")), (Some(404), true));
    let server = ScriptServer::play(|request, _| match request.path.as_str() {
        "/api/v1/agents" => answer(200, r#"{"groups": ["video", "retail", "events"]}"#),
        _ => answer(404, ""),
    })
    .await;
    let client = client(&server);
    assert_eq!(client.agents(None).await.unwrap().len(), 9);
    assert_eq!(client.agents(Some("video")).await.unwrap().len(), 4);
    assert_eq!(client.agents(Some("unheard-of")).await.unwrap_err().status_code(), Some(404));
}

#[tokio::test]
async fn a_job_is_cancelled_where_the_service_offers_it() {
    for body in [r#"{"job_id": "j1", "status": "cancelled"}"#, ""] {
        let server = ScriptServer::play(move |request, _| match request.method.as_str() {
            "DELETE" => answer(200, body),
            _ => status("cancelled"),
        })
        .await;
        let client = client(&server);
        let job = client.cancel(&client.job("j1", None).unwrap()).await.unwrap();
        assert_eq!(job.status().as_str(), "cancelled");
    }
}

#[tokio::test]
async fn a_cancelling_whose_answer_was_lost_is_no_refusal_when_it_is_asked_for_again() {
    for refusal in [404, 409] {
        let deletes = AtomicUsize::new(0);
        let server = ScriptServer::play(move |request, _| match request.method.as_str() {
            "DELETE" if deletes.fetch_add(1, Ordering::Relaxed) == 0 => Reply::Reset(Vec::new()),
            "DELETE" => answer(refusal, ""),
            _ => status("cancelled"),
        })
        .await;
        let client = client(&server);
        let job = client.cancel(&client.job("j1", None).unwrap()).await.unwrap();
        assert_eq!(job.status().as_str(), "cancelled");
    }
    let server = ScriptServer::play(|request, _| match request.method.as_str() {
        "DELETE" => answer(409, ""),
        _ => status("completed"),
    })
    .await;
    let client = client(&server);
    let error = client.cancel(&client.job("j1", None).unwrap()).await.unwrap_err();
    assert_eq!(error.status_code(), Some(409));
}

#[tokio::test]
async fn where_cancelling_is_not_offered_the_job_is_untouched() {
    for refusal in [404, 405, 501] {
        let server = ScriptServer::play(move |request, _| match request.method.as_str() {
            "DELETE" => answer(refusal, ""),
            _ => status("running"),
        })
        .await;
        let client = client(&server);
        let error = scanned(client.cancel(&client.job("j1", None).unwrap()).await.unwrap_err());
        assert!(matches!(error.kind(), ErrorKind::Unsupported), "{error:?}");
    }
    let server = ScriptServer::play(|_, _| answer(404, "")).await;
    let client = client(&server);
    let error = client.cancel(&client.job("j1", None).unwrap()).await.unwrap_err();
    assert_eq!(error.status_code(), Some(404));
}

#[tokio::test]
async fn a_download_is_the_body_as_sent_and_appears_whole_or_not_at_all() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("raw.json");
    let server = ScriptServer::play(|request, _| well(request)).await;
    let here = client(&server);
    let bytes = here.download(&here.job("j1", None).unwrap(), &path, &Progress::new()).await.unwrap();
    let saved = std::fs::read(&path).unwrap();
    assert_eq!((saved.len() as u64, saved.starts_with(b"{\"status\"") || saved.starts_with(b"{")), (bytes, true));

    // Cut short of the length that was told, and where only the end of the connection ends the body.
    for head in ["content-length: 99", "connection: close"] {
        let broken = ScriptServer::play(move |request, _| {
            if request.is_results() {
                let body = r#"{"status": "completed", "data": [{"a": 1}"#;
                Reply::Close(format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n{body}").into_bytes())
            } else {
                well(request)
            }
        })
        .await;
        let there = client(&broken);
        let other = directory.path().join("other.json");
        let error = there.download(&there.job("j1", None).unwrap(), &other, &Progress::new()).await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Read), "{error:?}");
        let files = std::fs::read_dir(directory.path()).unwrap();
        assert_eq!(files.map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>(), ["raw.json"]);
    }

    let nowhere = directory.path().join("missing/raw.json");
    let error = here.download(&here.job("j1", None).unwrap(), &nowhere, &Progress::new()).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::File { .. }), "{error:?}");
}

/// What a download comes to, and how many requests it made for the body; the job is told to have three rows.
async fn downloaded(head: &'static str, body: &'static [u8]) -> (Result<u64, Error>, usize) {
    let directory = tempfile::tempdir().unwrap();
    let server = ScriptServer::play(move |request, _| {
        if request.is_results() {
            let head = format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n");
            return Reply::Close([head.as_bytes(), body].concat());
        }
        answer(200, r#"{"job_id": "j1", "status": "completed", "row_count": 3}"#)
    })
    .await;
    let client = client(&server);
    let job = client.refresh(&client.job("j1", None).unwrap(), &Progress::new()).await.unwrap();
    let saved = client.download(&job, &directory.path().join("raw"), &Progress::new()).await;
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), usize::from(saved.is_ok()));
    (saved, server.gets() - 1)
}

#[tokio::test]
async fn half_a_body_is_not_saved_whatever_it_holds() {
    let deep: &'static [u8] =
        format!(r#"{{"data": [{{"a": {}1{}}}, {{"b": "]}}"#, "[".repeat(200), "]".repeat(200)).leak().as_bytes();
    for (head, body) in [
        ("content-type: text/csv", &b"a,b\r\n1,x\r\n2,y\r\n"[..]),
        ("content-type: text/csv", b"a,b\r\n1,x\r\n2,y\r\n3"),
        ("content-type: text/csv", b"a,b\r\n1,2\r\n\r\n3"),
        ("content-type: text/csv", b"id,text\n1,\"first line\nsecond li"),
        ("content-type: text/csv", b"id,text,n\n1,\"a\nb\""),
        ("content-type: text/csv", br#"{"data": [{"a": 1}"#),
        ("content-type: application/json", deep),
        ("content-type: application/json", b"\xef\xbb"),
    ] {
        let (saved, gets) = downloaded(head, body).await;
        let error = saved.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Read | ErrorKind::Decode(_)), "{error:?}");
        assert!(gets > 1, "{error:?}");
    }
    for body in [&br#"{"data": [{"a": }]}"#[..], br#"{"rows": "\ud800"}"#, b"\xef\xbb\xbf[1, 2, 3]"] {
        assert_eq!(downloaded("content-type: application/json", body).await.0.unwrap(), body.len() as u64);
    }
    // All rows, more than all, and what nobody decodes.
    for body in [&b"a\n1\n2\n3\n"[..], b"a\n1\n2\n3\n4\n", b"a\n\xe4\n2\n3\n", b"a\n1\n\xe4\n3\n", b"a,a\n1,2\n"] {
        assert_eq!(downloaded("content-type: text/csv", body).await.0.unwrap(), body.len() as u64);
    }
}

#[tokio::test]
async fn a_page_and_an_empty_body_are_not_saved_as_results() {
    for head in ["content-type: text/html", "content-type: text/html\r\ncontent-length: 22"] {
        let (saved, gets) = downloaded(head, b"<html>Sign in, please.").await;
        let error = saved.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::BadResponse) && error.message().contains("text/html"), "{error:?}");
        assert_eq!(gets, 1);
    }
    for body in [&b""[..], b" \r\n"] {
        let (saved, gets) = downloaded("content-type: application/json", body).await;
        let error = saved.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::BadResponse) && error.message().contains("empty"), "{error:?}");
        assert_eq!(gets, 1);
    }
}

#[test]
fn a_configuration_that_cannot_be_right_is_refused() {
    let config = || ClientConfig::new("https://h.example", ApiKey::new(CANARY).unwrap());
    let mut cases = vec![config(), config(), config(), config(), config()];
    cases[0].groups = BTreeMap::from([("vidoe".to_owned(), "x".to_owned())]);
    cases[1].groups = BTreeMap::from([("video".to_owned(), "a/b".to_owned())]);
    cases[2].requests_per_minute = Some(0.0);
    cases[3].base_url = "http://h.example".to_owned();
    cases[4].ca_file = Some("/nonexistent/ca.pem".into());
    for case in cases {
        let error = scanned(Client::new(case).unwrap_err());
        assert!(matches!(error.kind(), ErrorKind::Config), "{error:?}");
    }
}
