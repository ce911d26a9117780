//! The canonical JSON text of a value: RFC 8785, but integers keep all their digits and members that are null are left
//! out.

use crate::json::Json;
use crate::types::{Number, number};

pub fn canonical(value: &Json) -> String {
    match value {
        Json::Null => "null".to_owned(),
        Json::Boolean(value) => value.to_string(),
        Json::Number(text) => number_text(text),
        Json::Text(text) => quoted(text),
        Json::Array(elements) => format!("[{}]", elements.iter().map(canonical).collect::<Vec<_>>().join(",")),
        Json::Object(members) => {
            let mut members: Vec<_> = members.iter().filter(|(_, value)| *value != Json::Null).collect();
            members.sort_by_key(|(name, _)| name.encode_utf16().collect::<Vec<_>>());
            let members: Vec<String> =
                members.iter().map(|(name, value)| format!("{}:{}", quoted(name), canonical(value))).collect();
            format!("{{{}}}", members.join(","))
        }
    }
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("any text can be written")
}

fn number_text(sent: &str) -> String {
    match number(sent) {
        Number::Integer(0) => "0".to_owned(),
        Number::Float(value) if value.is_finite() => float_text(value),
        _ => sent.to_owned(),
    }
}

/// `Number::toString` of ECMAScript, out of the shortest digits.
fn float_text(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let shortest = shortest(value.abs());
    let (mantissa, exponent) = shortest.split_once('e').expect("that is what the format asks for");
    let digits: String = mantissa.chars().filter(|&c| c != '.').collect();
    let exponent: i32 = exponent.parse().expect("an exponent is an integer");
    let (count, point) = (digits.len() as i32, exponent + 1);
    let text = match point {
        _ if count <= point && point <= 21 => digits + &"0".repeat((point - count) as usize),
        1..=21 => format!("{}.{}", &digits[..point as usize], &digits[point as usize..]),
        -5..=0 => format!("0.{}{digits}", "0".repeat(-point as usize)),
        _ => {
            let fraction = if count == 1 { String::new() } else { format!(".{}", &digits[1..]) };
            format!("{}{fraction}e{exponent:+}", &digits[..1])
        }
    };
    if value < 0.0 { format!("-{text}") } else { text }
}

/// The shortest digits that read back equal, and of those the nearest. Where two are as near, as both ends of
/// 2185750448422371.25 are, it is the even one: the standard library's shortest is then the upper one, its rounding to
/// so many digits the even one.
fn shortest(value: f64) -> String {
    let shortest = format!("{value:e}");
    let (mantissa, _) = shortest.split_once('e').expect("that is what the format asks for");
    let nearest = format!("{value:.*e}", mantissa.len().saturating_sub(2));
    if nearest.parse() == Ok(value) { nearest } else { shortest }
}
