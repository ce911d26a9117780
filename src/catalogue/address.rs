//! Addresses of products and pages: what section 4.7 says of them, as text, without a URL library.

/// Whether `text` is an absolute web address with a host and nothing that cannot stand in one.
pub(super) fn is_web_address(text: &str) -> bool {
    host_and_path(text).is_some() && !text.chars().any(|c| c.is_whitespace() || c.is_control())
}

/// The ASIN of a product address: ten ASCII capitals or digits after `/dp/` or `/gp/product/`.
///
/// ```text
/// https://shop.example/Some-Name/dp/B0ABCDEFGH/ref=x?y=z  ->  B0ABCDEFGH
/// ```
pub fn asin_in(address: &str) -> Option<&str> {
    let (_, path) = host_and_path(address)?;
    let path = path.split(['?', '#']).next()?;
    let after = ["/dp/", "/gp/product/"].iter().find_map(|mark| path.find(mark).map(|at| &path[at + mark.len()..]))?;
    let candidate = after.split('/').next()?;
    is_asin(candidate).then_some(candidate)
}

/// Whether `text` is an ASIN: ten ASCII capitals or digits.
pub(super) fn is_asin(text: &str) -> bool {
    text.len() == 10 && text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
}

/// A product address as domain plus `/dp/<ASIN>`: `https://shop.example/dp/B0ABCDEFGH`.
pub fn canonical_product(address: &str) -> Option<String> {
    let asin = asin_in(address)?;
    let (host, _) = host_and_path(address)?;
    let scheme = &address[..address.find("://")?];
    Some(format!("{}://{}/dp/{asin}", scheme.to_ascii_lowercase(), host.to_ascii_lowercase()))
}

fn host_and_path(address: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = address.split_once("://")?;
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return None;
    }
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(end);
    (!host.is_empty() && !host.contains('@')).then_some((host, path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_address_is_reduced_to_domain_and_asin() {
        let long = "https://www.Shop.example/Some-Name/dp/B0ABCDEFGH/ref=sr_1?k=v";
        assert_eq!(canonical_product(long).as_deref(), Some("https://www.shop.example/dp/B0ABCDEFGH"));
        assert_eq!(asin_in("https://shop.example/gp/product/B0ABCDEFGH"), Some("B0ABCDEFGH"));
        assert_eq!(asin_in("https://shop.example/dp/short"), None);
        assert_eq!(asin_in("shop.example/dp/B0ABCDEFGH"), None);
    }
}
