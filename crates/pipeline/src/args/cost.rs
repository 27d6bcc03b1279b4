//! The argument that limits what language models may cost.

use clap::Args;

/// `--max-cost`.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Cost {
    /// Stop before calls to language models cost more than this; finished rows are kept. The model must have a price
    /// (configs/prices.toml)
    #[arg(long, value_name = "USD", value_parser = dollars)]
    pub(crate) max_cost: Option<f64>,
}

/// An amount of money, more than 0.
fn dollars(text: &str) -> Result<f64, String> {
    let wrong = || format!("`{text}` is not an amount of US dollars, such as 0.50");
    let amount: f64 = text.strip_prefix('$').unwrap_or(text).parse().map_err(|_| wrong())?;
    match amount {
        amount if !amount.is_finite() => Err(wrong()),
        amount if amount > 0.0 => Ok(amount),
        _ => Err(format!("`{text}` is not more than 0 US dollars")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_or_refused() {
        for (text, amount) in [("0.50", 0.5), ("$2", 2.0), ("1e-3", 0.001)] {
            assert_eq!(dollars(text), Ok(amount), "{text}");
        }
        for text in ["abc", "", "$", "$$2", "NaN", "inf", "2,50"] {
            let wrong = format!("`{text}` is not an amount of US dollars, such as 0.50");
            assert_eq!(dollars(text), Err(wrong));
        }
        for text in ["0", "-1"] {
            assert_eq!(dollars(text), Err(format!("`{text}` is not more than 0 US dollars")));
        }
    }
}
