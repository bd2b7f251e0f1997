import type { Command } from 'commander';

export interface JsonOption {
  readonly json?: true;
}

export function addJsonOption(command: Command): Command {
  return command.option('--json', 'answer for programs: JSON with stable field names, times as ISO 8601');
}
