//! Colours of help and output.

use clap::{
    ColorChoice, ValueEnum,
    builder::{
        Styles,
        styling::{AnsiColor, Effects},
    },
};
use std::ffi::OsString;

/// The help's colours: headings and literals bold, values plain.
pub(crate) const HELP: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().effects(Effects::BOLD))
    .usage(AnsiColor::Green.on_default().effects(Effects::BOLD))
    .literal(AnsiColor::Cyan.on_default().effects(Effects::BOLD))
    .placeholder(AnsiColor::Cyan.on_default());

/// The last `--color` among the arguments: help and errors of the command line are printed before it is parsed.
pub(crate) fn requested(args: impl Iterator<Item = OsString>) -> ColorChoice {
    let mut color = ColorChoice::Auto;
    let mut value_follows = false;
    for arg in args.take_while(|arg| arg != "--") {
        let arg = arg.to_string_lossy();
        let value = if value_follows { Some(&*arg) } else { arg.strip_prefix("--color=") };
        if let Some(Ok(named)) = value.map(|value| ColorChoice::from_str(value, false)) {
            color = named;
        }
        value_follows = arg == "--color";
    }
    color
}

/// Applies the choice to everything that is printed from here on.
pub(crate) fn choose(color: ColorChoice) {
    match color {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    }
    .write_global();
}
