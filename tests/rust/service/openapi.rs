//! The document about the service, held against the service.

use super::http::{get, instant, send, send_as_is, with};
use rowhaul::catalogue;
use rowhaul::service::{Feed, LocalService, OwnAgent, ServiceConfig, Source, Takes};
use rowhaul::wire::route;
use rust_decimal::Decimal;
use serde_json::{Map, Value, from_value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

fn document(service: &LocalService) -> Value {
    get(service, "/openapi.json").json()
}

fn paths(document: &Value) -> Vec<(String, BTreeSet<String>)> {
    let methods = |operations: &Value| {
        let names = operations.as_object().unwrap().keys().filter(|name| *name != "parameters");
        names.map(|name| name.to_uppercase()).collect()
    };
    document["paths"].as_object().unwrap().iter().map(|(path, ops)| (path.clone(), methods(ops))).collect()
}

#[test]
fn every_documented_path_takes_exactly_the_documented_methods() {
    for extras in ["all", "none", "cancel,data_paths", "job_list"] {
        let service = with(ServiceConfig { extras: extras.parse().unwrap(), ..ServiceConfig::default() });
        for (path, mut methods) in paths(&document(&service)) {
            let real = path.replace("{group}", "events").replace("{slug}", "events").replace("{job_id}", "x");
            let refused = send(&service, "PATCH", &real, &[], b"");
            assert_eq!(refused.status, 405, "{path}");
            let allowed = refused.header("allow").unwrap().split(',').map(|name| name.trim().to_owned()).collect();
            if methods.contains("GET") {
                methods.insert("HEAD".to_owned());
            }
            assert_eq!(methods, allowed, "{extras} {path}: add the operation to src/service/openapi/paths.rs");
        }
    }
}

#[test]
fn every_route_is_documented() {
    let documented: BTreeSet<String> = paths(&document(&instant())).into_iter().map(|(path, _)| path).collect();
    let routes = [
        route::JOBS,
        route::JOB,
        route::RESULTS,
        route::AGENTS,
        route::ALL_AGENTS,
        route::GROUP,
        route::AGENT,
        route::BALANCE,
        route::DATA_JOBS,
        route::DATA_JOB,
        route::DATA_RESULTS,
        "/healthz",
        "/openapi.json",
    ];
    let mut expected: BTreeSet<String> = routes.map(str::to_owned).into();
    for agent in catalogue::agents() {
        for run in [route::RUN, route::DATA_RUN] {
            expected.insert(run.replace("{group}", &agent.group).replace("{slug}", &agent.slug));
        }
    }
    assert_eq!(documented, expected, "add the path to src/service/openapi/paths.rs");
}

#[test]
fn each_agent_has_its_parameters_in_the_document_and_an_example_that_runs() {
    let service = instant();
    let document = document(&service);
    for agent in catalogue::agents() {
        for form in [route::RUN, route::DATA_RUN] {
            let path = form.replace("{group}", &agent.group).replace("{slug}", &agent.slug);
            let body = &document["paths"][&path]["post"]["requestBody"]["content"]["application/json"];
            let described = body["schema"]["properties"]["params"]["properties"].as_object().unwrap();
            assert!(described.keys().eq(agent.parameters.iter().map(|parameter| &parameter.name)));
            let example = body["example"].to_string();
            let headers = [("Content-Type", "application/json")];
            let answer = send(&service, "POST", &path, &headers, example.as_bytes());
            assert_eq!(answer.status, 202, "{path} {example} {}", answer.text());
        }
    }
}

#[test]
fn every_reference_of_the_document_leads_somewhere() {
    fn references<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
        match value {
            Value::Object(members) => members.iter().for_each(|(name, member)| match member {
                Value::String(target) if name == "$ref" => found.push(target),
                _ => references(member, found),
            }),
            Value::Array(items) => items.iter().for_each(|item| references(item, found)),
            _ => {}
        }
    }
    for extras in ["all", "none"] {
        let service = with(ServiceConfig { extras: extras.parse().unwrap(), ..ServiceConfig::default() });
        let document = document(&service);
        let mut found = Vec::new();
        references(&document, &mut found);
        assert!(!found.is_empty());
        for target in found {
            assert!(document.pointer(target.strip_prefix('#').unwrap()).is_some(), "{extras} {target}");
        }
    }
}

