//! What texts must look like, as the catalogue checks them, written as the regular expressions of JSON Schema.

use crate::catalogue::{Items, Parameter, Rule};

/// White space, as Unicode has it.
const BLANKS: &str = r"\u0009-\u000d\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000";

/// White space and control characters: what stands in no address.
const NO_ADDRESS: &str = r"\u0000-\u0020\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000";

const SCHEME: &str = "[hH][tT][tT][pP][sS]?://";
const ASIN: &str = "[A-Z0-9]{10}";

/// The pattern of a parameter's texts: of a string, or of the items of an array.
pub(super) fn of(parameter: &Parameter) -> String {
    let host = format!("[^@/?#{NO_ADDRESS}]+");
    let rest = format!("[^{NO_ADDRESS}]*");
    let is_address = matches!(parameter.items, Some(Items::Url | Items::Address)) || parameter.name.ends_with("Urls");
    match parameter.rule {
        Some(Rule::BestsellerAddress) => {
            format!("^{SCHEME}{host}([/?#]{rest})?/(zgbs|bestsellers)/{rest}$")
        }
        Some(Rule::ProductAddress) => {
            format!("^{SCHEME}{host}(/[^?#{NO_ADDRESS}]*)?/(dp|gp/product)/{ASIN}([/?#]{rest})?$")
        }
        Some(Rule::ProductOrAsin) => {
            let product = format!(r"{SCHEME}[^@/?#]+(/[^?#]*)?/(dp|gp/product)/{ASIN}([/?#][\s\S]*)?");
            format!("^({ASIN}|{product})$")
        }
        Some(Rule::Pincode) => "^[0-9]{6}$".to_owned(),
        None if is_address => format!("^{SCHEME}{host}([/?#]{rest})?$"),
        None => format!("[^{BLANKS}]"),
    }
}
