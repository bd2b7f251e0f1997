import { _, type CodeGen, type KeywordCxt, Name } from 'ajv';
import names from 'ajv/dist/compile/names.js';
import { collectedMax, condenseFrom, isUnion } from './distinct-errors.js';
import { replaceCode, replaceMembers } from './replace-code.js';
import type { SchemaAjv } from './schema-ajv.js';

/** The keywords that validate as many members as a client sends. */
const loops = 'items additionalProperties patternProperties propertyNames unevaluatedItems unevaluatedProperties';

/**
 * Makes an Ajv that collects all errors stop at the members of an array or an object that have had enough of them.
 * Those before the loop do not count: a value whose members have no errors would be valid.
 *
 * @param isRequest whether the errors of alternatives are not reported.
 */
export function boundErrors(ajv: SchemaAjv, isRequest: boolean): void {
  for (const keyword of loops.split(' ')) wrap(ajv, keyword, withBound);
  wrap(ajv, 'contains', isRequest ? withoutDetails : withBound);
  if (!isRequest) return;
  for (const keyword of ['anyOf', 'oneOf'])
    wrap(ajv, keyword, (context) => (isUnion(context.schema) ? withoutDetails(context) : context));
}

/** Makes a keyword generate code with another context. */
function wrap(ajv: SchemaAjv, keyword: string, contextFor: (context: KeywordCxt) => KeywordCxt): void {
  replaceCode(ajv, keyword, (original) => (context, type) => {
    original(context.it.allErrors === true ? contextFor(context) : context, type);
  });
}

/** A context in which the keyword has one error at most: none of its subschemas has to be valid. */
function withoutDetails(context: KeywordCxt): KeywordCxt {
  return replaceMembers(context, {
    subschema: (of, valid) => context.subschema({ ...of, allErrors: false, createErrors: false }, valid),
    error(this: KeywordCxt, ...error) {
      this.reset();
      context.error.apply(this, error);
    },
  });
}

/** A context in which the loops of the keyword itself, not those of its subschemas, end with a check. */
function withBound(context: KeywordCxt): KeywordCxt {
  const { gen } = context;
  const start = gen.const('_start', names.default.errors);
  const body = (original: (name: Name) => void) => (name: Name) => {
    original(name);
    gen.if(_`${names.default.errors} - ${start} > ${collectedMax}`, () => {
      condense(context, start);
    });
  };
  const bounded = replaceMembers<CodeGen>(gen, {
    forRange: (name, from, to, original, kind) => gen.forRange(name, from, to, body(original), kind),
    forIn: (name, value, original, kind) => gen.forIn(name, value, body(original), kind),
  });
  return replaceMembers(context, { gen: bounded });
}

function condense({ gen, keyword, it }: KeywordCxt, start: Name): void {
  const { errors, vErrors, instancePath } = names.default;
  const condensed = gen.scopeValue('func', { ref: condenseFrom });
  const isEnough = gen.const('_enough', _`${condensed}(${start}, ${vErrors}, ${instancePath} + ${it.errorPath})`);
  gen.assign(errors, _`${vErrors}.length`);
  // One of the next items may be valid for it.
  if (keyword === 'contains') return;
  gen.if(isEnough, () => {
    // The members that it has not reached are not unknown.
    if (keyword === 'patternProperties' && it.props instanceof Name) gen.assign(it.props, true);
    gen.break();
  });
}
