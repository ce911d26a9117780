//! The document about the service, held against the service.

use super::http::{get, instant, send, send_as_is, with};
use rowhaul::catalogue;
use rowhaul::service::{LocalService, ServiceConfig};
use rowhaul::wire::route;
use serde_json::Value;
use std::collections::BTreeSet;

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
