/** What the bench tells a peer. */
export const settings = {
  port: Number(process.env.PORT),
  directory: process.env.DATA_DIR,
  logsRequests: process.env.REQUEST_LOG === 'on',
  /** Without them there is neither authentication nor a limit. */
  knowsKeys: process.env.KEYS !== 'off',
};
