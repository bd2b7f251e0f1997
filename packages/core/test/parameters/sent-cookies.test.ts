import { expect } from 'chai';
import { sentCookies } from '#dist/parameters/sent-cookies.js';

describe('sentCookies', () => {
  it('returns each value without the white space around it, in linear time', () => {
    const blanks = ' '.repeat(1_000_000);
    expect(sentCookies(`a=1; p = x ;q=2;p=y${blanks}z;\tp=`, 'p')).to.deep.equal(['x', `y${blanks}z`, '']);
  });
});
