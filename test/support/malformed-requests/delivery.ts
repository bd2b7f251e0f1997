import fc from 'fast-check';
import { get, keyMark, type MalformedRequest, smuggled } from './malformed-request.js';

/** How a request is sent, which must not affect the response. */
export interface Delivery {
  /** Whether a valid request is sent before it, in the same write. */
  readonly follows: boolean;
  /** Whether another request is sent after it, in the same write. */
  readonly isFollowed: boolean;
  /** Maximum length of the pieces in which it is sent, in bytes. */
  readonly pieceBytes: number;
  /** Whether the client closes its side after it. */
  readonly finishes: boolean;
}

const wholeBytes = 1_000_000;
/** Longer requests are not sent byte by byte, because that takes long. */
const bytewiseLengthMax = 500;

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

/** The pieces to send in order, and whether another request follows. */
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
    isWhole === true ? wholeBytes : Math.max(pieceBytes, bytes.length > bytewiseLengthMax ? 50 : 1, bytes.length / 500);
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += Math.ceil(length)) pieces.push(bytes.slice(at, at + Math.ceil(length)));
  return pieces;
}
