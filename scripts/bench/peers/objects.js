/** The service with handlers that return rows as objects, instead of JSON text that the database has written. */
import { createService } from 'contract-server';
import { service } from '../../../dist/service.js';
import { pets } from './common.js';

const { definition } = service;
const objects = createService()({
  ...definition,
  create(dependencies) {
    const application = definition.create(dependencies);
    const handlers = {
      ...application.handlers,
      getPet: async ({ path }) => ({ status: 200, body: pets.find(path.petId) }),
      listPets: async ({ query }) => ({ status: 200, body: pets.list(query) }),
    };
    return { ...application, handlers };
  },
});
await objects.run(process);
