// Generated from spec/conduit.yaml by `contract-server generate`. Not to be edited.
/** What clients need of the contract at run time. */
export const contract = {
  "version": "1.0.0",
  "pathPrefix": "/api",
  "prefixes": {},
  "styles": {},
  "mediaTypes": {},
  "schemes": {}
};
