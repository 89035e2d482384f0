// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are variables of the shells.
/**
 * `mcs completion`: the script of a shell that completes command lines of `mcs`. Commands and verbs stand in the
 * script; what follows them is asked of `mcs completion words`, which knows options, and asks the service for the
 * names of the mission (`completed-words.ts`).
 *
 * C1. A completion never fails and never says anything but words: without a service there are fewer of them.
 */

import { type Command, defineCommand } from './command.ts';
import { WrongUsage } from './command-line.ts';
import { type CommandTable, completedWords } from './completed-words.ts';

const USAGE = `mcs completion bash|zsh|fish
  a script that completes commands, options and the names of the mission with the Tab key:
    bash: eval "$(mcs completion bash)" in ~/.bashrc     zsh: eval "$(mcs completion zsh)" behind compinit in ~/.zshrc
    fish: mcs completion fish | source, in ~/.config/fish/config.fish
  names are those of the service that the line would ask
mcs completion words -- WORD …
  for these scripts: what the last word may be, one in a line
`;

/** The command over all of them. */
export function completionOf(table: CommandTable): Command {
  return defineCommand({
    usage: USAGE,
    words: ['bash|zsh|fish'],
    rest: 'WORD',
    options: {},
    async run({ words: [shell], rest }) {
      const script = SCRIPTS[shell];
      if (shell !== 'words' && (script === undefined || rest.length > 0))
        throw new WrongUsage(`${JSON.stringify(rest[0] ?? shell)} is no shell of these: bash, zsh, fish`);
      const lines = script === undefined ? await completedWords(table, rest) : script(table);
      process.stdout.write(lines.map((line) => `${line}\n`).join(''));
      return 0;
    },
  });
}

const SCRIPTS: Readonly<Record<string, (table: CommandTable) => string[]>> = {
  bash: (table) => [
    '_mcs() {',
    '  local current=${COMP_WORDS[COMP_CWORD]} words=',
    ...chosen(table, { place: '$COMP_CWORD', noun: '"${COMP_WORDS[1]}"', first: 1 }),
    '  if [ -z "$words" ]; then',
    // What a mission has may hold blanks nowhere, so that lines are words.
    '    words=$("${COMP_WORDS[0]}" completion words -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)',
    '  fi',
    "  local IFS=$' \\t\\n'",
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
    '}',
    'complete -o default -F _mcs mcs ./mcs',
  ],
  zsh: (table) => [
    '_mcs() {',
    '  local words_=',
    ...chosen(table, { place: '$CURRENT', noun: '"${words[2]}"', first: 2 }).map((line) =>
      line.replace('words=', 'words_='),
    ),
    '  if [ -z "$words_" ]; then',
    '    words_=$("${words[1]}" completion words -- "${(@)words[2,CURRENT]}" 2>/dev/null)',
    '  fi',
    '  if [ -n "$words_" ]; then compadd -- ${(z)words_}; else _files; fi',
    '}',
    'compdef _mcs mcs ./mcs',
  ],
  fish: (table) => [
    'function __mcs_words',
    '  set -l given (commandline -opc)',
    '  $given[1] completion words -- $given[2..-1] (commandline -ct) 2>/dev/null',
    'end',
    `complete -c mcs -n __fish_use_subcommand -f -a '${Object.keys(table).join(' ')}'`,
    ...Object.entries(table).flatMap(([name, { verbs }]) =>
      verbs === undefined
        ? []
        : [
            `complete -c mcs -n '__fish_seen_subcommand_from ${name}; and test (count (commandline -opc)) = 2' -f -a '${verbs}'`,
          ],
    ),
    "complete -c mcs -n 'test (count (commandline -opc)) -ge 2' -a '(__mcs_words)'",
  ],
};

interface Places {
  readonly place: string;
  readonly noun: string;
  /** Where the command stands. */
  readonly first: number;
}

/** What stands in the script: commands, and behind them their verbs. */
function chosen(table: CommandTable, { place, noun, first }: Places): string[] {
  const verbs = Object.entries(table).flatMap(([name, each]) =>
    each.verbs === undefined ? [] : [`      ${name}) words='${each.verbs}';;`],
  );
  return [
    `  case ${place} in`,
    `    ${first}) words='${[...Object.keys(table), 'test'].join(' ')}';;`,
    `    ${first + 1}) case ${noun} in`,
    ...verbs,
    '      esac;;',
    '  esac',
  ];
}
