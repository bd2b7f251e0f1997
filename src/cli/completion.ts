import { Argument, type Command, type Option } from 'commander';
import { write } from './context.js';
import type { Invocation } from './invocation.js';

/** What can be completed after a command. */
interface Position {
  /** The names of the command and its parents, each after a space; empty for the program. */
  readonly path: string;
  readonly words: readonly Word[];
  readonly takesFile: boolean;
  readonly options: readonly (Word & { readonly value: Value })[];
}

interface Word {
  readonly name: string;
  readonly description: string;
}

/** The value of an option: none, a file, or one of these words, if they are known. */
type Value = 'none' | 'file' | readonly string[];

const shells: Readonly<Record<string, (positions: readonly Position[]) => string>> = { bash, zsh, fish };

/** Adds `petstore completion`. The scripts are generated from the commands of the program. */
export function addCompletion(program: Command, invocation: Invocation): void {
  program
    .command('completion')
    .description('print a script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>').choices(Object.keys(shells)))
    .addHelpText('after', setUp)
    .action((shell: string) => write(invocation.context.stdout, shells[shell]?.(positionsOf(program, '')) ?? ''));
}

const setUp = `
Set it up in the start file of your shell:
  ~/.bashrc                   source <(petstore completion bash)
  ~/.zshrc, after compinit    source <(petstore completion zsh)
  ~/.config/fish/config.fish  petstore completion fish | source`;

function positionsOf(command: Command, path: string): Position[] {
  const [argument] = command.registeredArguments;
  const position = {
    path,
    words: [
      ...command.commands.map((child) => ({ name: child.name(), description: child.description() })),
      ...(argument?.argChoices ?? []).map((name) => ({ name, description: argument?.description ?? '' })),
    ],
    takesFile: argument?.name() === 'file',
    options: command
      .createHelp()
      .visibleOptions(command)
      .map((option) => ({ name: `--${option.name()}`, description: option.description, value: valueOf(option) })),
  };
  return [position, ...command.commands.flatMap((child) => positionsOf(child, `${path} ${child.name()}`))];
}

function valueOf({ required, optional, flags, argChoices }: Option): Value {
  if (!required && !optional) return 'none';
  return flags.endsWith('<file>') ? 'file' : (argChoices ?? []);
}

function bash(positions: readonly Position[]): string {
  const offer = (words: readonly Word[]) => `found=${quote(words.map(({ name }) => name).join(' '))}`;
  return `# bash completion for petstore
_petstore() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} at= word found=
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at $word" in (${pathsOf(positions).map(quote).join('|')}) at+=" $word" ;; esac
  done
${cases(positions, offer, 'compopt -o default 2> /dev/null')}
  COMPREPLY=($(compgen -W "$found" -- "$current"))
}
complete -F _petstore petstore
`;
}

function zsh(positions: readonly Position[]): string {
  const offer = (words: readonly Word[]) =>
    `found=(${words.map(({ name, description }) => quote(description === '' ? name : `${name}:${description}`)).join(' ')})`;
  return `#compdef petstore
_petstore() {
  local current=\${words[CURRENT]} previous=\${words[CURRENT-1]} at= word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in (${pathsOf(positions).map(quote).join('|')}) at+=" $word" ;; esac
  done
  local -a found
${cases(positions, offer, '_files')}
  _describe petstore found
}
if [ "\${funcstack[1]}" = _petstore ]; then _petstore; else compdef _petstore petstore; fi
`;
}

function fish(positions: readonly Position[]): string {
  const lines = positions.flatMap(({ path, words, takesFile, options }) => {
    const start = `complete -c petstore -n "__petstore_at ${quoteFish(path)}"`;
    return [
      ...(takesFile ? [`${start} -F`] : []),
      ...words.map(({ name, description }) => `${start} -a ${name} -d ${quoteFish(description)}`),
      ...options.map(({ name, description, value }) => {
        const kinds = { none: '', file: ' -r -F' };
        const argument = typeof value === 'string' ? kinds[value] : ` -x -a ${quoteFish(value.join(' '))}`;
        return `${start} -l ${name.slice(2)}${argument} -d ${quoteFish(description)}`;
      }),
    ];
  });
  return `# fish completion for petstore
function __petstore_at
  set -l at ''
  for word in (commandline -opc)
    contains -- "$at $word" ${pathsOf(positions).map(quoteFish).join(' ')}; and set at "$at $word"
  end
  test "$at" = "$argv"
end
complete -c petstore -e
complete -c petstore -f
${lines.join('\n')}
`;
}

/** The `case` of bash and zsh that selects the words, or files, for the current word by the command before it. */
function cases(positions: readonly Position[], offer: (words: readonly Word[]) => string, files: string): string {
  const values = positions.flatMap(({ path, options }) =>
    options.flatMap(({ name, value }) => {
      if (value === 'none') return [];
      const words = value === 'file' ? [] : value.map((word) => ({ name: word, description: '' }));
      return `    (${quote(`${path}:${name}`)}) ${value === 'file' ? files : offer(words)} ;;`;
    }),
  );
  const others = positions.flatMap(({ path, words, takesFile, options }) => [
    `      (${quote(`${path}:-`)}*) ${offer(options)} ;;`,
    `      (${quote(`${path}:`)}*) ${takesFile ? files : offer(words)} ;;`,
  ]);
  return [
    '  case "$at:$previous" in',
    ...values,
    '    (*) case "$at:$current" in',
    ...others,
    '    esac ;;',
    '  esac',
  ].join('\n');
}

function pathsOf(positions: readonly Position[]): string[] {
  return positions.map(({ path }) => path).filter((path) => path !== '');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function quoteFish(text: string): string {
  return `'${text.replaceAll('\\', String.raw`\\`).replaceAll("'", String.raw`\'`)}'`;
}
