import type { Command } from 'commander';
import { parseJson } from '../../json/exact-json.js';
import { ApiError } from '../../lib/errors.js';
import { readCursor, writeCursor } from '../../pets/cursor.js';
import { type Pet, type PetStatus, type Pets, petNotFound } from '../../pets/pet.js';
import { write } from '../context.js';
import { addJsonOption, type Invocation, type JsonOption, printResult, withStores } from '../invocation.js';
import { type Column, renderFields, renderTable } from '../output/table.js';
import { addQueryOptions, parseParameters } from '../parameters.js';

const columns: readonly Column<Pet>[] = [
  { heading: 'ID', align: 'right', cell: ({ id }) => String(id) },
  { heading: 'NAME', cell: ({ name }) => name },
  { heading: 'CATEGORY ID', align: 'right', cell: ({ categoryId }) => String(categoryId) },
  { heading: 'STATUS', cell: ({ status = '-' }) => status },
];

/** Adds `petstore pets list` and `petstore pets get`, with the parameters of listPets and getPet. */
export function addPetsShow(pets: Command, invocation: Invocation): void {
  const cursor = 'Cursor that the previous page printed. Valid only with the same --status.';
  addJsonOption(addQueryOptions(pets.command('list'), invocation.contract.document, 'listPets', { cursor }))
    .description('list a page of pets in ascending order of id')
    .action((options: JsonOption, command: Command) => runList(invocation, options, command));
  addJsonOption(pets.command('get <petId>'))
    .description('show a pet')
    .action((petId: string, options: JsonOption, command: Command) => runGet(invocation, petId, options, command));
}

async function runList(invocation: Invocation, options: JsonOption, command: Command): Promise<void> {
  const { context, contract } = invocation;
  const query = parseParameters(command, contract.document, 'listPets', 'query', command.opts());
  const { limit, status, cursor } = query;
  const afterId = cursor === undefined ? 0 : requireCursor(cursor, status);
  const page = await withStores(invocation, ({ stores }) => stores.pets.list({ limit, status, afterId }));
  const pets = parseJson(Buffer.from(page.pets)) as unknown as Pets;
  const nextCursor = page.lastId === undefined ? null : writeCursor(page.lastId, status);
  const text = pets.length === 0 ? 'No pets match.\n' : renderTable(columns, pets);
  await printResult(invocation, options, { pets, nextCursor }, text);
  if (nextCursor !== null && !options.json)
    await write(context.stderr, `There are more pets: add --cursor ${nextCursor} for the next page.\n`);
}

/** Reads a cursor. The message of the API mentions links, which a command does not print. */
function requireCursor(cursor: string, status: PetStatus | undefined): number {
  try {
    return readCursor(cursor, status);
  } catch (error) {
    const resolution = 'Omit --cursor for the first page, or use the one that the previous page printed.';
    const message = `The cursor is invalid for this list. ${resolution}`;
    throw new ApiError('invalid_cursor', message, { cause: error });
  }
}

async function runGet(invocation: Invocation, id: string, options: JsonOption, command: Command): Promise<void> {
  const { petId } = parseParameters(command, invocation.contract.document, 'getPet', 'path', { petId: id });
  const json = await withStores(invocation, ({ stores }) => stores.pets.find(petId));
  if (json === undefined) throw petNotFound(petId);
  const pet = parseJson(Buffer.from(json)) as unknown as Pet;
  const { name, categoryId, status = '-' } = pet;
  const fields = { ID: String(pet.id), Name: name, 'Category ID': String(categoryId), Status: status };
  await printResult(invocation, options, pet, renderFields(fields));
}
