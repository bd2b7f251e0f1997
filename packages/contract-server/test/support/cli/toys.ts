import { service } from '../../toys/toys-service.js';
import { commandLineOf } from './command-line.js';
import { createUnlimitedKeyWith, keysCommandsOf } from './keys-commands.js';
import { starterOf } from './running-command.js';

const commandLine = commandLineOf(service);

/** `toys` in this process; with `toysJson`, its output with `--json`. */
export const { run: toys, runJson: toysJson } = commandLine;
export const keysCommands = () => keysCommandsOf(commandLine);
export const startCommand = starterOf(toys);
export const createUnlimitedKey = createUnlimitedKeyWith(toysJson);
