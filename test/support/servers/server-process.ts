import { fileURLToPath } from 'node:url';
import { createUnlimitedKeyWith } from '@contract-server/test-support/cli/issued-keys.js';
import { type ProcessOptions, ServiceProcess } from '@contract-server/test-support/servers/service-process.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { petstoreJson } from '../cli/command-line.js';
import { PetClient } from '../clients/pet-client.js';
import { definition } from '../pet-store.js';

export type { ProcessOptions };

/** The script of `npm start`. */
export const mainScript = fileURLToPath(import.meta.resolve('#src/main.js'));

/** The real command of the pet store. */
export class ServerProcess extends ServiceProcess {
  constructor(env: Readonly<Record<string, string>>, options: Partial<ProcessOptions> = {}) {
    super(definition, env, { command: [mainScript], ...options });
  }

  /** Starts a server and waits until it listens. */
  static async start(...args: ConstructorParameters<typeof ServerProcess>): Promise<ServerProcess> {
    const server = new ServerProcess(...args);
    await server.listening();
    return server;
  }
}

export const createUnlimitedKey = createUnlimitedKeyWith(petstoreJson);

/** Starts a server with an empty database, and creates a key with practically no limits. */
export async function startWithKey(env: Readonly<Record<string, string>> = {}, options: Partial<ProcessOptions> = {}) {
  const directory = temporaryDirectory();
  const server = await ServerProcess.start({ DATA_DIR: directory, ...env }, options);
  const token = await createUnlimitedKey(directory);
  return { directory, server, token, client: new PetClient(server.baseUrl, token) };
}
