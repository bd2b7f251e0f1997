import type { ContractDocument } from '@contract-server/core/contract/document.js';
import { parse } from 'yaml';

/** A contract with a part of each kind. */
export const smallContract = parse(`
openapi: 3.0.4
info: { title: Pets, version: 1.0.0, description: Small. }
servers: [{ url: "https://pets.example/v1" }, { url: "http://staging.example/v1" }, { url: /v1 }]
security: [{ apiKey: [] }]
x-rate-limit-plans: { free: { requestsPerMinute: 60, requestsPerDay: 1000 }, enterprise: custom }
x-rate-limit-address-plan: free
x-rate-limit-ban: { rejectedRequestsFactor: 10, seconds: 900 }
x-error-codes:
  busy: { status: 503 }
  pet_not_found: { status: 404, cause: There is none., resolution: Check the id. }
paths:
  /pets:
    get:
      operationId: listPets
      description: Lists.
      parameters: [{ $ref: "#/components/parameters/Limit" }]
      responses: { "200": { description: Pets } }
    post:
      operationId: createPet
      x-stability: experimental
      requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/NewPet" } } } }
      responses: { "201": { description: A pet } }
  /pets/{petId}:
    get:
      operationId: getPet
      deprecated: true
      x-sunset: "2030-12-05"
      x-successor: listPets
      parameters: [{ $ref: "#/components/parameters/PetId" }]
      responses: { "200": { description: A pet }, "404": { $ref: "#/components/responses/NotFound" } }
components:
  examples: { none: { value: { code: pet_not_found } } }
  responses:
    NotFound:
      description: Not found
      content: { application/json: { schema: {}, examples: { none: { $ref: "#/components/examples/none" } } } }
  securitySchemes: { apiKey: { type: http, scheme: bearer } }
  parameters:
    Limit: { name: limit, in: query, schema: { type: integer } }
    PetId: { name: petId, in: path, required: true, schema: { type: integer } }
  schemas:
    NewPet: { type: object, properties: { name: { type: string, pattern: "." } } }
    Pet: { type: object, required: [name], properties: { name: { type: string } } }
`) as ContractDocument;
