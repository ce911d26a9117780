//! What the rows of each agent are: as many as asked for, from the input they name, in columns of one type.

use super::http::{get, instant, rows, started, with};
use rowhaul::catalogue::{self, ColumnKind};
use rowhaul::service::{ClockKind, ServiceConfig};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What the texts of these runs' rows come to, under version 1 of the samples.
const SUMS: [u64; 9] = [
    9_232_235_524_316_029_855,
    7_540_981_082_778_361_910,
    8_542_665_192_811_758_430,
    3_211_771_574_227_989_451,
    18_275_613_647_111_654_774,
    9_698_710_460_199_321_115,
    1_552_948_694_261_341_694,
    15_461_867_989_890_974_925,
    9_816_656_209_027_178_375,
];

/// One run of each agent with two inputs, and the rows each input must bring.
fn runs() -> Vec<(&'static str, Value, usize)> {
    let channels = json!([{"url": "https://www.video.example/@one"}, {"url": "https://www.video.example/@two"}]);
    let products = json!([{"url": "https://www.shop.example/c/shoes"}, {"url": "https://www.shop.example/c/lamps"}]);
    let reviewed =
        json!([{"url": "https://www.shop.example/x/dp/B0ABCDEFGH"}, {"url": "https://www.shop.example/dp/B0ABCDEFGI"}]);
    vec![
        (
            "video/channel-scraper",
            json!({"startUrls": channels, "maxResults": 4, "maxResultsShorts": 3, "maxResultStreams": 2}),
            9,
        ),
        ("video/comment-scraper", json!({"startUrls": channels, "maxComments": 40}), 40),
        (
            "video/video-scraper",
            json!({"searchQueries": ["rust"], "startUrls": ["https://www.video.example/@one"], "maxResults": 5, "maxResultsShorts": 1, "maxResultStreams": 1}),
            7,
        ),
        (
            "video/shorts-scraper",
            json!({"channels": ["@one", "https://www.video.example/@two"], "maxResultsShorts": 8}),
            8,
        ),
        (
            "retail/bestsellers-scraper",
            json!({"categoryUrls": ["https://s.example/zgbs/a", "https://s.example/gp/bestsellers/b"], "maxItemsPerStartUrl": 100}),
            100,
        ),
        ("retail/product-scraper", json!({"categoryOrProductUrls": products, "maxItemsPerStartUrl": 20}), 20),
        ("retail/reviews-scraper", json!({"productUrls": reviewed, "maxReviews": 150}), 150),
        (
            "retail/pincode-scraper",
            json!({"products": ["B0ABCDEFGH", "https://s.example/dp/B0ABCDEFGI"], "pincodes": ["110001", "560001", "700001"]}),
            3,
        ),
        ("events/events", json!({"searchQueries": ["jazz berlin", "東京 ramen"], "maxResults": 200}), 200),
    ]
}

#[test]
fn each_input_of_each_agent_brings_exactly_its_limit_and_is_named_in_each_row() {
    let service = instant();
    let mut agents: Vec<_> =
        catalogue::agents().iter().map(|agent| format!("{}/{}", agent.group, agent.slug)).collect();
    for (agent, params, expected) in runs() {
        agents.retain(|other| other != agent);
        let mut of_input: BTreeMap<String, usize> = BTreeMap::new();
        for row in rows(&service, agent, &params) {
            *of_input.entry(row["input"].as_str().unwrap().to_owned()).or_default() += 1;
        }
        assert_eq!(of_input.values().copied().collect::<Vec<_>>(), [expected, expected], "{agent}");
        assert!(of_input.keys().all(|input| params.to_string().contains(input)), "{agent}");
    }
    assert!(agents.is_empty(), "not tried: {agents:?}");
}

