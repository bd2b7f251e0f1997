import { _, type Code, type KeywordCxt, Name, nil, stringify } from 'ajv';
import { typeOf } from '../json/type-of.js';
import { replaceCode, replaceMembers } from './replace-code.js';
import type { SchemaAjv } from './schema-ajv.js';
import { type UnionKeyword, type UnionTag, unionKeywords } from './union-tags.js';

/** The key of the tags of the unions of a translated schema. */
export const taggedUnions = Symbol('taggedUnions');

/** A union whose tag selects what is validated, or what is reported. */
export interface TaggedUnion extends UnionTag {
  /** The translated branches whose errors are reported; none if the union itself reports them. */
  readonly reported: readonly (object | boolean)[];
}

/**
 * Makes `oneOf` and `anyOf` report the errors of the branch that the tag of an object selects. If the tag decides which
 * branch an object can be valid for, no other one is validated. It never changes which values are valid.
 */
export function selectBranches(ajv: SchemaAjv): void {
  for (const keyword of unionKeywords)
    replaceCode(ajv, keyword, (original) => (context, type) => {
      const union = (context.parentSchema as Tagged)[taggedUnions]?.[keyword];
      if (union === undefined) original(context, type);
      else if (union.isExclusive) validateSelected(context, union);
      else original(context.it.allErrors === true ? describingSelected(context, union) : context, type);
    });
}

interface Tagged {
  readonly [taggedUnions]?: Partial<Record<UnionKeyword, TaggedUnion | undefined>>;
}

/** A context with the errors of the selected branch in place of that of the keyword. */
function describingSelected(context: KeywordCxt, union: TaggedUnion): KeywordCxt {
  const { gen } = context;
  const fail = () => failWholly(context);
  return replaceMembers(context, {
    error: () => {
      context.reset();
      const validate = (index: number) => {
        const schema = union.reported[index];
        const valid = gen.name('valid');
        if (schema === undefined || typeof schema === 'boolean') fail();
        else {
          const topSchemaRef = gen.scopeValue('schema', { ref: schema });
          context.subschema({ schema, topSchemaRef, schemaPath: nil, errSchemaPath: '' }, valid);
          gen.if(valid, fail);
        }
      };
      ifObject(
        context,
        () => select(context, union, validate, fail),
        () => failByType(context, union, fail),
      );
    },
  });
}

function validateSelected(context: KeywordCxt, union: TaggedUnion): void {
  const { gen } = context;
  const isValid = gen.let('valid', false);
  const fail = () => failWholly(context);
  const validate = (index: number) => {
    const valid = gen.name('valid');
    const branch = context.subschema({ keyword: context.keyword, schemaProp: index }, valid);
    context.mergeEvaluated(branch, Name);
    gen.assign(isValid, valid);
  };
  const validateOthers = () => {
    const count = gen.let('count', 0);
    for (const index of union.others) {
      const valid = gen.name('valid');
      const mode = { compositeRule: true, allErrors: false, createErrors: false } as const;
      const branch = context.subschema({ keyword: context.keyword, schemaProp: index, ...mode }, valid);
      gen.if(valid, () => {
        gen.code(_`${count}++`);
        context.mergeEvaluated(branch, Name);
      });
    }
    gen.assign(isValid, context.keyword === 'oneOf' ? _`${count} === 1` : _`${count} > 0`);
    context.reset();
    gen.if(_`!${isValid}`, () => failByType(context, union, fail));
  };
  ifObject(context, () => select(context, union, validate, fail), validateOthers);
  context.ok(isValid);
}

/** Reports that a value is invalid, but not why. */
function failWholly(context: KeywordCxt): void {
  // The error of `oneOf` lists the valid branches.
  context.setParams({ passing: _`null` });
  context.error(true);
}

function ifObject({ gen, data }: KeywordCxt, then: () => void, otherwise: () => void): void {
  gen.if(_`typeof ${data} == "object" && ${data} !== null && !Array.isArray(${data})`, then, otherwise);
}

/** @param fail reports that it is unknown which branch is meant. */
function select(context: KeywordCxt, union: TaggedUnion, validate: (index: number) => void, fail: () => void): void {
  const { gen, data } = context;
  const { name, branches, values, keyword, isRequired } = union;
  const tag = gen.const('tag', _`Object.hasOwn(${data}, ${name}) ? ${data}[${name}] : undefined`);
  const isOneOf = (list: readonly unknown[]) =>
    list.reduce<Code>((others, value) => _`${others} || ${tag} === ${value as string}`, _`false`);
  gen.if(_`${tag} === undefined`);
  if (isRequired) report(context, 'required', { missingProperty: name }, `must have the property ${name}`);
  else fail();
  for (const index of new Set(branches.values())) {
    gen.elseIf(isOneOf([...branches.keys()].filter((value) => branches.get(value) === index)));
    validate(index);
  }
  gen.elseIf(isOneOf((values ?? []).filter((value) => !branches.has(value))));
  fail();
  gen.else();
  if (values === undefined) fail();
  else report(context, keyword, { tag: name, allowedValues: values }, `must have an allowed value in ${name}`, values);
  gen.endIf();
}

/** Reports the types that a value which is no object can have, if it has none of them. */
function failByType(context: KeywordCxt, { types }: TaggedUnion, fail: () => void): void {
  if (types === undefined) {
    fail();
    return;
  }
  const { gen, data } = context;
  const hasType = gen.scopeValue('func', { ref: (value: unknown) => types.some((type) => isOfType(type, value)) });
  const message = `must be ${types.join(' or ')}`;
  gen.if(_`${hasType}(${data})`, fail, () => report(context, 'type', { type: types }, message, types));
}

function isOfType(type: string, value: unknown): boolean {
  if (type === 'number' || type === 'integer') return typeof value === 'number' || typeof value === 'bigint';
  return type === typeOf(value);
}

/** @param schema the value of the keyword. */
function report(context: KeywordCxt, keyword: string, params: object, message: string, schema?: object): void {
  const schemaValue = schema === undefined ? context.schemaValue : context.gen.scopeValue('schema', { ref: schema });
  const def = { ...context.def, error: { message, params: stringify(params) } };
  replaceMembers(context, { keyword, schemaValue, def }).error(true);
}
