import { type Command, type Invocation, withStores, write } from 'contract-server/cli';
import { seed, seedPassword } from './seed.js';
import type { Stores } from './stores.js';

export const examples: readonly string[] = ['seed'];

/** Adds `conduit seed`. */
export function addCommands(program: Command, invocation: Invocation<Stores>): void {
  program
    .command('seed')
    .description('write users, articles and comments for development into a database without users')
    .action(async () => {
      const emails = await withStores(invocation, ({ application }) => seed(application), { creates: true });
      await write(invocation.context.stdout, `Log in as ${emails.join(', ')} with the password ${seedPassword}.\n`);
    });
}
