//! The list of prices of language models, `configs/prices.toml`.

use crate::settings::{LlmModel, SettingsError};
use std::{collections::BTreeMap, net::IpAddr};
use types::Price;

/// The list, as shipped.
pub const PRICES_TOML: &str = include_str!("../../../../configs/prices.toml");

/// Prices by the name of the model.
#[derive(Clone, Debug, PartialEq)]
pub struct Prices(BTreeMap<String, Price>);

impl Prices {
    /// The list that is compiled in.
    ///
    /// # Errors
    /// Only when that file is broken, which a test rules out.
    pub fn shipped() -> Result<Self, SettingsError> {
        let read = toml::from_str(PRICES_TOML).map_err(|error| SettingsError::Syntax {
            origin: "the list of prices".to_owned(),
            reason: error.to_string().trim().to_owned(),
        })?;
        Ok(Self(read))
    }

    /// The price of a model: that of the settings, or that of the list, or 0 if the server is on this machine; `None` if it
    /// is not known.
    pub fn of(&self, model: &LlmModel) -> Option<Price> {
        model.price(if is_local(model.address()) {
            Some(Price::default())
        } else {
            self.listed(&model.model).cloned()
        })
    }

    /// Names and prices, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Price)> {
        self.0.iter().map(|(name, price)| (name.as_str(), price))
    }

    /// The price under the longest name that this name begins with, with or without a prefix such as `openai/`.
    pub fn listed(&self, name: &str) -> Option<&Price> {
        let bare = name.rsplit_once('/').map_or(name, |(_, bare)| bare).to_lowercase();
        let fits = |known: &str| {
            bare.strip_prefix(known)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '@', ':', '_']))
        };
        let matching = self.0.iter().filter(|(known, _)| fits(known));
        matching.max_by_key(|(known, _)| known.len()).map(|(_, price)| price)
    }
}

/// Whether an address is this machine.
fn is_local(address: &str) -> bool {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let host = rest.split('/').next().unwrap_or_default();
    let name = match host.strip_prefix('[') {
        Some(v6) => v6.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Loaded;

    #[test]
    fn the_list_is_read_and_each_price_has_a_date() {
        let prices = Prices::shipped().expect("valid");
        for (name, price) in prices.iter() {
            assert!(price.input > 0.0 && price.output >= price.input, "{name}");
            assert_eq!(price.read.len(), "2026-04-02".len(), "{name}: {}", price.read);
        }
    }

    #[test]
    fn a_model_has_the_price_of_the_longest_name_that_fits() {
        let prices = Prices::shipped().expect("valid");
        let check = |name: &str, input: Option<f64>| {
            assert_eq!(prices.listed(name).map(|price| price.input), input, "{name}");
        };
        check("gpt-4o-mini-2024-07-18", Some(0.15));
        check("openai/gpt-4o", Some(2.5));
        check("GPT-4o-2024-11-20", Some(2.5));
        check("gpt-4oo", None);
        check("gpt-4.1-mini", Some(0.4));
        check("llama3.1:8b", None);
    }

    #[test]
    fn settings_win_and_this_machine_is_free() {
        let prices = Prices::shipped().expect("valid");
        let price = |set: &[&str]| {
            let set: Vec<String> = set.iter().map(|s| (*s).to_owned()).collect();
            let loaded = Loaded::load(None, [], &set).expect("valid");
            prices.of(&loaded.settings.llm.own).map(|price| price.input)
        };
        let hosted = ["llm.model=gpt-4o", "llm.provider=openai", "llm.base_url=https://models.example/v1"];
        assert_eq!(price(&hosted), Some(2.5));
        assert_eq!(price(&[hosted.as_slice(), &["llm.price_input=7"]].concat()), Some(7.0));
        let set = [hosted.as_slice(), &["llm.price_input=7"]].concat();
        let set: Vec<String> = set.iter().map(|s| (*s).to_owned()).collect();
        let llm = Loaded::load(None, [], &set).expect("valid").settings.llm;
        assert_eq!(prices.of(&llm.own).map(|p| p.output), Some(10.0), "from the list");
        assert_eq!(price(&hosted[..2]), Some(2.5), "the usual server is that of the provider");
        assert_eq!(
            price(&["llm.model=x", "llm.provider=openai", "llm.base_url=http://[::1]:8/v1"]),
            Some(0.0)
        );
        assert_eq!(
            price(&["llm.model=x", "llm.provider=openai", "llm.base_url=https://models.example"]),
            None
        );
    }
}
