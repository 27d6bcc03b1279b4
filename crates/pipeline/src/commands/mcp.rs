//! `pipeline mcp`.

use super::{
    App,
    serve::{Log, stop},
};
use crate::{args::Mcp, printer::Outcome};
use anyhow::Result;
use engine::stages::warn_without_reader;
use server::StdioOptions;

/// Serves until the client closes standard input. Nothing else may write to standard output.
pub(super) async fn run(app: &App, args: &Mcp) -> Result<Outcome> {
    warn_without_reader(&app.settings, &app.reporter);
    let log = Log::new(std::io::stderr());
    let options = StdioOptions { portal: args.portal.clone(), nc: args.nc, log: log.sink(), stop: stop()? };
    let served = server::stdio(&app.settings, options).await;
    log.flush();
    served.map(|()| Outcome::Done)
}
