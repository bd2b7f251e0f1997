import { fileURLToPath } from 'node:url';
import { createUnlimitedKey } from '../cli/toys.js';
import { ToyClient } from '../clients/toy-client.js';
import { temporaryDirectory } from '../temporary-directory.js';
import { service } from '../toys/toys-service.js';
import { type ProcessOptions, ServiceProcess } from './service-process.js';

/** The scripts of the server and of the command. */
export const mainScript = fileURLToPath(new URL('../toys/main.js', import.meta.url));
export const program = fileURLToPath(new URL('../toys/toys.js', import.meta.url));

/** The real command of the toys. */
export class ToysProcess extends ServiceProcess {
  constructor(env: Readonly<Record<string, string>>, options: Partial<ProcessOptions> = {}) {
    super(service.definition, env, { command: [mainScript], ...options });
  }

  /** Starts a server and waits until it listens. */
  static async start(...args: ConstructorParameters<typeof ToysProcess>): Promise<ToysProcess> {
    const server = new ToysProcess(...args);
    await server.listening();
    return server;
  }
}

/** Starts a server with an empty database, and creates a key with practically no limits. */
export async function startWithKey(env: Readonly<Record<string, string>> = {}) {
  const directory = temporaryDirectory();
  const server = await ToysProcess.start({ DATA_DIR: directory, ...env });
  const token = await createUnlimitedKey(directory);
  return { directory, server, token, client: new ToyClient(server.baseUrl, token) };
}
