/** Loaded into a service that `contract-server dev` starts: stops it when `dev` has ended, even if it was killed. */
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
// Does not keep the service running.
process.channel?.unref();
