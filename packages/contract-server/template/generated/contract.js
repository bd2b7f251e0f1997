// Generated from spec/my-service.yaml by `contract-server generate`. Not to be edited.
/** What clients need of the contract at run time. */
export const contract = {
  "version": "0.1.0",
  "pathPrefix": "/v1",
  "prefixes": {},
  "styles": {},
  "mediaTypes": {},
  "schemes": {
    "apiKey": {
      "type": "http",
      "scheme": "bearer"
    }
  }
};
