import { expect } from 'chai';
import { nextCursor } from '#src/client/response-headers.js';

const page = 'https://api.petstore.example/v1/pets?limit=2&cursor=abc';

describe('nextCursor', () => {
  it('finds the next link in every form that RFC 8288 allows', () => {
    const headers = [
      `<${page}>; rel="next"`,
      `<${page}>;rel=next`,
      `<${page}> ; REL = "Next"`,
      `<${page}>; rel="last next"`,
      `<${page}>; title="a, b; rel=\\"last\\""; rel="next"`,
      `<${page}>; rel="next"; rel="last"`,
      `<https://a.example/?x=1,2>; rel="first", <${page}>; rel="next"`,
      `<https://a.example/>; rel="prev",<${page}>; rel=next; type="application/json"`,
      '</v1/pets?cursor=abc>; rel="next"',
      '<?cursor=abc>; rel="next"',
      '<https://elsewhere.example/v1/pets?cursor=abc>; rel="next"',
    ];
    for (const header of headers) expect(nextCursor(header), header).to.equal('abc');
  });

  it('decodes the cursor', () => {
    expect(nextCursor('<https://a.example/?cursor=a%2Bb%26c%3D>; rel="next"')).to.equal('a+b&c=');
  });

  it('returns undefined without a next link', () => {
    const headers = [
      null,
      '',
      'nonsense',
      `<${page}>`,
      `<${page}>; rel="prev"`,
      `<${page}>; rel="nextish"`,
      `<${page}>; title="rel=next"`,
      `<${page}>; title="; rel=next"`,
      `<${page}>; rel="last"; rel="next"`,
    ];
    for (const header of headers) expect(nextCursor(header), String(header)).to.equal(undefined);
  });

  it('throws if the next link has no cursor', () => {
    expect(() => nextCursor('<https://a.example/v1/pets?page=2>; rel="next"')).to.throw(TypeError);
    expect(() => nextCursor('<https://>; rel="next"')).to.throw(TypeError);
  });

  it('parses adversarial headers in linear time', () => {
    for (const part of ['<>;a="', '<>;a=b', ';a="\\"', '< ', ';  ', '<>; a="b" ']) {
      expect(() => nextCursor(part.repeat(16_384 / part.length)), part).not.to.throw();
    }
  });
});
