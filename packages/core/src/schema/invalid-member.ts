import { escapeName } from '../contract/json-pointer.js';
import { ApiError, type Violation } from '../lib/errors.js';
import { truncate } from './validation-messages.js';

/** 400 for a parameter or a field that cannot be read. @param problem completes "`name` …". */
export function invalidMember(place: Violation['in'], name: string, problem: string, cause?: unknown): ApiError {
  const message = `\`${truncate(name)}\` ${problem}`;
  const violations = [{ in: place, pointer: `/${escapeName(name)}`, message }];
  return new ApiError('invalid_request', message, { cause, violations });
}
