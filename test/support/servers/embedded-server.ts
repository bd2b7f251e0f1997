import { PetClient } from '../clients/pet-client.js';
import { expectStored } from '../sqlite/stored-pets.js';
import { createUnlimitedKey, ServerProcess } from './server-process.js';

/** A server with pets in SQLite, whose files a test breaks, and a client that records what is acknowledged. */
export class EmbeddedServer {
  private constructor(
    readonly directory: string,
    public process: ServerProcess,
    readonly client: PetClient,
  ) {}

  /** Starts a server and creates 50 pets. */
  static async start(directory: string): Promise<EmbeddedServer> {
    const process = await ServerProcess.start({ DATA_DIR: directory });
    const client = new PetClient(process.baseUrl, await createUnlimitedKey(directory));
    await client.createMany(50);
    return new EmbeddedServer(directory, process, client);
  }

  /** Starts it after it has ended. */
  async restart(): Promise<void> {
    this.process = await ServerProcess.start({ DATA_DIR: this.directory });
    this.client.baseUrl = this.process.baseUrl;
  }

  /** Stops the server, and requires every acknowledged pet in the database. */
  async expectNothingLost(directory = this.directory): Promise<void> {
    await this.process.stop();
    expectStored(directory, this.client.acknowledged);
  }
}
