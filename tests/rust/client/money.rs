//! What a run may cost, and what it did cost.

use rowhaul::client::{ErrorKind, Outcome};
use rust_decimal::Decimal;

use super::*;

fn usd(text: &str) -> Decimal {
    text.parse().unwrap()
}

async fn capped(server: &ScriptServer, request: &Request, cap: &str) -> Result<(Job, Rows), Error> {
    let options = RunOptions { max_cost_usd: Some(usd(cap)), ..RunOptions::default() };
    client(server).run(request, &options, &Progress::new()).await.map_err(scanned)
}

fn is_over(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::BudgetExceeded) && error.outcome() == Outcome::NotSent
}

/// The well-behaved service, quoting this for 1000 rows.
async fn quoting(price: &'static str) -> ScriptServer {
    ScriptServer::play(move |request, _| {
        if request.path.contains("/agents/") && !request.is_start() {
            answer(200, &format!(r#"{{"group": "events", "slug": "events", "price_per_1k_usd": {price}}}"#))
        } else {
            well(request)
        }
    })
    .await
}

#[tokio::test]
async fn a_run_that_fits_its_cap_exactly_is_started() {
    let server = quoting("10").await;
    let (job, _) = capped(&server, &request(), "0.03").await.unwrap();
    assert_eq!((job.cost_usd(), server.starts()), (Some(usd("0.03")), 1));
}

#[tokio::test]
async fn a_run_that_may_cost_more_is_refused_before_anything_is_started() {
    let server = quoting("10").await;
    let error = capped(&server, &request(), "0.0299").await.unwrap_err();
    assert!(is_over(&error) && error.message().contains("0.03 USD"), "{error:?}");
    assert_eq!(server.starts(), 0);
}

#[tokio::test]
async fn the_higher_of_quote_and_catalogue_counts() {
    for (quoted, cap, fits) in
        [("50", "0.1499", false), ("50", "0.15", true), ("1", "0.0299", false), ("1", "0.03", true)]
    {
        let server = quoting(quoted).await;
        let result = capped(&server, &request(), cap).await;
        assert_eq!((result.is_ok(), server.starts()), (fits, usize::from(fits)), "{quoted} under {cap}");
    }
}

#[tokio::test]
async fn an_unbounded_run_under_a_cap_names_the_parameter_and_asks_nothing() {
    let server = quoting("10").await;
    for params in [json!({"searchQueries": ["jazz"]}), json!({"searchQueries": ["jazz"], "maxResults": 0})] {
        let error = capped(&server, &of("events/events", &params), "100").await.unwrap_err();
        assert!(is_over(&error) && error.hint().unwrap().contains("`maxResults`"), "{error:?}");
    }
    let error = capped(&server, &of("other/agent", &json!({"x": 1})), "100").await.unwrap_err();
    assert!(is_over(&error), "{error:?}");
    assert_eq!(server.seen().len(), 0);
}

#[tokio::test]
async fn a_price_nobody_names_cannot_be_kept_under_a_cap() {
    for price in ["null", "\"12\"", "-1", "true"] {
        let server = quoting(price).await;
        let params = json!({"channels": ["@c"], "maxResultsShorts": 5});
        let error = capped(&server, &of("video/shorts-scraper", &params), "100").await.unwrap_err();
        assert!(is_over(&error) && error.message().contains("no price"), "{error:?}");
        assert_eq!(server.starts(), 0);
    }
}

#[tokio::test]
async fn a_quote_that_fails_starts_nothing_and_says_so() {
    let server = ScriptServer::play(|_, _| answer(500, "")).await;
    let error = capped(&server, &request(), "5").await.unwrap_err();
    assert_eq!((error.outcome(), server.starts()), (Outcome::NotSent, 0));
}

#[tokio::test]
async fn an_estimate_is_the_worst_case_and_unknown_rather_than_guessed() {
    let server = quoting("12.345").await;
    let client = client(&server);
    let params = json!({"searchQueries": ["a", "b"], "startUrls": ["https://e.example/1"], "maxResults": 7});
    let estimate = client.estimate(&of("events/events", &params)).await.unwrap();
    assert_eq!((estimate.max_rows, estimate.price_per_1k_usd), (Some(21), Some(usd("12.345"))));
    assert_eq!((estimate.max_cost_usd, estimate.balance_usd), (Some(usd("0.259245")), Some(usd("12.5"))));
    let estimate = client.estimate(&of("events/events", &json!({"searchQueries": ["a"]}))).await.unwrap();
    assert_eq!((estimate.max_rows, estimate.max_cost_usd), (None, None));
    assert_eq!(server.starts(), 0);
}

#[tokio::test]
async fn a_balance_that_is_no_amount_is_bad_and_unknown_to_an_estimate() {
    for amount in ["NaN", "-1", "\"5\"", "null"] {
        let server = ScriptServer::play(move |request, _| {
            if request.path.ends_with("/balance") {
                answer(200, &format!(r#"{{"usd_remaining": {amount}}}"#))
            } else {
                well(request)
            }
        })
        .await;
        let client = client(&server);
        let error = scanned(client.balance().await.unwrap_err());
        assert!(matches!(error.kind(), ErrorKind::BadResponse), "{amount}: {error:?}");
        assert_eq!(client.estimate(&request()).await.unwrap().balance_usd, None);
    }
}

#[tokio::test]
async fn an_account_that_is_too_poor_tells_what_was_needed_and_what_there_is() {
    let told = r#"{"error": "insufficient_credits", "credits_required": 30, "credits_available": 7}"#;
    for (body, required, available) in [
        (told, "required: 30 credits", "available: 7 credits"),
        ("", "required: up to 0.03 USD", "available: 12.5 USD"),
    ] {
        let server =
            ScriptServer::play(move |request, _| if request.is_start() { answer(402, body) } else { well(request) })
                .await;
        let error = start(&client(&server)).await.unwrap_err();
        assert_eq!((error.status_code(), error.outcome(), server.starts()), (Some(402), Outcome::Rejected, 1));
        assert!(error.message().contains(required) && error.message().contains(available), "{error}");
    }
}

#[tokio::test]
async fn many_starts_that_an_account_is_too_poor_for_ask_once_what_there_is() {
    let server =
        ScriptServer::play(|request, _| if request.is_start() { answer(402, "") } else { well(request) }).await;
    let many = client(&server).many(16, None, RunOptions::default()).unwrap();
    for number in 0..64 {
        while many.room() == 0 {
            let error = many.next().await.unwrap().result.map_err(scanned).unwrap_err();
            assert!(error.message().contains("available: 12.5 USD"), "{error}");
        }
        many.add(number, request());
    }
    while many.next().await.is_some() {}
    assert_eq!((server.starts(), server.gets()), (64, 1));
}

#[tokio::test]
async fn money_keeps_every_digit() {
    let server = ScriptServer::play(|_, _| answer(200, r#"{"usd_remaining": 99.99999999999999999}"#)).await;
    assert_eq!(client(&server).balance().await.unwrap(), usd("99.99999999999999999"));
}
