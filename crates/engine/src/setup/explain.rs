//! The parts of [`SetupError`].

use super::SetupError;
use std::fmt::Display;
use types::Explain;

pub(super) const NO_FOLDER: &str = "name one with --natives";
pub(super) const PYTHON: &str = "install Python 3 with pip, or name another interpreter with --python";

pub(super) fn no_pip(by_hand: &dyn Display) -> String {
    format!("install it (Debian: apt-get install python3-pip), or {by_hand}")
}

impl Explain for SetupError {
    fn code(&self) -> &'static str {
        match self {
            Self::NoFolder => "setup_no_folder",
            Self::Python { .. } => "setup_python",
            Self::NoPip { .. } => "setup_no_pip",
            Self::Download { .. } => "setup_download",
            Self::NoMember { .. } => "setup_no_member",
            Self::Make { .. } => "setup_make",
            Self::OtherContent { .. } => "setup_other_content",
        }
    }

    fn value(&self) -> Option<String> {
        match self {
            Self::Python { python, .. } | Self::NoPip { python, .. } | Self::Make { python, .. } => {
                Some(python.clone())
            }
            Self::Download { package, .. }
            | Self::NoMember { package, .. }
            | Self::OtherContent { package, .. } => Some((*package).to_owned()),
            Self::NoFolder => None,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::NoFolder => Some(NO_FOLDER.to_owned()),
            Self::Python { .. } => Some(PYTHON.to_owned()),
            Self::NoPip { by_hand, .. } => Some(no_pip(by_hand)),
            Self::Download { by_hand, .. } => Some(by_hand.clone()),
            Self::NoMember { .. } | Self::OtherContent { .. } | Self::Make { .. } => None,
        }
    }
}
