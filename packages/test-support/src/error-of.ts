import { expect } from 'chai';

/** The error that a promise is rejected with. */
export async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  return expect.fail('Nothing was thrown.');
}
