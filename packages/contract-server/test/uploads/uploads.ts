import { createRouter, type Handlers, type UploadedFile } from '#src/index.js';
import type { Contract } from './generated/contract.js';

/** A file in the response of the tests. */
async function describeFile(file: UploadedFile) {
  const { name, mediaType, size } = file;
  return { name: name ?? null, mediaType, size, text: (await file.bytes()).toString('latin1').slice(0, 20) };
}

/** Handlers that return what they received. Their code compiles only if the values have the types of the contract. */
const handlers: Handlers<Contract> = {
  placeOrder: ({ body, mediaType }) => {
    const { sku, count, express, tags, sizes, address, labels, card } = body;
    const total: number | bigint = count;
    const months: readonly number[] | undefined = card?.months;
    const received = { mediaType, sku, total, express, tags, sizes, address, labels, card, months };
    return Promise.resolve({ status: 200, body: received });
  },
  createProfile: async ({ body }) => {
    const { name, age, newsletter, avatar, photos = [], address, history } = body;
    const isSubscribed: boolean = newsletter;
    const files = { avatar: await describeFile(avatar), photos: await Promise.all(photos.map(describeFile)) };
    return { status: 200, body: { name, age, isSubscribed, address, history, ...files } };
  },
  putImage: async ({ body, mediaType }) => {
    let streamed = 0;
    for await (const chunk of body.stream()) streamed += (chunk as Buffer).length;
    return { status: 200, body: { declared: mediaType, streamed, ...(await describeFile(body)) } };
  },
  addNote: async ({ body, mediaType }) => {
    switch (mediaType) {
      case undefined:
        return { status: 200, body: { mediaType: null, note: null } };
      case 'application/json':
        return { status: 200, body: { mediaType, note: body.text } };
      case 'application/*+json':
        return { status: 200, body: { mediaType, note: body.title } };
      case 'application/octet-stream':
        return { status: 200, body: { mediaType, note: await describeFile(body) } };
      default:
        return { status: 200, body: { mediaType, note: body.toUpperCase() } };
    }
  },
  addReadings: ({ body }) => {
    const values: readonly number[] = body.map(({ value }) => value);
    return Promise.resolve({ status: 200, body: values.includes(0) ? '' : body });
  },
};

export const contract = new URL('../../../test/uploads/contract.yaml', import.meta.url);

export function uploadsRouter(options: { readonly gzipBodies?: boolean } = {}) {
  return createRouter<Contract>()({ contract, handlers, validateResponses: true, ...options });
}
