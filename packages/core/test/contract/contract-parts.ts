/** Parts of a contract with one operation. */

export interface Parameter {
  readonly in?: string;
  readonly name?: string;
  readonly [member: string]: unknown;
}

export const responses = { 200: { description: 'Books' } };
export const operation = (members: object = {}) => ({ operationId: 'listBooks', responses, ...members });
export const withOperation = (members: object, path = '/books') => ({
  paths: { [path]: { post: operation(members) } },
});
export const withParameter = (parameter: Parameter, template = parameter.in === 'path' ? '/{id}' : '/books') =>
  withOperation({ parameters: [{ in: 'query', name: 'tag', ...parameter }] }, template);
export const withResponses = (status: string, members: object) =>
  withOperation({ responses: { [status]: { description: 'Books', ...members } } });
export const withBody = (...types: string[]) =>
  withOperation({ requestBody: { content: Object.fromEntries(types.map((type) => [type, { schema: {} }])) } });
export const withSchema = (schema: object, openapi = '3.1.1') => ({
  openapi,
  components: { schemas: { Book: schema } },
});
export const withScheme = (session: object) => ({
  ...withOperation({ security: [{ session: [] }] }),
  components: { securitySchemes: { session } },
});
export const text = { type: 'string' };

/** The schema in another one, as generators write it beside a description. */
export const inAllOf = (parameter: Parameter, openapi: string) => ({
  openapi,
  ...withParameter({ ...parameter, schema: { allOf: [{ $ref: '#/components/schemas/Value' }] } }),
  components: { schemas: { Value: parameter['schema'] } },
});
