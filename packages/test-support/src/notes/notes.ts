import type { Handlers, Schema } from '@contract-server/core/types/types.js';
import { jwtVerify, SignJWT } from 'jose';
import type { Contract } from './generated/contract.js';

export const contract = new URL('../../src/notes/contract.yaml', import.meta.url);
export const secret = 'a secret of the tests, with 32 characters';

type Note = Schema<Contract, 'Note'> & { readonly isPublic: boolean };

/** The owner of a note, as its token identifies them. */
export interface Owner {
  readonly id: string;
  readonly email: string;
}

/** Verifies a JWT, as a service does it with jose. */
export async function findOwner(token: string, key = secret): Promise<Owner | undefined> {
  const verified = await jwtVerify<Owner>(token, new TextEncoder().encode(key)).catch(() => undefined);
  return verified && { id: String(verified.payload.sub), email: verified.payload.email };
}

/** A token of an owner, which does not expire. */
export function signToken(id: string, key = secret): Promise<string> {
  const claims = { email: `${id}@notes.example` };
  return new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).setSubject(id).sign(new TextEncoder().encode(key));
}

export interface NoteStore {
  add(owner: string, text: string, isPublic: boolean): Promise<Note>;
  find(id: number | bigint): Promise<Note | undefined>;
  list(): Promise<readonly Note[]>;
}

/** Notes in memory. */
export function memoryNotes(): NoteStore {
  const notes: Note[] = [];
  return {
    add: (owner, text, isPublic) => {
      const note = { id: notes.length + 1, owner, text, isPublic };
      notes.push(note);
      return Promise.resolve(note);
    },
    find: (id) => Promise.resolve(notes.find((note) => note.id === id)),
    list: () => Promise.resolve(notes),
  };
}

/** `isPublic` is not in the contract, so it leaves no response. */
export function notesHandlers(notes: NoteStore): Handlers<Contract, { readonly token: Owner }> {
  return {
    listNotes: async ({ query }, { caller }) => {
      const visible = (await notes.list()).filter(({ owner, isPublic }) => isPublic || owner === caller?.id);
      return { status: 200, body: visible.slice(0, query.limit) };
    },
    createNote: async ({ body }, { caller, links }) => {
      const note = await notes.add(caller.id, body.text, body.isPublic);
      const location = links.to('getNote', { id: note.id }) ?? '';
      return { status: 201, body: note, headers: { Location: location } };
    },
    getNote: async ({ path }) => {
      const note = await notes.find(path.id);
      return note === undefined
        ? { status: 404, body: { message: 'There is no such note.' } }
        : { status: 200, body: note };
    },
  };
}
