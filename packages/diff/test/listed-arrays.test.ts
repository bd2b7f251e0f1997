import { expect } from 'chai';
import { effectsOfSchemas } from './worst-effect.js';

describe('The rule of enum', () => {
  it('tells arrays apart whose texts contain commas', () => {
    const [one, other] = [{ enum: [['a,string b']] }, { enum: [['a', 'b']] }];
    expect(effectsOfSchemas(one, other, [{}, {}])).to.deep.equal(['breaking', 'breaking']);
  });
});
