import { type CallResult, type ClientOptions, createClient } from '@contract-server/client/index.js';
import { FakeTime } from '../fake-clock.js';
import { type AnyContract, noValues } from './any-contract.js';

/** The version of the contract, which the client names in `User-Agent`. */
export const version = '2.1.0';
const scheme = { type: 'http', scheme: 'bearer' } as const;
const contract = { ...noValues, version, pathPrefix: '/v1', schemes: { token: scheme } };

/** Sends a request, without the types of a contract. */
type SendRequest = (method: string, path: string, options?: object) => Promise<CallResult<unknown>>;

/** The `request` of a client of a server, which sends `Authorization: Bearer toys_live_x`. */
export function requestTo(
  { baseUrl }: { readonly baseUrl: string },
  options: Partial<ClientOptions> = {},
  time = new FakeTime(),
): SendRequest {
  const all = { baseUrl, contract, credentials: { token: 'toys_live_x' }, ...options };
  return createClient<AnyContract>(all, { name: 'toys-client', time }).request as unknown as SendRequest;
}
