import type { Command } from 'commander';
import { settings } from '../../config.js';
import { withEnv } from '../context.js';
import { type Invocation, settingParser } from '../invocation.js';

interface ServeOptions {
  readonly host?: string;
  readonly port?: string;
}

/** Adds `petstore serve`. */
export function addServe(program: Command, invocation: Invocation): void {
  program
    .command('serve')
    .description('start the server; stops on SIGTERM, SIGINT or SIGHUP')
    .option('--host <address>', 'address to listen on (default: HOST)', settingParser(settings.host, invocation))
    .option(
      '--port <port>',
      'port to listen on; 0 selects a free port (default: PORT)',
      settingParser(settings.port, invocation),
    )
    .action(async ({ host, port }: ServeOptions) => {
      const { context } = invocation;
      // Loaded on demand, because it imports the server.
      const { runServer } = await import('./serve.js');
      const env = { ...context.env, ...(host && { HOST: host }), ...(port && { PORT: port }) };
      invocation.exitCode = await runServer(withEnv(context, env));
    });
}
