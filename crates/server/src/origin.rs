//! Origins of web pages.

use axum::http::{HeaderValue, Uri};
use std::str::FromStr;

/// Where web pages come from, as a browser names it: a scheme, a host and, unless it is that of the scheme, a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin(pub(crate) HeaderValue);

impl Origin {
    fn parts(&self) -> (&str, &str) {
        self.0.to_str().ok().and_then(|text| text.split_once("://")).unwrap_or_default()
    }

    /// Its host, with its port unless that is the one of the scheme.
    pub(crate) fn host(&self) -> &str {
        self.parts().1
    }

    /// Whether its pages come by HTTPS.
    pub(crate) fn is_https(&self) -> bool {
        self.parts().0 == "https"
    }
}

impl FromStr for Origin {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let uri: Option<Uri> = text.parse().ok();
        let is_origin = uri.is_some_and(|uri| {
            let schemes = [Some("http"), Some("https")];
            schemes.contains(&uri.scheme_str()) && uri.path() == "/" && !text.ends_with('/')
        });
        let value = HeaderValue::from_str(text).ok().filter(|_| is_origin);
        value.map(Self).ok_or_else(|| {
            "an origin is a scheme, a host and perhaps a port, as https://papers.example.org".to_owned()
        })
    }
}
