import fc from 'fast-check';
import type { TestService } from '../servers/service.js';
import { type Delivery, deliveries } from './delivery.js';
import { families } from './families.js';
import { converse } from './malformed-conversation.js';
import type { MalformedRequest } from './malformed-request.js';

/** Number of concurrent conversations. */
const workers = 32;

interface Case {
  readonly rule: string;
  readonly request: MalformedRequest;
  readonly delivery: Delivery;
}

export interface RunResult {
  /** Number of different requests that were sent. */
  readonly distinct: number;
  /** Descriptions of the failed checks. */
  readonly wrong: readonly string[];
}

/** Sends up to `perFamily` requests of each family. The same seed creates the same requests. */
export async function runMalformedRequests(service: TestService, perFamily: number, seed: number): Promise<RunResult> {
  const cases = casesOf(perFamily, seed);
  const wrong: string[] = [];
  const waiting = cases.values();
  const work = async () => {
    for (const { rule, request, delivery } of waiting) {
      try {
        await converse(service, request, delivery);
      } catch (error) {
        const shown =
          request.bytes.length > 600 ? `${request.bytes.slice(0, 300)} … ${request.bytes.slice(-200)}` : request.bytes;
        wrong.push(`${rule}\n${JSON.stringify(shown)}\n${JSON.stringify(delivery)}\n${String(error)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  return { distinct: cases.length, wrong };
}

/** Shuffled, so that slow requests are distributed. */
function casesOf(perFamily: number, seed: number): Case[] {
  const seen = new Set<string>();
  const cases = families.flatMap(({ rule, requests }) =>
    fc
      .sample(fc.tuple(requests, deliveries), { numRuns: perFamily, seed })
      .filter(([{ bytes }]) => !seen.has(bytes) && seen.add(bytes))
      .map(([request, delivery]) => ({ rule, request, delivery })),
  );
  const [shuffled = []] = fc.sample(fc.shuffledSubarray(cases, { minLength: cases.length, maxLength: cases.length }), {
    numRuns: 1,
    seed,
  });
  return shuffled;
}
