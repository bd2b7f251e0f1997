import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { SchemaComparison } from '#dist/schema-comparison.js';
import { RandomSchemas, randomOf } from './random-schemas.js';

const isFaults = process.env['PETSTORE_TEST_FAULTS'] !== undefined;
/** With other numbers, the test finds what these do not. */
const pairsCount = Number(process.env['DIFF_PAIRS'] ?? (isFaults ? 1500 : 300));
const firstSeed = Number(process.env['DIFF_SEED'] ?? 1);
const valuesPerPair = 60;

/** A document with a schema, and one that both schemas and it may refer to. */
const documentOf = (schema: unknown, node: unknown) => ({
  openapi: '3.1.1',
  components: { schemas: { Node: node, Root: schema } },
});

/** Whether each value is valid. `undefined` for a schema that Ajv cannot decide, such as one that refers to itself. */
function resultsOf(schema: unknown, node: unknown, values: readonly unknown[]): readonly boolean[] | undefined {
  try {
    const ajv = new Ajv2020({ strict: false, validateSchema: false });
    const validate = ajv.compile({ ...documentOf(schema, node), $ref: '#/components/schemas/Root' });
    return values.map((value) => validate(value));
  } catch {
    return undefined;
  }
}

/** A change that the comparison allows, with a value that it makes invalid in a request, or valid in a response. */
function holeOf(seed: number): object | undefined {
  const random = new RandomSchemas(randomOf(seed));
  const [node, before] = [random.schema(1), random.schema()];
  const after = random.changed(before);
  const changedNode = random.pick([node, node, random.changed(node, 1)]);
  const values = Array.from({ length: valuesPerPair }, () => random.value());
  const [olds, news] = [resultsOf(before, node, values), resultsOf(after, changedNode, values)];
  if (olds === undefined || news === undefined) return undefined;
  const comparison = new SchemaComparison(documentOf(before, node), documentOf(after, changedNode));
  const allows = (direction: 'request' | 'response') =>
    comparison.isCompatible(comparison.compare(before, after, { direction, isStrict: true }));
  const [lost, gained] = [!allows('request'), !allows('response')];
  const index = values.findIndex((_, at) =>
    olds[at] === true ? !lost && news[at] === false : !gained && news[at] === true,
  );
  return index < 0 ? undefined : { seed, before, after, node, changedNode, value: values[index], isOld: olds[index] };
}

describe('SchemaComparison', function () {
  this.timeout(600_000);

  it('reports each change that makes a valid request invalid, or lets a response have another value', () => {
    const seeds = Array.from({ length: pairsCount }, (_, index) => firstSeed * 1_000_003 + index);
    const holes = seeds.map(holeOf).filter((hole) => hole !== undefined);
    expect(holes.map((hole) => JSON.stringify(hole)).join('\n')).to.equal('');
  });
});
