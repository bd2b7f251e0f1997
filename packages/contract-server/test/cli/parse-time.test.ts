import { expect } from 'chai';
import { parseDuration, parseInstant } from '#src/cli/parse-time.js';

const now = Date.parse('2026-11-20T12:00:00Z');
const durations = {
  '45s': 45,
  '30m': 1800,
  '24h': 86_400,
  '7d': 604_800,
  '2w': 1_209_600,
  '0s': 0,
  '36525d': 3.15576e9,
};
const noDurations = ['', '24', 'h', '-1h', '1.5h', '24 h', '1h30m', '1y', '0x10s', '36526d', '999999999999w'];
const noInstants = ['', 'soon', '2027-02-29', '2027-13-01', '2027-01-31T25:00Z', '2027-01-31 18:00', '31.1.2027', '5'];

describe('the parsers of durations and times', () => {
  for (const [text, seconds] of Object.entries(durations))
    it(`parse ${text} as ${String(seconds)} s`, () => expect(parseDuration(text)).to.equal(seconds * 1000));

  for (const [text, instant] of [
    ['2027-01-31', '2027-01-31T00:00:00.000Z'],
    ['2027-01-31T18:00', '2027-01-31T18:00:00.000Z'],
    ['2027-01-31T18:00:30', '2027-01-31T18:00:30.000Z'],
    ['2027-01-31T18:00:30.125Z', '2027-01-31T18:00:30.125Z'],
    ['2027-01-31T18:00+02:00', '2027-01-31T16:00:00.000Z'],
    ['2028-02-29', '2028-02-29T00:00:00.000Z'],
    ['36h', '2026-11-22T00:00:00.000Z'],
  ] as const)
    it(`parse ${text} as ${instant} in every time zone`, () => {
      expect(new Date(parseInstant(text, now)).toISOString()).to.equal(instant);
    });

  it('reject anything else', () => {
    const duration = 'Use a duration of at most 100 years, like 30m, 24h or 7d.';
    for (const text of noDurations) expect(() => parseDuration(text), text).to.throw(duration);
    for (const text of noInstants) expect(() => parseInstant(text, now), text).to.throw('Use a date like 2027-01-31');
  });
});
