import { memberOf } from '@contract-server/core/json/object-members.js';
import { errorsOf, place } from '@contract-server/test-support/contract/contract-errors.js';
import { echoApp } from '@contract-server/test-support/contract/echo-app.js';
import { expect } from 'chai';
import supertest from 'supertest';
import { stringify } from 'yaml';
import { generateTypes } from '#src/generate/generate-types.js';
import { places, refused } from './inherited-names.js';

const names = ['constructor', 'valueOf', 'hasOwnProperty', 'toString', '__proto__'];

describe('a name that every object of JavaScript has', () => {
  for (const [title, rowOf] of Object.entries(places))
    for (const name of names) {
      const sentence = memberOf(refused[title] ?? {}, name);
      const { contract, sent, options, id = 'echo' } = rowOf(name);
      it(`is ${sentence === undefined ? 'served' : 'refused in a sentence'} as ${title}: ${name}`, async () => {
        if (sentence !== undefined) {
          const [error, ...others] = await errorsOf({ 'api.yaml': stringify(contract) });
          expect(error).to.match(/^api\.yaml:[1-9][0-9]*:[1-9][0-9]* /);
          expect([error?.replace(/^\S+ /, ''), others]).to.deep.equal([sentence, []]);
          return;
        }
        const agent = supertest(await echoApp(stringify(contract), options, [id]));
        const { types } = await generateTypes(place({ 'api.yaml': stringify(contract) }).url);
        expect(types).to.contain('export interface Contract');
        for (const [send, status, received] of sent) {
          const { status: actual, text } = await send(agent);
          expect(actual, text).to.equal(status);
          const body = JSON.parse(text) as { readonly message: string };
          if (received instanceof RegExp) expect(body.message).to.match(received);
          else expect(JSON.stringify({ ...body, ...received }), text).to.equal(text);
        }
      });
    }
});
