import { Readable } from 'node:stream';
import { expect } from 'chai';
import { petstoreJson } from '../../support/cli/command-line.js';
import { useService } from '../../support/servers/service.js';

const petCount = 100_000;
const pageSize = 100;

function* lines(): Generator<Buffer> {
  const batch = 1000;
  for (let first = 1; first <= petCount; first += batch) {
    const numbers = Array.from({ length: batch }, (_, index) => first + index);
    yield Buffer.from(
      numbers.map((number) => `{"name":"Pet ${String(number)}","categoryId":${String(number)}}\n`).join(''),
    );
  }
}

describe('a catalogue of 100,000 pets', () => {
  const service = useService();

  it('is imported while the service runs, and listed completely over HTTP, each pet once and in order', async () => {
    const summary = await petstoreJson(['pets', 'import', '-'], { ...service, stdin: Readable.from(lines()) });
    expect(summary).to.include({ imported: petCount, invalidLines: 0 });
    const key = [
      'keys',
      'create',
      '--name',
      'reader',
      '--plan',
      'enterprise',
      '--per-minute',
      '5000',
      '--per-day',
      '5000',
    ];
    const { token } = await petstoreJson<{ token: string }>(key, service);

    const listed: { id: number; name: string; categoryId: number }[] = [];
    let next: string | undefined = `${service.baseUrl}/pets?limit=${String(pageSize)}`;
    let pages = 0;
    while (next !== undefined) {
      const response: Response = await fetch(next, { headers: { Authorization: `Bearer ${token}` } });
      expect(response.status).to.equal(200);
      listed.push(...((await response.json()) as typeof listed));
      next = /^<([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1];
      pages += 1;
    }

    expect(pages).to.equal(petCount / pageSize);
    expect(listed).to.have.length(petCount);
    const misplaced = listed.findIndex(
      ({ id, name, categoryId }, index) => id !== index + 1 || categoryId !== id || name !== `Pet ${String(id)}`,
    );
    expect(listed[misplaced]).to.equal(undefined);
  });
});
