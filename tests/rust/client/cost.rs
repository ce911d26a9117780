//! What a job cost, where nobody had asked for the price before: asked once, beside the run, and never in its way.

use rowhaul::ledger::{Place, Which};
use rust_decimal::Decimal;

use super::*;
use crate::support::script_server::with_headers;

fn usd(text: &str) -> Decimal {
    text.parse().unwrap()
}

/// A request of an agent whose price no catalogue states.
fn comments() -> Request {
    of("video/comment-scraper", &json!({"startUrls": ["https://v.example/1"], "maxComments": 3}))
}

async fn run_of(client: &Client, request: &Request) -> Result<(Job, Rows), Error> {
    client.run(request, &RunOptions::default(), &Progress::new()).await.map_err(scanned)
}

fn asks_price(request: &Seen) -> bool {
    request.method == "GET" && request.path.contains("/agents/")
}

/// How often a price was asked for.
fn quotes(server: &ScriptServer) -> usize {
    server.seen().iter().filter(|request| asks_price(request)).count()
}

/// A service that does everything right and answers this about agents.
async fn telling(details: Reply) -> ScriptServer {
    ScriptServer::play(move |request, _| if asks_price(request) { details.clone() } else { well(request) }).await
}

fn priced(price: &str) -> Reply {
    answer(200, &format!(r#"{{"group": "video", "slug": "comment-scraper", "price_per_1k_usd": {price}}}"#))
}

#[tokio::test]
async fn a_run_without_a_cap_tells_its_cost_and_asks_for_the_price_once() {
    let server = telling(priced("2.5")).await;
    let client = client(&server);
    for _ in 0..3 {
        let (job, _) = run_of(&client, &comments()).await.unwrap();
        assert_eq!(job.cost_usd(), Some(usd("0.0075")));
    }
    let per_run = 3;
    assert_eq!((quotes(&server), server.seen().len()), (1, 3 * per_run + 1));
}

#[tokio::test]
async fn an_agent_whose_price_the_catalogue_states_is_not_asked() {
    let server = telling(priced("99")).await;
    let (job, _) = run(&client(&server)).await.unwrap();
    assert_eq!((job.cost_usd(), quotes(&server)), (Some(usd("0.03")), 0));
}

#[tokio::test]
async fn a_price_that_is_not_told_leaves_the_cost_unknown_and_the_run_as_it_is() {
    for details in [
        answer(404, "{}"),
        answer(500, "{}"),
        answer(401, "{}"),
        answer(200, "<html>"),
        answer(200, r#"{"group": "video", "slug": "comment-scraper", "credits_per_row": 1}"#),
        priced("null"),
        priced("-1"),
        with_headers(302, "location: /elsewhere\r\n", b""),
        Reply::Reset(Vec::new()),
    ] {
        let server = telling(details).await;
        let client = client(&server);
        for _ in 0..3 {
            let (job, rows) = run_of(&client, &comments()).await.unwrap();
            assert_eq!((job.cost_usd(), rows.len(), rows.notes().len()), (None, 3, 0));
        }
        assert_eq!(quotes(&server), 1);
    }
}

#[tokio::test]
async fn a_question_for_the_price_that_nobody_answers_holds_up_no_rows() {
    let server = telling(Reply::Stall(Vec::new())).await;
    let client = impatient(&server);
    for _ in 0..3 {
        let (job, rows) = run_of(&client, &comments()).await.unwrap();
        assert_eq!((job.cost_usd(), rows.len(), quotes(&server)), (None, 3, 1));
    }
}

#[tokio::test]
async fn many_runs_of_one_agent_ask_for_its_price_once_and_all_tell_their_cost() {
    let server = telling(priced("10")).await;
    let many = client(&server).many(16, None, RunOptions::default()).unwrap();
    for number in 0..16 {
        many.add(number, comments());
    }
    let mut costs = Vec::new();
    while let Some(done) = many.next().await {
        costs.push(done.cost_usd());
    }
    assert_eq!((costs, quotes(&server)), (vec![Some(usd("0.03")); 16], 1));
}

#[tokio::test]
async fn every_way_to_hear_of_a_completed_job_tells_its_cost_and_writes_it_down() {
    for way in ["refresh", "wait", "rows", "spool", "download"] {
        let server = ScriptServer::play(|request, _| {
            let is_status = request.path.ends_with("/jobs/j1");
            let record = r#"{"job_id": "j1", "status": "completed", "row_count": 3}"#;
            if is_status { answer(200, record) } else { well(request) }
        })
        .await;
        let folder = tempfile::tempdir().unwrap();
        let ledger = Place::At(folder.path().join("ledger.sqlite"));
        let client = Client::new(ClientConfig { ledger, ..config(&server) }).unwrap();
        let progress = Progress::new();
        let job = client.start(&comments(), None, &progress).await.unwrap();
        let told = match way {
            "refresh" => client.refresh(&job, &progress).await.unwrap(),
            "wait" => client.wait(&job, None, &progress).await.unwrap(),
            "rows" => client.rows(&job, &RowOptions::default(), &progress).await.unwrap().0,
            "spool" => client.spool(&job, &RowOptions::default(), &progress).await.unwrap().job,
            _ => {
                client.download(&job, &folder.path().join("rows.json"), &progress).await.unwrap();
                client.job("j1", None).unwrap()
            }
        };
        let entry = client.jobs(Which::All, None).await.unwrap().remove(0);
        assert_eq!((told.cost_usd(), entry.cost_usd), (Some(usd("0.03")), Some(usd("0.03"))), "{way}");
        assert_eq!(quotes(&server), 1, "{way}");
    }
}

#[tokio::test]
async fn a_job_whose_agent_nobody_names_has_no_price() {
    let server = telling(priced("10")).await;
    let (job, _) = rows(&client(&server)).await.unwrap();
    assert_eq!((job.cost_usd(), quotes(&server)), (None, 0));
}

#[tokio::test]
async fn a_refusal_of_the_question_slows_the_client_down_and_is_not_repeated() {
    let server = telling(with_headers(429, "retry-after: 0\r\n", b"")).await;
    let (job, rows) = run_of(&client(&server), &comments()).await.unwrap();
    assert_eq!((job.cost_usd(), rows.len(), quotes(&server)), (None, 3, 1));
}
