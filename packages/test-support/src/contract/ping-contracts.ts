/** Small contracts with one operation. */
export const ping = () => Promise.resolve({ status: 200, body: {} });
export const withoutPrefix = `
openapi: 3.0.4
info: { title: Ping, version: 1.0.0 }
paths: { /ping: { get: { operationId: ping, responses: { "200": &json { description: Pong, content: { application/json: { schema: { type: object } } } } } } } }
`;
export const limited = `
openapi: 3.0.4
info: { title: Ping, version: 1.0.0 }
servers: [{ url: /v1 }]
security: [{ key: [] }]
x-rate-limit-plans: { free: { requestsPerMinute: 1, requestsPerDay: 5 } }
paths: { /ping: { get: { operationId: ping, responses: { "200": { description: Pong, content: { application/json: { schema: { type: object } } } } } } } }
components: { securitySchemes: { key: { type: apiKey, in: header, name: X-Key } } }
`;
