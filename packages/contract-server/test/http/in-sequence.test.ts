import { expect } from 'chai';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import request from 'supertest';
import { inSequence } from '#src/http/middleware/in-sequence.js';

/** An application whose last route and error handler say what has reached them. */
function appWith(steps: readonly RequestHandler[], errorHandlers: readonly ErrorRequestHandler[] = []) {
  const app = express();
  app.use(inSequence(steps, errorHandlers));
  app.use((_request, response) => void response.send('the next route'));
  app.use(((error: unknown, _request, response, _next) => {
    response.status(500).send(`an error: ${error instanceof Error ? error.message : String(error)}`);
  }) satisfies ErrorRequestHandler);
  return app;
}

const pass: RequestHandler = (_request, _response, next) => {
  next();
};

describe('inSequence', () => {
  it('runs the steps in their order, also after asynchronous ones, and leaves to the next route after the last', async () => {
    const run: string[] = [];
    const step =
      (name: string): RequestHandler =>
      (_request, _response, next) => {
        run.push(name);
        next();
      };
    const later: RequestHandler = async (_request, _response, next) => {
      await Promise.resolve();
      run.push('later');
      next();
    };
    await request(appWith([step('one'), later, step('two')]))
      .get('/')
      .expect(200, 'the next route');
    expect(run).to.deep.equal(['one', 'later', 'two']);
  });

  it('ends with the response of a step', async () => {
    const respond: RequestHandler = (_request, response) => void response.send('a response');
    const never: RequestHandler = () => {
      throw new Error('This step must not run.');
    };
    await request(appWith([pass, respond, never]))
      .get('/')
      .expect(200, 'a response');
  });

  it('leaves to the next route, past the other steps, with next("router")', async () => {
    const leave: RequestHandler = (_request, _response, next) => next('router');
    const never: RequestHandler = () => {
      throw new Error('This step must not run.');
    };
    await request(appWith([leave, never]))
      .get('/')
      .expect(200, 'the next route');
  });

  for (const [name, fail] of Object.entries<RequestHandler>({
    'is passed to next': (_request, _response, next) => next(new Error('no')),
    'is thrown': () => {
      throw new Error('no');
    },
    rejects: () => Promise.reject(new Error('no')),
  })) {
    it(`hands an error that ${name} to the error handlers in their order, and then to those of the application`, async () => {
      const seen: string[] = [];
      const see =
        (name: string): ErrorRequestHandler =>
        async (error: Error, _request, _response, next) => {
          await Promise.resolve();
          seen.push(`${name} ${error.message}`);
          next(error);
        };
      const app = appWith([pass, fail, pass], [see('first'), see('second')]);
      await request(app).get('/').expect(500, 'an error: no');
      expect(seen).to.deep.equal(['first no', 'second no']);
    });
  }

  it('hands an error of an error handler to the next one', async () => {
    const fail: RequestHandler = (_request, _response, next) => next(new Error('first'));
    const failAgain: ErrorRequestHandler = () => Promise.reject(new Error('second'));
    const respond: ErrorRequestHandler = (error: Error, _request, response, _next) => {
      response.status(503).send(error.message);
    };
    await request(appWith([fail], [failAgain, respond]))
      .get('/')
      .expect(503, 'second');
  });

  it('makes an error of what is thrown or rejected without one', async () => {
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- a library can reject with anything
    const reject = () => Promise.reject();
    await request(appWith([reject]))
      .get('/')
      .expect(500, 'an error: undefined was thrown.');
    const leave: RequestHandler = () => {
      // eslint-disable-next-line @typescript-eslint/only-throw-error -- an application can throw anything
      throw 'router';
    };
    await request(appWith([leave]))
      .get('/')
      .expect(500, 'an error: router was thrown.');
  });
});
