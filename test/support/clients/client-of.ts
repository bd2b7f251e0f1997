import { FakeTime } from '@contract-server/test-support/fake-clock.js';
import { createClient } from '#src/client/create-client.js';
import type { PetstoreClient, PetstoreClientOptions } from '#src/client/petstore-client.js';

/** A client of a scripted server. */
export function clientOf(
  { baseUrl }: { readonly baseUrl: string },
  options: Partial<PetstoreClientOptions> = {},
  time = new FakeTime(),
): PetstoreClient {
  return createClient({ baseUrl, apiKey: 'pets_live_x', ...options }, time);
}
