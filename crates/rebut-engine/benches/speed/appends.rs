//! The journal against a bare loop: appends a second, each on the disk before the next.

use std::io::Write;
use std::time::Instant;

use futures_util::FutureExt;
use rebut_core::debate::{Entry, EntryKind, Event, Happening, StepKey};
use rebut_engine::clock::Clock;
use rebut_engine::store::files::JOURNAL;
use rebut_engine::store::{FileStore, Store};

use crate::bare::append_to;
use crate::figures::{float, median};
use crate::stage::Stage;
use crate::table::{Row, Table};

const APPENDS: usize = 200;
const TIMES: usize = 7;

pub(crate) fn measure(stage: &Stage, table: &mut Table) {
    let (mut ours, mut bares, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..TIMES {
        let folder = stage.folder("appends");
        let mut claim = FileStore::at(&folder).create(Clock::start().now()).now_or_never().unwrap().unwrap();
        let began = Instant::now();
        for place in 0..APPENDS {
            claim.append(&event(place)).now_or_never().unwrap().unwrap();
        }
        let our = float(APPENDS) / began.elapsed().as_secs_f64();
        let content = std::fs::read(folder.join(claim.id().as_str()).join(JOURNAL)).unwrap();
        let mut file = append_to(&folder.join("bare"));
        let began = Instant::now();
        for line in content.split_inclusive(|byte| *byte == b'\n') {
            file.write_all(line).unwrap();
            file.sync_data().unwrap();
        }
        let bare = float(APPENDS) / began.elapsed().as_secs_f64();
        ours.push(our);
        bares.push(bare);
        ratios.push(our / bare);
    }
    let row = Row::new("journal appends a second, each synced", format!("{:.0}", median(ours)));
    table.add(row.ideal(format!("{:.0}", median(bares)), median(ratios)));
}

fn event(place: usize) -> Event {
    let text = "What the procedure has to say takes about as many bytes as a statement does. ".repeat(20);
    let key = StepKey::new(format!("record-{place}"));
    Event { at: Clock::start().now(), happening: Happening::Recorded { key, entry: Entry::words(EntryKind::Ruling, text) } }
}
