import fc from 'fast-check';
import { get, keyMark, type MalformedRequest, smuggled } from './malformed-request.js';

/** How a request reaches the server, which must not matter. */
export interface Delivery {
  /** Whether a good request stands before it, sent together with it. */
  readonly follows: boolean;
  /** Whether another request stands behind it, sent together with it. */
  readonly isFollowed: boolean;
  /** The greatest length of the pieces that it is sent in, in bytes. */
  readonly pieceBytes: number;
  /** Whether the client closes its side after it. */
  readonly finishes: boolean;
}

const wholeBytes = 1_000_000;
/** Longer requests are not sent a byte at a time, which would take long and show nothing more. */
const crumbledBytesMax = 500;

export const deliveries: fc.Arbitrary<Delivery> = fc.record({
  follows: fc.boolean(),
  isFollowed: fc.boolean(),
  pieceBytes: fc.oneof(
    { weight: 3, arbitrary: fc.constant(wholeBytes) },
    fc.constant(1),
    fc.integer({ min: 2, max: 1500 }),
  ),
  finishes: fc.integer({ min: 0, max: 4 }).map((chosen) => chosen === 0),
});

/** What is sent one after the other, and what answers are due before and after that to the request itself. */
export interface Dispatch {
  readonly pieces: readonly string[];
  readonly finishes: boolean;
  readonly isFollowed: boolean;
}

export function dispatch(request: MalformedRequest, delivery: Delivery, key: string): Dispatch {
  const isCut = request.isCut === true;
  const isFollowed = delivery.isFollowed && !isCut;
  const before = delivery.follows ? get() : '';
  const after = isFollowed ? (request.keepsAlive ? get() : smuggled) : '';
  const bytes = `${before}${request.bytes}${after}`.replaceAll(keyMark, key);
  return {
    pieces: piecesOf(bytes, request, delivery.pieceBytes),
    finishes: isCut || (delivery.finishes && request.isUnfinished !== true),
    isFollowed,
  };
}

function piecesOf(bytes: string, { isWhole }: MalformedRequest, pieceBytes: number): string[] {
  const length =
    isWhole === true ? wholeBytes : Math.max(pieceBytes, bytes.length > crumbledBytesMax ? 50 : 1, bytes.length / 500);
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += Math.ceil(length)) pieces.push(bytes.slice(at, at + Math.ceil(length)));
  return pieces;
}
