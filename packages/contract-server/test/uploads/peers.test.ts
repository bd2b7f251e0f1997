import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import express, { type ErrorRequestHandler, type Express } from 'express';
import { middleware } from 'express-openapi-validator';
import supertest, { type Test } from 'supertest';
import { contract, uploadsRouter } from './uploads.js';

const png = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const image = { filename: 'a.png', contentType: 'image/png' };
const form = (text: string) => (app: Express) =>
  supertest(app).post('/v1/orders').type('application/x-www-form-urlencoded').send(text);
const profile = (add: (test: Test) => Test) => (app: Express) => add(supertest(app).post('/v1/profiles'));
const complete = (test: Test) => test.field('name', 'Ann').attach('avatar', png, image);
const note = (type: string, text: string) => (app: Express) =>
  supertest(app)
    .post('/v1/notes')
    .set('Content-Type', type)
    .serialize((body) => body as string)
    .send(text);

/** Requests, whether they are valid, and why express-openapi-validator decides otherwise, if it does. */
const cases: readonly (readonly [title: string, send: (app: Express) => Test, isValid: boolean, why?: string])[] = [
  ['a form', form('sku=ab'), true],
  ['a form without a required field', form('count=1'), false],
  ['a form with an unknown field', form('sku=ab&color=red'), false],
  ['a form with a short text', form('sku=a'), false],
  ['a form with an integer', form('sku=ab&count=7'), true],
  ['a form with a word for an integer', form('sku=ab&count=seven'), false],
  ['a form with a hexadecimal integer', form('sku=ab&count=0x10'), false, 'it accepts what `Number` does'],
  ['a form with an integer beyond 64 bits', form('sku=ab&count=9223372036854775808'), false, 'it rounds numbers'],
  ['a form with a boolean', form('sku=ab&express=true'), true],
  ['a form with a number for a boolean', form('sku=ab&express=1'), false],
  ['a form with a repeated array', form('sku=ab&tags=x&tags=y'), true],
  ['a form with one item of an array', form('sku=ab&tags=x'), true],
  ['a form with a repeated text', form('sku=ab&sku=cd'), false],
  ['a form with an array in one value', form('sku=ab&sizes=1,2'), true, 'it ignores `explode: false` in forms'],
  ['a form with an object in brackets', form('sku=ab&card[number]=0042'), true],
  ['a form with a wrong value in brackets', form('sku=ab&address[zip]=x&address[city]=Rome'), false],
  ['a form with an object as JSON', form('sku=ab&address={"city":"Rome"}'), true, 'it does not parse JSON in forms'],
  ['a form with an invalid escape', form('sku=ab%'), false, 'Express passes it on as text'],
  ['a multipart body', profile(complete), true],
  ['a multipart body without a required file', profile((test) => test.field('name', 'Ann')), false],
  ['a multipart body without a required field', profile((test) => test.attach('avatar', png, image)), false],
  ['a multipart body with an unknown field', profile((test) => complete(test).field('color', 'red')), false],
  ['a multipart body with an integer', profile((test) => complete(test).field('age', '41')), true],
  ['a multipart body with a fraction', profile((test) => complete(test).field('age', '4.5')), false],
  [
    'a multipart body with an array of files',
    profile((test) => complete(test).attach('photos', png, image).attach('photos', png, image)),
    true,
  ],
  [
    'a multipart body with an object as JSON',
    profile((test) => complete(test).field('address', '{"city":"Rome"}')),
    true,
    'it does not parse JSON in parts',
  ],
  [
    'a multipart body with a file of another media type',
    profile((test) => test.field('name', 'Ann').attach('avatar', png, { filename: 'a.gif', contentType: 'image/gif' })),
    false,
    'it ignores `encoding`',
  ],
  ['JSON, one of several media types', note('application/json', '{"text":"Milk"}'), true],
  ['invalid JSON, one of several media types', note('application/json', '{"title":"Milk"}'), false],
  ['text, one of several media types', note('text/plain', 'Milk'), true],
  ['text that is too long', note('text/plain', 'too long a note'), false],
  ['a media type that is not declared', note('image/png', 'Milk'), false],
];

interface Rejection {
  readonly status?: number;
  readonly message: string;
}

describe('bodies, beside express-openapi-validator', () => {
  let [ours, theirs]: Express[] = [];
  before(async () => {
    ours = express().use(await uploadsRouter());
    // Express recognizes an error handler by its four parameters.
    const reject: ErrorRequestHandler = ({ status = 500, message }: Rejection, _request, response, _next) => {
      response.status(status).json({ message });
    };
    theirs = express()
      .use(express.json(), express.text(), express.urlencoded({ extended: true }))
      .use(middleware({ apiSpec: fileURLToPath(contract), validateRequests: { coerceTypes: 'array' } }))
      .use((_request, response) => void response.status(200).json({}))
      .use(reject);
  });

  for (const [title, send, isValid, why] of cases) {
    const isSame = why === undefined;
    it(`${isSame ? 'decide alike' : 'decide differently, because ' + why}: ${title}`, async () => {
      const [our, their] = [await send(ours as Express), await send(theirs as Express)];
      expect(our.status === 200, our.text).to.equal(isValid);
      expect(our.status, our.text).to.be.below(500);
      expect(their.status === 200, their.text).to.equal(isSame ? isValid : !isValid);
    });
  }
});
