//! Writes down what a tool prints in a case, as a fixture for the tests of its parser.

use std::fs;
use std::path::Path;
use std::time::Duration;

use rebut_engine::config::ToolsSettings;
use rebut_engine::process::{self, ChildLimits, End, Launch, Next};
use rebut_engine::providers::cli::Ask;
use rebut_engine::providers::{ModelChoice, tool};
use tokio_util::sync::CancellationToken;

use crate::cell::Cell;

/// How long a tool is listened to: some never end.
const LONGEST: Duration = Duration::from_mins(1);

/// Runs the tool with rebut's own command and keeps its output below `folder`, without this machine's paths.
pub(crate) async fn write(cell: &Cell, folder: &Path) {
    let (provider, variables) = cell.prepare();
    let tool = tool(cell.subject.tool).expect("a tool that rebut knows");
    let program = tool.detect(&ToolsSettings::default()).expect("the tool is installed");
    let prompt = cell.case.prompt();
    let model = match cell.model() {
        ModelChoice::Named(model) => Some(model),
        ModelChoice::OfTool => None,
        ModelChoice::ByEffort => tool.model_for(cell.case.effort()).map(str::to_owned),
    };
    let variable = |name: &str| variables.iter().find(|(own, _)| own == name).map(|(_, value)| value.clone());
    let line = (tool.command)(&Ask {
        model: model.as_deref(),
        effort: tool.efforts.map(|words| words[cell.case.effort() as usize]),
        prompt: &prompt,
        program: &program.canonicalize().expect("the program is there"),
        schema: cell.case.schema().as_ref(),
        own: &(tool.own)(&variable).expect("settings that can be read"),
        scratch: &cell.places.temporary,
        title: "round-1/proposer",
        reads_workspace: cell.may_read(),
        searches_web: false,
        variable: &variable,
    });
    for (name, content) in &line.files {
        crate::settings::keep(&cell.places.temporary.join(name), content);
    }
    let of_tool = tool.environment.iter().map(|(name, value)| (*name, (*value).to_owned()));
    let of_line = of_tool.chain(line.variables).map(|(name, value)| (name.to_owned(), value));
    let launch = Launch {
        program: program.clone(),
        arguments: line.arguments,
        folder: cell.places.workspace.clone(),
        variables: variables.iter().cloned().chain(of_line).map(|(name, value)| (name.into(), value.into())).collect(),
        input: line.input.into_bytes(),
    };
    let cancel = CancellationToken::new();
    let limit = cancel.clone();
    let clock = tokio::spawn(async move {
        tokio::time::sleep(LONGEST).await;
        limit.cancel();
    });
    let started = std::time::Instant::now();
    let output = process::run(&launch, &ChildLimits::default(), &mut |_| Next::Continue, &cancel).await.expect("it starts");
    clock.abort();
    let exit = match output.end {
        End::Exited(status) => status.code().unwrap_or(-1).to_string(),
        _ => "none".to_owned(),
    };
    println!("{} {}: exit {exit} after {:?}", cell.subject.name, cell.case.name, started.elapsed());
    let folder = folder.join(cell.subject.name);
    fs::create_dir_all(&folder).expect("a folder for the captures");
    let install = program.parent().and_then(Path::parent).map(|folder| folder.display().to_string()).unwrap_or_default();
    // Some make a name of the folder's path.
    let dashed = |folder: &Path| folder.display().to_string().replace(['/', '.'], "-");
    let address = provider.base("");
    let harmless = |bytes: &[u8]| {
        String::from_utf8_lossy(bytes)
            .replace(&address, "http://127.0.0.1:8901/")
            .replace(&dashed(&cell.places.workspace), "-home-user-work")
            .replace(&cell.places.home.display().to_string(), "/home/user")
            .replace(&cell.places.workspace.display().to_string(), "/home/user/work")
            .replace(&cell.places.outside.display().to_string(), "/home/user/outside")
            .replace(&cell.places.temporary.display().to_string(), "/tmp")
            .replace(&install, "/home/user/tools")
    };
    let name = cell.case.name.replace(' ', "-");
    for (end, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
        let file = folder.join(format!("{name}.{end}"));
        fs::write(file, harmless(bytes)).expect("a capture");
    }
    fs::write(folder.join(format!("{name}.exit")), exit).expect("a capture");
}
