//! `rebut completions` and `rebut man`, which come from the definition of the command line.

use clap::{Arg, Args, Command};
use clap_complete::Shell;
use clap_mangen::Man as Page;

use crate::cli::definition;
use crate::error::{CommandError, Exit};
use crate::terminal::Screen;

/// Print completions for your shell
#[derive(Debug, Args)]
#[command(after_long_help = COMPLETIONS_EXAMPLES)]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

const COMPLETIONS_EXAMPLES: &str = "\
In bash, zsh and fish, the ids of debates are completed too.

Examples:
  rebut completions bash > ~/.local/share/bash-completion/completions/rebut
  rebut completions zsh > ~/.zfunc/_rebut      with `fpath+=~/.zfunc` before `compinit`
  rebut completions fish > ~/.config/fish/completions/rebut.fish";

impl Completions {
    pub(crate) fn run(&self, screen: &Screen) -> Result<Exit, CommandError> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut definition(), "rebut", &mut text);
        screen.document(&with_ids(self.shell, &String::from_utf8_lossy(&text)));
        Ok(Exit::Done)
    }
}

/// Adds the ids of this workspace's debates to a generated script, which knows only words that never change.
fn with_ids(shell: Shell, script: &str) -> String {
    let takes_id = |command: &&Command| command.get_positionals().any(|argument: &Arg| argument.get_id() == "id");
    let definition = definition();
    let commands: Vec<&str> = definition.get_subcommands().filter(takes_id).map(Command::get_name).collect();
    match shell {
        Shell::Bash => format!("{script}{}", BASH.replace("COMMANDS", &commands.join("|"))),
        Shell::Fish => format!("{script}{}", FISH.replace("COMMANDS", &commands.join(" "))),
        Shell::Zsh => {
            let is_id = |line: &str| line.starts_with("':id -- ") || line.starts_with("'::id -- ");
            let with_id =
                |line: &str| if is_id(line) { line.replace(":_default'", ":_rebut_ids'") } else { line.to_owned() };
            let (head, body) = script.split_once('\n').unwrap_or((script, ""));
            let body: Vec<String> = body.lines().map(with_id).collect();
            format!("{head}\n{ZSH}{}\n", body.join("\n"))
        }
        _ => script.to_owned(),
    }
}

const BASH: &str = r#"
_rebut_with_ids() {
    _rebut "$@"
    local word="${COMP_WORDS[COMP_CWORD]}"
    case "${COMP_WORDS[1]}" in
        COMMANDS)
            if [[ $COMP_CWORD == 2 && $word != -* ]]; then
                COMPREPLY=($(compgen -W "last $(rebut list --limit 100 2>/dev/null | cut -f1 | sed 's/.*-//')" -- "$word"))
            fi
            ;;
    esac
}
complete -F _rebut_with_ids -o bashdefault -o default rebut
"#;

const ZSH: &str = r#"
_rebut_ids() {
    local -a ids
    ids=('last:the last debate of this workspace'
        ${(f)"$(rebut list --limit 100 2>/dev/null | awk -F'\t' '{ sub(/.*-/, "", $1); print $1 ":" $6 }')"})
    _describe debate ids
}
"#;

const FISH: &str = r#"
complete -c rebut -f -n "__fish_seen_subcommand_from COMMANDS" -a "last\t'the last debate of this workspace'"
complete -c rebut -f -n "__fish_seen_subcommand_from COMMANDS" \
    -a "(rebut list --limit 100 2>/dev/null | string replace -r '^[^\t]*-([^-\t]*)\t(?:[^\t]*\t){4}([^\t]*).*' '\$1\t\$2')"
"#;

/// Print the manual page
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  rebut man | man -l -\n  rebut man duel | man -l -")]
pub(crate) struct Man {
    /// The page of one command
    command: Option<String>,
}

impl Man {
    pub(crate) fn run(&self, screen: &Screen) -> Result<Exit, CommandError> {
        let mut definition = definition();
        definition.build();
        let page = match &self.command {
            None => definition,
            Some(name) => {
                let command = definition.find_subcommand(name).cloned();
                command.ok_or_else(|| {
                    CommandError::usage(format!("there is no command `{name}`")).hint("`rebut --help` lists them")
                })?
            }
        };
        let mut text = Vec::new();
        let rendered = Page::new(page).render(&mut text);
        rendered.map_err(|error| CommandError::failed(format!("can't render the page: {error}")))?;
        screen.document(&String::from_utf8_lossy(&text));
        Ok(Exit::Done)
    }
}
