import { isJson, isText, type JsonMediaType, type TextMediaType } from '@contract-server/client/media-kinds.js';
import { expect } from 'chai';
import { findRange, mediaRangeOf, typeOfJson, typeOfText } from '#dist/contract/media-types.js';

const json = [
  ...(['application/json', 'text/json', 'application/problem+json', 'application/*+json'] as const),
  ...(['image/x+json', 'model/gltf+json'] as const),
] satisfies readonly JsonMediaType[];
const text = [
  ...(['text/plain', 'text/*', 'application/xml', 'image/svg+xml', 'application/jsonl'] as const),
  ...(['application/x-ndjson', 'application/ndjson', 'application/jsonlines', 'application/json-seq'] as const),
  ...(['application/yaml', 'application/x-yaml', 'application/javascript', 'application/sql'] as const),
] satisfies readonly TextMediaType[];

/** The same for the types: an element that is no error is an unused directive, which does not compile. */
export const others: readonly (JsonMediaType | Exclude<TextMediaType, `text/${string}`>)[] = [
  // @ts-expect-error -- lines of JSON are text
  'application/jsonx',
  // @ts-expect-error -- it is a format of bytes
  'application/pdf',
];

describe('a media type', () => {
  for (const [title, isOne, types] of [
    ['JSON', isJson, [...json, 'Application/JSON; charset=utf-8', 'text/json;a=b', 'application/vnd.a+json ; b=c']],
    ['text', isText, [...text, 'Text/CSV; header=present']],
  ] as const)
    it(`is ${title}`, () => {
      const all: readonly string[] = [...json, ...text, 'application/pdf', 'application/jsonx', '+json', 'json', ''];
      expect(types.filter((type) => !isOne(type))).to.deep.equal([]);
      expect(all.filter(isOne)).to.deep.equal(types.filter((type) => all.includes(type)));
    });
});

/** What a contract declares, what is sent, and which of them it is. */
const one = 'application/vnd.api+json; type=one';
const two = 'application/vnd.api+json; type=two';
const table: readonly (readonly [declared: readonly string[], sent: string, found: string | undefined])[] = [
  [[one, two], 'application/vnd.api+json; type=one', one],
  [[one, two], 'application/vnd.api+json; type=two', two],
  [[one, two], 'application/vnd.api+json; type=three', undefined],
  [[one, two], 'application/vnd.api+json', undefined],
  [[one, two], 'APPLICATION/vnd.API+json ;TYPE="two"; q=1', two],
  [[one, two], 'application/vnd.api+json; type=TWO', undefined],
  [['a/b; c="d e"'], 'a/b;c="d\\ e"', 'a/b; c="d e"'],
  [['a/b; C="d"'], 'a/b; c=d', 'a/b; C="d"'],
  [['a/b; c=d; e=f'], 'a/b; e=f; c=d', 'a/b; c=d; e=f'],
  [['a/b; c=d; e=f'], 'a/b; c=d', undefined],
  [['a/b', 'a/b; c=d'], 'a/b; c=d', 'a/b; c=d'],
  [['a/b', 'a/b; c=d'], 'a/b; c=e', 'a/b'],
  [['a/b'], 'a/b; anything=1', 'a/b'],
  [['text/plain; charset=UTF-8'], 'text/plain; charset="utf-8"', 'text/plain; charset=UTF-8'],
  [['application/json; charset=utf-8'], 'application/json', 'application/json; charset=utf-8'],
  [['text/plain; charset=utf-8'], 'text/plain; charset=latin1', undefined],
  [['text/plain; charset=latin1'], 'text/plain', 'text/plain; charset=latin1'],
  [['multipart/form-data; boundary=a'], 'multipart/form-data; boundary=b', 'multipart/form-data; boundary=a'],
  [['*/*', 'text/*', 'text/csv'], 'text/csv', 'text/csv'],
  [['*/*', 'text/*', 'text/csv'], 'text/html', 'text/*'],
  [['*/*; v=1', '*/*', 'text/*'], 'image/png; v=1', '*/*; v=1'],
  [['*/*', 'application/*', 'application/*+json'], 'application/a+json', 'application/*+json'],
  [['*/*', 'application/*', 'application/*+json'], 'application/pdf', 'application/*'],
  [['application/*'], 'text/plain', undefined],
  [['*/*'], 'nonsense', '*/*'],
];

describe('the media type that a contract declares', () => {
  for (const [declared, sent, found] of table)
    it(`for ${sent} is ${String(found)}, of ${declared.join(', ')}`, () => {
      expect(findRange(declared.map(mediaRangeOf), sent)?.name).to.equal(found);
    });
});

describe('the media type that is sent', () => {
  for (const [typeOf, mediaType, sent] of [
    [typeOfText, 'text/plain', 'text/plain; charset=utf-8'],
    [typeOfText, 'text/csv; header=present', 'text/csv; header=present; charset=utf-8'],
    [typeOfText, 'text/csv; charset="UTF-8"', 'text/csv; charset="UTF-8"'],
    [typeOfText, 'text/csv; charset=latin1', 'text/csv; charset=utf-8'],
    [typeOfText, 'image/png', 'image/png'],
    [typeOfText, 'application/problem+json', 'application/problem+json'],
    [typeOfJson, 'application/json; charset=utf-8', 'application/json'],
    [typeOfJson, 'application/a+json; type="a b"; Charset=utf-8', 'application/a+json; type="a b"'],
  ] as const)
    it(`of ${mediaType} is ${sent}`, () => {
      expect(typeOf(mediaType)).to.equal(sent);
    });
});
