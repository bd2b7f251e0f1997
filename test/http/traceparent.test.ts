import { expect } from 'chai';
import { readTraceparent } from '#src/http/request-log.js';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const parentId = 'b7ad6b7169203331';

describe('readTraceparent', () => {
  it('returns the trace and the span of the caller', () => {
    for (const header of [
      `00-${traceId}-${parentId}-01`,
      `00-${traceId}-${parentId}-00`,
      `00-${traceId}-${parentId}-ff`,
    ]) {
      expect(readTraceparent(header), header).to.deep.equal({ traceId, parentId });
    }
  });

  it('accepts more fields in later versions', () => {
    for (const header of [`01-${traceId}-${parentId}-01`, `cc-${traceId}-${parentId}-01-what-the-future-brings`]) {
      expect(readTraceparent(header), header).to.deep.equal({ traceId, parentId });
    }
  });

  it('ignores an invalid header', () => {
    const headers = [
      ...[
        undefined,
        [`00-${traceId}-${parentId}-01`],
        '',
        '00',
        `00-${traceId}-${parentId}`,
        `00-${traceId}-${parentId}-1`,
      ],
      ...[`00-${traceId}-${parentId}-01-more`, `00-${traceId}-${parentId}-011`, `cc-${traceId}-${parentId}-01.`],
      ...[`ff-${traceId}-${parentId}-01`, `0-${traceId}-${parentId}-01`, `00-${traceId.toUpperCase()}-${parentId}-01`],
      ...[`00-${'0'.repeat(32)}-${parentId}-01`, `00-${traceId}-${'0'.repeat(16)}-01`, `00-${traceId}-${parentId}-0g`],
      ...[
        ` 00-${traceId}-${parentId}-01`,
        `00-${traceId}-${parentId}-01\n`,
        `00-${traceId}-${parentId}-01, 00-${traceId}-${parentId}-01`,
      ],
    ];
    for (const header of headers) expect(readTraceparent(header), String(header)).to.equal(undefined);
  });
});
