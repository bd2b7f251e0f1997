/**
 * Runs the packed client on Node, Bun and Deno, against a mock server with a store: `npm run test:runtimes`. npx
 * installs Bun and Deno.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const project = join(root, 'build/runtimes');
const runtimes = ['node', 'npx --yes bun@1.4.5 run', 'npx --yes deno@2.9.6 run --allow-all'];
const expected = { names: ['Rex', 'Mia'], exact: true, status: 200, seen: 'runtimes-1', code: 'pet_not_found' };

/** A program that uses the client: requests with a body, pages, hooks, responses, errors and limits. */
const program = `
import { createPetstoreClient } from 'petstore/client';

const options = JSON.parse(process.argv[2]);
const hooks = { beforeRequest: ({ request }) => request.headers.set('X-Request-Id', 'runtimes-1') };
const client = createPetstoreClient({ ...options, hooks });
const categoryId = BigInt(process.argv[3]);
const created = [];
for (const name of ['Rex', 'Mia']) created.push(await client.createPet({ name, categoryId, status: 'sold' }));
const names = [];
for await (const pet of client.pets({ limit: 1 })) if (pet.categoryId === categoryId) names.push(pet.name);
const { response, requestId } = await client.listPets().withResponse();
const codeOf = (call) => call.catch((error) => error.code);
console.log(JSON.stringify({
  names, exact: created[0].categoryId === categoryId, status: response.status, seen: requestId,
  code: await codeOf(client.getPet(1234567)),
  limited: await codeOf(createPetstoreClient({ ...options, maxResponseBytes: 1 }).listPets()),
  aborted: await codeOf(client.listPets({}, { signal: AbortSignal.abort() })),
}));
`;

rmSync(project, { recursive: true, force: true });
mkdirSync(project, { recursive: true });
writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }');
writeFileSync(join(project, 'program.js'), program);
execFileSync('npm', ['install', '--no-audit', '--no-fund', join(root, 'build/client-package')], { cwd: project });

const mock = spawn(process.execPath, ['dist/cli/petstore.js', 'mock', '--stateful', '--port', '0', '--json'], {
  cwd: root,
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const [line] = (await once(mock.stdout.setEncoding('utf8'), 'data')) as [string];
  runtimes.forEach((runtime, index) => test(runtime, line, 2n ** 63n - 1n - BigInt(index)));
} finally {
  mock.kill();
}

/** Runs the program. Its pets have a category of their runtime. */
function test(runtime: string, options: string, categoryId: bigint): void {
  const [file, ...args] = [...runtime.split(' '), 'program.js', options, String(categoryId)];
  const result = JSON.parse(execFileSync(file, args, { cwd: project, encoding: 'utf8' })) as object;
  const wanted = { ...expected, limited: 'unexpected_response', aborted: 'aborted' };
  const isPassed = JSON.stringify(result) === JSON.stringify(wanted);
  console.log(`${isPassed ? '✔' : '✖'} ${runtime}${isPassed ? '' : ` ${JSON.stringify(result)}`}`);
  if (!isPassed) process.exitCode = 1;
}
