/** Stops the service that loads it when `contract-server dev`, its parent, has ended, even if that was killed. */
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
// Does not keep the service running.
process.channel?.unref();
