//! How prompts grow with the rounds: every round may add the same, never more than the one before it.

use std::collections::BTreeMap;
use std::fs;

use rebut_core::debate::{Happening, Plan, StepKey};
use rebut_core::formats::duel::{Leg, Role};
use rebut_core::judging::Rigor;
use rebut_engine::providers::Providers;
use rebut_engine::store::{Cursor, FileStore, Store};

use crate::figures::float;
use crate::partners;
use crate::stage::{self, MOST_ROUNDS, Stage, statement};
use crate::table::{Row, Table};

/// From this round on a round is argued with the summary of a summary, so that all later ones are alike.
const FIRST_STEADY_ROUND: u32 = 4;

pub(crate) fn measure(stage: &Stage, table: &mut Table) {
    let duels: Vec<BTreeMap<StepKey, usize>> =
        (1..=MOST_ROUNDS).map(|rounds| prompt_bytes(stage, stage.plan(rounds, 0))).collect();
    let longest = &duels[duels.len() - 1];
    for round in 1..=MOST_ROUNDS {
        let [opening, answer] = Role::ALL.map(|role| longest[&Leg::First.statement_key(round, role)]);
        table.add(Row::new(format!("prompt bytes of round {round}, each side"), format!("{opening} and {answer}")));
    }
    let totals: Vec<usize> = duels.iter().map(|duel| duel.values().sum()).collect();
    let mut before = None;
    for (rounds, total) in (1_u32..).zip(&totals) {
        let what = format!("prompt bytes of all calls, {rounds} round{}", if rounds == 1 { "" } else { "s" });
        let row = Row::new(what, format!("{total} ({:.0} a round)", float(*total) / f64::from(rounds)));
        let added = rounds.checked_sub(2).map(|shorter| total - totals[shorter as usize]);
        table.add(match added.zip(before).filter(|_| rounds > FIRST_STEADY_ROUND) {
            Some((added, before)) => {
                let ratio = float(added) / float(before);
                row.ideal(format!("{} (linear)", total - added + before), ratio).aim("linear in rounds", ratio < 1.05)
            }
            None => row,
        });
        before = added;
    }
    let script = |text: String| {
        let path = stage.folder("sent").join("seats.toml");
        fs::write(&path, text).unwrap();
        path
    };
    let duel = script(stage::script(&statement(SHORT, ""), 0));
    table.add(sent("a duel", stage, stage.plan_by(&duel, 1, Rigor::Quick), 11_000));
    let cross = script(partners::answers(2, SHORT, |_| 0));
    let cross = partners::plan(&Providers::default(), &stage.folder("sent"), &cross, 2);
    table.add(sent("a cross of two partners", stage, cross, 16_000));
}

/// How long the statements are whose debates are measured as a whole, in bytes.
const SHORT: usize = 1_200;

/// All bytes that a debate of one round sends, beside the aim.
fn sent(debate: &str, stage: &Stage, plan: Plan, aim: usize) -> Row {
    let total: usize = prompt_bytes(stage, plan).values().sum();
    let what = format!("prompt bytes of {debate}, 1 round, statements of {SHORT} bytes");
    Row::new(what, total.to_string()).aim(format!("<= {aim}"), total <= aim)
}

/// The bytes of every prompt of a debate.
fn prompt_bytes(stage: &Stage, plan: Plan) -> BTreeMap<StepKey, usize> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let root = stage.folder("prompts");
    let (debate, _) = runtime.block_on(stage.begin(&root, plan, false).run());
    // What broke off would be measured as a short debate.
    assert!(debate.outcome().is_some_and(|outcome| outcome.verdict.is_some()), "{:?}", debate.outcome());
    let read = runtime.block_on(async {
        let store = FileStore::at(root);
        store.events(&debate.plan().id, &Cursor::default()).await.unwrap()
    });
    let events = read.trusted().unwrap();
    let prompts = events.into_iter().filter_map(|event| match event.happening {
        Happening::Started { key, prompt, .. } => Some((key, prompt.system.len() + prompt.user.len())),
        _ => None,
    });
    prompts.collect()
}
