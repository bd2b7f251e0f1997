/** Prepares the worker processes over which Mocha distributes the test files with `parallel`. */

// Mocha passes options of Node, such as --enable-source-maps, to no worker.
process.setSourceMapsEnabled(true);

if (process.env['MOCHA_WORKER_ID'] !== undefined) {
  // Mocha ends its workers with a message, also at Ctrl-C, and a second later with SIGTERM. A signal would end them
  // before they have written their coverage, killed their servers and removed their files.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
}