#[test]
fn the_document_and_the_health_of_the_service_need_no_key_and_no_place_in_the_rate() {
    let service = with(ServiceConfig { requests_per_minute: Some(1), ..ServiceConfig::default() });
    for _ in 0..3 {
        assert_eq!(send_as_is(&service, "GET", "/openapi.json", &[], b"").status, 200);
        assert_eq!(send_as_is(&service, "GET", "/healthz", &[], b"").text(), r#"{"status":"ok"}"#);
    }
    assert_eq!(send_as_is(&service, "GET", "/healthz", &[("Host", "evil.example")], b"").status, 403);
    assert_eq!(get(&service, "/api/v1/balance").status, 200);
}

/// Has no rows.
#[derive(Debug)]
struct Nothing;

impl Source for Nothing {
    fn bring(&self, _: Map<String, Value>, feed: Feed) {
        feed.finish();
    }
}

fn offer(service: &LocalService, name: &str, takes: Takes) {
    let agent = OwnAgent {
        name: name.parse().unwrap(),
        title: "Own".to_owned(),
        description: "Brings nothing.".to_owned(),
        unit: "rows".to_owned(),
        price_per_1k_usd: Decimal::ONE,
        takes,
        columns: Vec::new(),
        source: Arc::new(Nothing),
    };
    service.add_agent(agent).unwrap();
}

fn declared(parameters: Value) -> Takes {
    Takes::Declared(from_value(parameters).unwrap())
}

#[test]
fn an_own_agent_is_in_the_document_as_soon_as_it_is_offered_and_its_example_runs() {
    let service = instant();
    let path = "/api/v1/agents/shop/prices/run";
    assert!(document(&service)["paths"][path].is_null());
    offer(
        &service,
        "shop/prices",
        declared(json!([
            {"name": "sku", "type": "string", "required": true, "title": "Article", "options": ["a", "b"]},
            {"name": "limit", "type": "integer", "required": true, "minimum": 2, "maximum": 4},
            {"name": "share", "type": "number", "minimum": 0.5, "default": 0.75},
            {"name": "note", "options": ["x"]},
        ])),
    );
    let recorded = json!({"q": [1, 2]});
    offer(&service, "shop/recorded", Takes::Recorded(vec![recorded.as_object().unwrap().clone()]));
    offer(&service, "shop/anything", Takes::Anything);
    // In place of the agent of the specification.
    offer(&service, "events/events", declared(json!([{"name": "city", "type": "string", "required": true}])));
    let document = document(&service);
    let params = |path: &str| {
        let body = &document["paths"][path]["post"]["requestBody"]["content"]["application/json"];
        (body["schema"]["properties"]["params"].clone(), body["example"].clone())
    };
    let (schema, _) = params(path);
    assert_eq!((&schema["required"], &schema["additionalProperties"]), (&json!(["sku", "limit"]), &json!(false)));
    let sku = json!({"type": "string", "enum": ["a", "b"], "title": "Article", "description": ""});
    assert_eq!(schema["properties"]["sku"], sku);
    assert_eq!(schema["properties"]["limit"]["enum"], json!([2, 3, 4]));
    assert_eq!(schema["properties"]["share"]["minimum"], json!(0.5));
    assert_eq!(schema["properties"]["note"]["anyOf"][1]["enum"], json!(["x"]));
    assert_eq!(params("/api/v1/agents/shop/recorded/run").0["enum"], json!([recorded]));
    assert_eq!(params("/api/v1/agents/events/events/run").0["required"], json!(["city"]));
    for name in ["shop/prices", "shop/recorded", "shop/anything", "events/events"] {
        for path in [format!("/api/v1/agents/{name}/run"), format!("/v1/data/{name}/run")] {
            let (_, example) = params(&path);
            let headers = [("Content-Type", "application/json")];
            let answer = send(&service, "POST", &path, &headers, example.to_string().as_bytes());
            assert_eq!(answer.status, 202, "{path} {example} {}", answer.text());
        }
    }
    let slugs = &document["paths"][route::AGENT]["parameters"];
    assert!(slugs[0]["schema"]["enum"].as_array().unwrap().contains(&json!("shop")), "{slugs}");
    assert!(slugs[1]["schema"]["enum"].as_array().unwrap().contains(&json!("prices")), "{slugs}");
}

#[test]
fn no_two_operations_of_the_document_have_the_same_name() {
    let service = instant();
    for name in ["a/b", "a/b-c", "a/b_c", "a_b/c", "a/b_data", "ä/日本", "ö/日本"] {
        offer(&service, name, Takes::Anything);
    }
    let document = document(&service);
    let mut names = BTreeSet::new();
    for operations in document["paths"].as_object().unwrap().values() {
        for name in operations.as_object().unwrap().values().filter_map(|operation| operation["operationId"].as_str()) {
            assert!(names.insert(name), "{name}");
        }
    }
    assert!(names.contains("run_events_events") && names.contains("run_a_b_data"));
}

#[test]
fn what_the_store_and_another_version_may_answer_is_in_the_document() {
    let service = with(ServiceConfig { extras: "none".parse().unwrap(), ..ServiceConfig::default() });
    let document = get(&service, "/openapi.json").json();
    let results = &document["paths"]["/api/v1/jobs/{job_id}/results"]["get"]["responses"];
    let run = &document["paths"]["/api/v1/agents/events/events/run"]["post"]["responses"];
    for (responses, code) in [(results, "410"), (results, "503"), (run, "503"), (run, "404")] {
        assert!(responses.get(code).is_some(), "{code}");
    }
}
