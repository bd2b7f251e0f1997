import type { Command } from 'commander';
import { withEnv } from '../context.js';
import { addListenOptions, type Invocation, type ListenOptions } from '../invocation.js';

/** Adds `petstore serve`. */
export function addServe(program: Command, invocation: Invocation): void {
  const command = program.command('serve').description('start the server; stops on SIGTERM, SIGINT or SIGHUP');
  addListenOptions(command, invocation).action(async ({ host, port }: ListenOptions) => {
    const { context } = invocation;
    // Loaded on demand, because it imports the server.
    const { runServer } = await import('./serve.js');
    const env = { ...context.env, ...(host && { HOST: host }), ...(port && { PORT: port }) };
    invocation.exitCode = await runServer(withEnv(context, env));
  });
}
