import { expect } from 'chai';
import { yamlToJson } from '#dist/load/yaml-to-json.js';

describe('yamlToJson', () => {
  it('keeps the order of names that JavaScript takes for those of items', () => {
    for (const [yaml, json] of [
      ['default: 1\n"404": 2\n200 : 3\nx: 4', '{"default":1,"404":2,"200":3,"x":4}'],
      ['{ default: 1, 404: 2, "200":3 }', '{"default":1,"404":2,"200":3}'],
      ['? b\n: 404\n? 404\n: 1\n? "200"\n:\n  - 7: 8', '{"b":404,"404":1,"200":[{"7":8}]}'],
      ['a: 404\n:b: 1\n9: [200, 3]\n"8": "7"', '{"a":404,":b":1,"9":[200,3],"8":"7"}'],
      [
        'a: &a { z: 1, 2: 3 }\nb: { <<: *a, 1: 4, 0: *a }',
        '{"a":{"z":1,"2":3},"b":{"z":1,"2":3,"1":4,"0":{"z":1,"2":3}}}',
      ],
      ['{"default":1,"404":{"2":"\\u0022x","1":[]}}', '{"default":1,"404":{"2":"\\"x","1":[]}}'],
    ] as const)
      expect(yamlToJson(yaml)).to.equal(json);
  });

  it('writes 64-bit integers exactly, and any other value as it is read', () => {
    const yaml =
      'a: 9223372036854775807\nb: -9223372036854775808\nc: 1e3\nd: "9007199254740993"\ne: 0.1\nf: 2030-12-05\ng:';
    expect(yamlToJson(`\ufeff${yaml}\n`)).to.equal(
      '{"a":9223372036854775807,"b":-9223372036854775808,"c":1000,"d":"9007199254740993","e":0.1,"f":"2030-12-05","g":null}',
    );
  });
});
