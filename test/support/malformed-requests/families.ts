import { bodies } from './bodies.js';
import { bodyEnds } from './body-ends.js';
import { chunks } from './chunks.js';
import { expectations } from './expectations.js';
import { headerLines } from './header-lines.js';
import { headers } from './headers.js';
import { lengths } from './lengths.js';
import type { Family } from './malformed-request.js';
import { mediaTypes } from './media-types.js';
import { requestLines } from './request-lines.js';
import { targets } from './targets.js';

/** Malformed and unusual requests, grouped by the rule that defines the response. */
export const families: readonly Family[] = [
  ...[...requestLines, ...targets, ...headerLines, ...headers],
  ...[...lengths, ...chunks, ...bodyEnds, ...mediaTypes, ...bodies, ...expectations],
];