#[test]
fn every_row_of_an_agent_has_the_same_columns_in_the_same_order_and_types() {
    let service = instant();
    for (agent, params, _) in runs() {
        let mut types: BTreeMap<String, &str> = BTreeMap::new();
        let rows = rows(&service, agent, &params);
        let columns: Vec<_> = rows[0].as_object().unwrap().keys().cloned().collect();
        for row in rows {
            assert!(row.as_object().unwrap().keys().eq(&columns), "{agent}");
            for (name, value) in row.as_object().unwrap() {
                let Some(kind) = kind(value) else { continue };
                assert_eq!(*types.entry(name.clone()).or_insert(kind), kind, "{agent} {name}: {value}");
            }
        }
    }
}

fn kind(value: &Value) -> Option<&'static str> {
    match value {
        Value::Null => None,
        Value::Bool(_) => Some("boolean"),
        Value::Number(_) => Some("number"),
        Value::String(_) => Some("text"),
        Value::Array(_) => Some("array"),
        Value::Object(_) => Some("object"),
    }
}

#[test]
fn events_have_their_declared_columns_first_and_in_order_with_the_declared_kinds() {
    let service = instant();
    let declared = &catalogue::find("events", "events").unwrap().columns;
    let rows = rows(&service, "events/events", &json!({"searchQueries": ["jazz berlin", "food"], "maxResults": 100}));
    for row in &rows {
        let row = row.as_object().unwrap();
        assert!(row.keys().take(29).eq(declared.iter().map(|column| &column.name)));
        for column in declared {
            let value = &row[&column.name];
            let fits = match column.kind {
                ColumnKind::Text => value.is_string(),
                ColumnKind::Number => value.is_number(),
                ColumnKind::Boolean => value.is_boolean(),
                ColumnKind::Array => value.is_array(),
                ColumnKind::Object => value.is_object(),
                ColumnKind::ObjectArray => value.as_array().is_some_and(|items| items.iter().all(Value::is_object)),
            };
            assert!(fits || value.is_null(), "{}: {value}", column.name);
        }
    }
    let some = |name: &str| rows.iter().any(|row| !row[name].is_null() && row[name] != json!([]));
    let none = |name: &str| rows.iter().any(|row| row[name].is_null() || row[name] == json!([]));
    for name in ["hosts", "tickets", "externalLinks", "occurrences", "venueName", "latitude", "duration"] {
        assert!(some(name) && none(name), "{name}");
    }
}

#[test]
fn events_are_about_what_was_searched_where_it_was_searched_and_agree_with_themselves() {
    let service = instant();
    for row in rows(&service, "events/events", &json!({"searchQueries": ["jazz berlin"], "maxResults": 100})) {
        assert!(row["eventName"].as_str().unwrap().contains("Jazz"), "{row}");
        assert_eq!(row["category"], "Music");
        assert_eq!(row["isPast"] == true, row["startDate"].as_str().unwrap() < "2026-11-01", "{row}");
        if row["isOnline"] == true {
            assert!(row["city"].is_null() && row["latitude"].is_null() && row["address"].is_null());
        } else {
            assert_eq!((&row["city"], &row["country"]), (&json!("Berlin"), &json!("Germany")));
            let near = |name: &str, degrees: f64| (row[name].as_f64().unwrap() - degrees).abs() < 0.1;
            assert!(near("latitude", 52.52) && near("longitude", 13.405));
        }
        assert!(year(row["startDate"].as_str().unwrap()).is_some_and(|year| (2024..=2028).contains(&year)));
        assert!(row["interested"].as_u64() >= row["going"].as_u64());
    }
}

/// The year of a date, if that is ISO 8601 in UTC.
fn year(date: &str) -> Option<u32> {
    let shape: String = date.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    (shape == "0000-00-00T00:00:00Z").then(|| date[..4].parse().unwrap())
}

