/** The settings that the benchmark passes to a peer. */
export const settings = {
  port: Number(process.env.PORT),
  directory: process.env.DATA_DIR,
  logsRequests: process.env.REQUEST_LOG === 'on',
  /** Whether API keys are cached, as in the service. */
  cachesKeys: process.env.KEY_CACHE === 'on',
};
