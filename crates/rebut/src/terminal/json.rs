//! Events as JSON lines, for programs.

use rebut_core::debate::{Debate, Event};
use rebut_engine::runner::Observer;
use serde_json::json;

use super::Screen;

/// Writes every event as a line on standard output.
pub(crate) struct JsonLines {
    screen: Screen,
}

impl JsonLines {
    pub(crate) fn new(screen: &Screen) -> Self {
        Self { screen: screen.clone() }
    }
}

impl Observer for JsonLines {
    fn event(&mut self, _debate: &Debate, seq: u64, event: &Event) {
        self.screen.json(|| json!({ "type": "event", "seq": seq, "at": event.at, "happening": event.happening }));
    }
}