#[test]
fn zero_brings_all_there_is_where_it_means_all_and_none_where_it_does_not() {
    let service = instant();
    let channel = json!({"startUrls": [{"url": "https://www.video.example/@one"}], "maxResults": 0, "maxResultsShorts": 0, "maxResultStreams": 0});
    let all = rows(&service, "video/channel-scraper", &channel);
    assert!((30..=120).contains(&all.len()) && all.iter().all(|row| row["type"] == "video"));
    for params in [json!({"searchQueries": ["a"], "maxResults": 0}), json!({"searchQueries": ["a"]})] {
        assert!((30..=120).contains(&rows(&service, "events/events", &params).len()));
    }
    let best = json!({"categoryUrls": ["https://s.example/zgbs/a"], "maxItemsPerStartUrl": 0});
    assert!((30..=100).contains(&rows(&service, "retail/bestsellers-scraper", &best).len()));
    assert_eq!(rows(&service, "events/events", &json!({"searchQueries": ["nothing"]})).len(), 0);
}

#[test]
fn the_page_of_one_thing_brings_that_thing() {
    let service = instant();
    let url = "https://www.events.example/events/12345/";
    let event = rows(&service, "events/events", &json!({"startUrls": [url], "maxResults": 10}));
    assert_eq!((event.len(), &event[0]["eventId"], &event[0]["eventUrl"]), (1, &json!("12345"), &json!(url)));
    let product = json!({"categoryOrProductUrls": [{"url": "https://shop.example/Name/dp/B0ABCDEFGH?x=1"}], "maxItemsPerStartUrl": 10});
    let product = rows(&service, "retail/product-scraper", &product);
    assert_eq!((product.len(), &product[0]["url"]), (1, &json!("https://shop.example/dp/B0ABCDEFGH")));
    let video = json!({"startUrls": ["https://video.example/watch?v=abc"], "maxResults": 10, "maxResultsShorts": 5, "maxResultStreams": 5});
    let video = rows(&service, "video/video-scraper", &video);
    assert_eq!((video.len(), &video[0]["id"]), (1, &json!("abc")));
}

#[test]
fn products_have_asins_and_addresses_made_of_domain_and_asin() {
    let service = instant();
    for (agent, params, _) in runs().into_iter().filter(|(agent, ..)| agent.starts_with("retail/")) {
        for row in rows(&service, agent, &params) {
            let asin = row["asin"].as_str().unwrap();
            assert!(asin.len() == 10 && asin.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()));
            let url = row.get("url").or(row.get("productUrl")).and_then(Value::as_str).unwrap();
            assert!(url.starts_with("https://") && url.ends_with(&format!("/dp/{asin}")), "{url}");
        }
    }
    let offers = json!({"products": ["B0ABCDEFGH"], "pincodes": ["110001", "560001"]});
    let offers = rows(&service, "retail/pincode-scraper", &offers);
    assert_eq!(offers.iter().map(|row| &row["pincode"]).collect::<Vec<_>>(), ["110001", "560001"]);
    for offer in offers {
        assert_eq!(offer["isAvailable"] == true, offer["deliveryDate"].is_string() && offer["price"].is_number());
        assert_eq!(offer["currency"], "INR");
    }
}

#[test]
fn the_same_seed_brings_the_same_jobs_and_rows_and_another_seed_others() {
    let all = |seed| {
        let service = with(ServiceConfig { seed, clock: ClockKind::Instant, ..ServiceConfig::default() });
        let bodies = runs().into_iter().map(|(agent, params, _)| {
            let id = started(&service, agent, &params);
            let record = get(&service, &format!("/api/v1/jobs/{id}")).text();
            (id.clone(), record, get(&service, &format!("/api/v1/jobs/{id}/results")).text())
        });
        bodies.collect::<Vec<_>>()
    };
    let (one, again, other) = (all(7), all(7), all(8));
    assert_eq!(one, again);
    assert!(one.iter().zip(&other).all(|(one, other)| one.0 != other.0 && one.2 != other.2));
}

#[test]
fn equal_runs_bring_the_rows_they_brought_before() {
    let service = instant();
    let sum = |text: &str| {
        text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    };
    let sums: Vec<_> =
        runs().iter().map(|(agent, params, _)| sum(&Value::Array(rows(&service, agent, params)).to_string())).collect();
    assert_eq!(sums, SUMS, "raise `VERSION` in src/service/samples/mod.rs, and write these sums into `SUMS`");
}
