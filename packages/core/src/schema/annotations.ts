import type { Schema } from '../contract/schemas.js';

/** The keywords that restrict no value. */
const annotations =
  /^(?:title|description|summary|default|deprecated|readOnly|writeOnly|examples?|externalDocs|xml|\$comment|x-.*)$/;

export function isAnnotation(keyword: string): boolean {
  return annotations.test(keyword);
}

/** Whether every value is one of a schema. */
export function allowsAnything(schema: object): boolean {
  return Object.keys(schema).every(isAnnotation);
}

/** Whether a schema is that of its reference: in OpenAPI 3.0, a reference has no siblings (3.0.4, section 4.7.23). */
export function isMereReference({ $ref, ...siblings }: Schema, isVersion30: boolean): boolean {
  return typeof $ref === 'string' && (isVersion30 || allowsAnything(siblings));
}
