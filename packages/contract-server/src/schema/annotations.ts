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
