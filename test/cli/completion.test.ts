import { execFile } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { petstore } from '../support/cli/command-line.js';
import { itWithShell } from '../support/cli/shells.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const run = promisify(execFile);
const program = fileURLToPath(import.meta.resolve('#src/cli/petstore.js'));
const plans = ['business', 'enterprise', 'free', 'pro'];

/** What the last word of a command line can be completed to. */
const cases: readonly (readonly [line: string, words: readonly string[]])[] = [
  ['ke', ['keys']],
  ['keys re', ['revoke']],
  ['keys create --pl', ['--plan']],
  ['keys create --plan ', plans],
  ['keys create --name x --plan pr', ['pro']],
  ['keys create --name ', []],
  ['keys revoke --', ['--help', '--json', '--yes']],
  ['--env-file .env pets list --status s', ['sold']],
  ['pets import --dry', ['--dry-run']],
  ['pets import pe', ['pets.ndjson']],
  ['--env-file p', ['pets.ndjson']],
  ['keys list p', []],
  ['completion ', ['bash', 'fish', 'zsh']],
];

describe('petstore completion', () => {
  let directory: string;
  let path: string;
  before(() => {
    directory = temporaryDirectory();
    writeFileSync(join(directory, 'pets.ndjson'), '');
    const bin = temporaryDirectory();
    writeFileSync(join(bin, 'petstore'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
    chmodSync(join(bin, 'petstore'), 0o755);
    path = `${bin}:${process.env['PATH'] ?? ''}`;
  });

  const runShell = async (shell: string, ...args: string[]): Promise<string[]> => {
    const { stdout, stderr } = await run(shell, args, { cwd: directory, env: { PATH: path } });
    expect(stderr).to.equal('');
    return stdout
      .split('\n')
      .filter((word) => word !== '')
      .sort();
  };

  it('completes commands, options, choices and files in bash', async () => {
    // Readline, which completes files, needs a terminal: `compopt` records that it would.
    const complete = `
      source <(petstore completion bash)
      compopt() { [ "$*" = '-o default' ] && files=1; }
      while IFS= read -r line; do
        files= COMPREPLY=() COMP_WORDS=(petstore $line)
        case $line in *' ') COMP_WORDS+=('') ;; esac
        COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
        _petstore
        if [ "$files" ]; then COMPREPLY+=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}")); fi
        printf '%s:%s\\n' "$line" "$(printf '%s\\n' "\${COMPREPLY[@]}" | sort | paste -sd' ' -)"
      done <<< '${cases.map(([line]) => line).join('\n')}'`;
    expect(await runShell('bash', '--norc', '-c', complete)).to.deep.equal(
      cases.map(([line, words]) => `${line}:${words.join(' ')}`).sort(),
    );
  });

  itWithShell('fish', 'completes commands, options, choices and files in fish', async () => {
    for (const [line, words] of cases) {
      const found = await runShell('fish', '-c', `petstore completion fish | source; complete -C 'petstore ${line}'`);
      expect(
        found.map((word) => word.split('\t')[0]),
        line,
      ).to.deep.equal(words);
    }
  });

  itWithShell('zsh', 'prints a script that zsh can read', async () => {
    const load = 'autoload -U compinit; compinit -D; source <(petstore completion zsh); print ${_comps[petstore]}';
    expect(await runShell('zsh', '-fc', load)).to.deep.equal(['_petstore']);
  });

  it('can be sourced more than once', async () => {
    await runShell('bash', '--norc', '-c', 'source <(petstore completion bash); source <(petstore completion bash)');
  });

  it('offers every command that --help lists', async () => {
    const { stdout } = await petstore(['--help']);
    const [, list = ''] = /^Commands:\n(.*?)\n\n/ms.exec(stdout) ?? [];
    const commands = [...list.matchAll(/^ {2}(\w+)/gm)].map(([, name = '']) => name).filter((name) => name !== 'help');
    expect(commands).to.include.members(['serve', 'keys', 'completion']);
    expect((await petstore(['completion', 'bash'])).stdout).to.contain(`(':'*) found='${commands.join(' ')}' ;;`);
  });

  it('exits with 2 for an unknown shell', async () => {
    const { exitCode, stderr } = await petstore(['completion', 'tcsh']);
    expect(exitCode).to.equal(2);
    expect(stderr).to.equal(
      "error: command-argument value 'tcsh' is invalid for argument 'shell'. Allowed choices are bash, zsh, fish.\n",
    );
  });
});
