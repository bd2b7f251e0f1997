/**
 * Express with the router of contract-server, and the keys and limits of the other peers with Express. `LISTEN=on` uses
 * the server of contract-server, too.
 */
import { createRouter, listen } from 'contract-server';
import express from 'express';
import { ApiError } from '../../../dist/contract.js';
import { findKey, pets, port } from './common.js';
import { authenticate, limits } from './express-middleware.js';

const router = await createRouter()({
  contract: new URL('../../../spec/petstore.yaml', import.meta.url),
  security: { apiKey: (token) => ({ id: findKey(`Bearer ${token}`).id }) },
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
app.use(authenticate, limits, router);
if (process.env.LISTEN === 'on') await listen(app, { port, host: '127.0.0.1' });
else app.listen(port, '127.0.0.1');
