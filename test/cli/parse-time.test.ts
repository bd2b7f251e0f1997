import { expect } from 'chai';
import { parseDuration, parseInstant } from '#src/cli/parse-time.js';

const now = Date.parse('2026-11-20T12:00:00Z');

describe('the parsers of durations and times', () => {
  it('parse durations in seconds, minutes, hours, days and weeks', () => {
    expect(['45s', '30m', '24h', '7d', '2w', '0s'].map(parseDuration)).to.deep.equal([
      45_000, 1_800_000, 86_400_000, 604_800_000, 1_209_600_000, 0,
    ]);
  });

  it('accept at most 100 years', () => {
    expect(parseDuration('36525d')).to.equal(36_525 * 86_400_000);
    for (const text of ['36526d', '999999999999w'])
      expect(() => parseDuration(text), text).to.throw('at most 100 years');
  });

  it('reject invalid durations', () => {
    for (const text of ['', '24', 'h', '-1h', '1.5h', '24 h', '1h30m', '1y', '0x10s']) {
      expect(() => parseDuration(text), text).to.throw('Specify a duration');
    }
  });

  const instants: readonly [text: string, instant: string][] = [
    ['2027-01-31', '2027-01-31T00:00:00.000Z'],
    ['2027-01-31T18:00', '2027-01-31T18:00:00.000Z'],
    ['2027-01-31T18:00:30', '2027-01-31T18:00:30.000Z'],
    ['2027-01-31T18:00:30.125Z', '2027-01-31T18:00:30.125Z'],
    ['2027-01-31T18:00+02:00', '2027-01-31T16:00:00.000Z'],
    ['2028-02-29', '2028-02-29T00:00:00.000Z'],
    ['36h', '2026-11-22T00:00:00.000Z'],
  ];
  for (const [text, instant] of instants) {
    it(`parse ${text} as ${instant} in every time zone`, () => {
      expect(new Date(parseInstant(text, now)).toISOString()).to.equal(instant);
    });
  }

  it('reject anything else than a date, a time or a duration', () => {
    for (const text of [
      '',
      'soon',
      '2027-02-29',
      '2027-13-01',
      '2027-01-31T25:00Z',
      '2027-01-31 18:00',
      '31.1.2027',
      '2027',
      '5',
    ]) {
      expect(() => parseInstant(text, now), text).to.throw('Specify a date like 2027-01-31');
    }
  });
});
