import { _, type Ajv, Name } from 'ajv';
import { evaluatedPropsToName, mergeEvaluated } from 'ajv/dist/compile/util.js';
import { type GenerateCode, replaceCode } from './replace-code.js';

/**
 * Corrects the code of Ajv that collects which members the schemas describe, for `unevaluatedItems` and
 * `unevaluatedProperties`. What a reference describes is known only while validating: `true` for all members,
 * `undefined` for none. Ajv writes to `undefined`, and compares numbers with `true`. Where no schema in
 * `dependentSchemas` applies, it forgets the members that other keywords describe.
 */
export function correctEvaluated(ajv: Pick<Ajv, 'RULES'>): void {
  replaceCode(ajv, 'patternProperties', collectApart);
  replaceCode(ajv, 'unevaluatedItems', countItems);
  replaceCode(ajv, 'dependentSchemas', collectFirst);
}

function collectApart(original: GenerateCode): GenerateCode {
  return (context) => {
    const { gen, it } = context;
    const described = it.props;
    if (described instanceof Name) delete it.props;
    original(context);
    if (described instanceof Name)
      it.props = it.props === undefined ? described : mergeEvaluated.props(gen, it.props, described, Name);
  };
}

function countItems(original: GenerateCode): GenerateCode {
  return (context) => {
    const { gen, it } = context;
    const { items } = it;
    if (items instanceof Name) it.items = gen.const('count', _`${items} === true ? Infinity : ${items} || 0`);
    original(context);
  };
}

/** The schemas of the keyword are within conditions, where Ajv would begin to collect. */
function collectFirst(original: GenerateCode): GenerateCode {
  return (context) => {
    const { gen, it } = context;
    if (typeof it.props === 'object' && !(it.props instanceof Name)) it.props = evaluatedPropsToName(gen, it.props);
    if (typeof it.items === 'number') it.items = gen.var('items', it.items);
    original(context);
  };
}
