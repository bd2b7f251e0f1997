import type { echoApp } from '@contract-server/test-support/contract/echo-app.js';
import type supertest from 'supertest';
import type { Test } from 'supertest';

type Agent = ReturnType<typeof supertest>;
type Send = (agent: Agent) => Test;

export const text = { type: 'string' };
export const integer = { type: 'integer' };
/** An object with one member, of any name. */
export const one = (name: string, value: unknown): object => Object.fromEntries([[name, value]]);
const responses = { 200: { description: 'Anything', content: { 'application/json': { schema: {} } } } };
export const contractOf = (operation: object, members: object = {}, path = '/items') => ({
  openapi: '3.1.1',
  info: { title: 'Echo', version: '1.0.0' },
  paths: { [path]: { post: { operationId: 'echo', responses, ...operation } } },
  ...members,
});
export const withBody = (schema: object, type = 'application/json', members: object = {}) =>
  contractOf({ requestBody: { required: true, content: { [type]: { schema } } } }, members);
export const object = (properties: object, ...required: string[]) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
export const schemaAt = (name: string) => ({ $ref: `#/components/schemas/${name}` });
export const parameter = (name: string, place: string, others: object = {}) =>
  contractOf({ parameters: [{ name, in: place, schema: integer, ...others }] });

export const json =
  (value: unknown): Send =>
  (agent) =>
    agent.post('/items').set('Content-Type', 'application/json').send(JSON.stringify(value));
export const get =
  (path: string): Send =>
  (agent) =>
    agent.post(path);
export const form =
  (body: string): Send =>
  (agent) =>
    agent.post('/items').set('Content-Type', 'application/x-www-form-urlencoded').send(body);

export const oauth = (scope: string) => ({
  type: 'oauth2',
  flows: { clientCredentials: { tokenUrl: '/token', scopes: one(scope, 'A scope') } },
});
export const keyContract = (place: string, name: string) =>
  contractOf(
    { security: [{ key: [] }] },
    { components: { securitySchemes: { key: { type: 'apiKey', in: place, name } } } },
  );
export const caller = { id: 'ann', scopes: [] };
export const keyHandler = {
  options: { security: { key: (key: string) => Promise.resolve(key === 'right' ? caller : undefined) } } as object,
};

export interface Row {
  readonly contract: object;
  readonly sent: readonly (readonly [send: Send, status: number, received: object | RegExp])[];
  readonly options?: Parameters<typeof echoApp>[1];
  readonly id?: string;
}

export const wrong = /must be an integer/;
