/**
 * Express with the router of contract-server, which counts the quotas of the keys in memory. `LISTEN=on` uses the server
 * of contract-server, too.
 */
import { createRouter, listen } from 'contract-server';
import express from 'express';
import { ApiError } from '../../../dist/contract.js';
import { findKey, pets, port } from './common.js';

const router = await createRouter()({
  contract: new URL('../../../spec/petstore.yaml', import.meta.url),
  security: {
    apiKey(token) {
      const { id, perMinute, perDay } = findKey(`Bearer ${token}`) ?? {};
      return id && { id, quota: { id, limits: { requestsPerMinute: perMinute, requestsPerDay: perDay } } };
    },
  },
  handlers: {
    getPet: async ({ path }) => {
      const pet = pets.find(path.petId);
      if (pet === undefined) throw new ApiError('pet_not_found', 'No pet has this id.');
      return { status: 200, body: pet };
    },
    listPets: async ({ query }) => ({ status: 200, body: pets.list(query) }),
    createPet: async ({ body }) => ({ status: 201, body: pets.create(body) }),
  },
});

const app = express();
app.use(router);
if (process.env.LISTEN === 'on') await listen(app, { port, host: '127.0.0.1' });
else app.listen(port, '127.0.0.1');
