/** References to parts of another operation, one of which contains itself, and a reference to a reference. */
export const withReferences = (openapi: string) => {
  const tree = '#/paths/~1trees~1%7Bid%7D/post/requestBody/content/application~1json/schema';
  const json = { 'application/json': { schema: { type: 'object', properties: { child: { $ref: tree } } } } };
  const parameters = [{ in: 'path', name: 'id', required: true, schema: { $ref: '#/components/schemas/Id' } }];
  const planted = { 200: { description: 'A tree', content: { 'application/json': { schema: { $ref: tree } } } } };
  const plant = { operationId: 'plant', parameters, requestBody: { content: json }, responses: planted };
  const move = {
    operationId: 'move',
    parameters: [{ $ref: '#/paths/~1trees~1%7Bid%7D/post/parameters/0' }],
    requestBody: { $ref: '#/paths/~1trees~1%7Bid%7D/post/requestBody' },
    responses: { 200: { $ref: '#/paths/~1trees~1%7Bid%7D/post/responses/200' } },
  };
  const paths = { '/trees/{id}': { post: plant }, '/trees/{id}/garden': { put: move } };
  const schemas = { Id: { $ref: '#/components/schemas/Number' }, Number: { type: 'integer' } };
  return { openapi, paths, components: { schemas } };
};
