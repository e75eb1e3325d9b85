//! `rebut completions`

use clap::{Arg, Args, Command};
use clap_complete::Shell;

use crate::cli::definition;
use crate::error::{CommandError, Exit};
use crate::terminal::Screen;

/// Completions for your shell, on standard output
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  rebut completions bash > ~/.local/share/bash-completion/completions/rebut")]
pub(crate) struct Completions {
    /// Which shell
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(&self, screen: &Screen) -> Result<Exit, CommandError> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut definition(), "rebut", &mut text);
        let text = String::from_utf8_lossy(&text).into_owned() + &ids(self.shell);
        screen
            .document(&text)
            .map_err(|error| CommandError::failed(format!("standard output cannot be written: {error}")))?;
        Ok(Exit::Done)
    }
}

/// Completes the ids of this workspace's debates, in bash and fish.
fn ids(shell: Shell) -> String {
    let takes_id = |command: &&Command| command.get_positionals().any(|argument: &Arg| argument.get_id() == "id");
    let definition = definition();
    let commands: Vec<&str> = definition.get_subcommands().filter(takes_id).map(Command::get_name).collect();
    match shell {
        Shell::Bash => BASH.replace("COMMANDS", &commands.join("|")),
        Shell::Fish => FISH.replace("COMMANDS", &commands.join(" ")),
        _ => String::new(),
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

const FISH: &str = r#"
complete -c rebut -f -n "__fish_seen_subcommand_from COMMANDS" \
    -a "(rebut list --limit 100 2>/dev/null | awk -F'\t' '{ n = split(\$1, part, \"-\"); print part[n] \"\t\" \$6 }')"
"#;
