/**
 * Fails if a file contains a term that the project replaced by a standard one. cspell does not fit: its `flagWords`
 * match only single words.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Regular expressions for words in any case, also within identifiers in camel case, and the standard terms. */
const terms = Object.entries({
  'who(so)?ever|somebody|everybody|anybody': 'a client, each client, a user',
  'nobody(?!@)': 'no client, not',
  'front[- ]?doors?': 'request listener',
  '(wire|parser)[- ]?faults?|wire[- ]?rules?': 'client errors, parser errors, protocol checks',
  'end-gently|end-in-one-piece': 'lingering close, end response',
  'refusals?': 'rejection, ApiError',
  'pardon(s|ed|ing)?|forg[io]ve(s|n)?': 'clear a ban',
  'chores?|tend(s|ed|ing)?|looks? after': 'scheduled task, maintain, check',
  'troubles?': 'outage, error',
  'farewells?|stop-in-steps': 'drain delay, graceful shutdown',
  'hindrances?|obstacles?|workshops?|dooms?': 'blocked reason, temporary directory, invalidates',
  'tidings|told|heed(s|ed)?': 'changes, reported, takes effect',
  'mend(s|ed|ing)?|makers?': 'correct, repair, vendor',
  'surroundings|key[- ]?rings?|throw-away': 'dependencies, API key service, ephemeral',
  'judge[sd]?|held against|holds? against': 'check, validated against',
  'budgets?|brought in': 'quota, imported',
  'provocations?|odd requests?|patient[- ]time': 'example request, malformed request, fake clock',
  'answer(s|ed|ing)?': 'response, to return',
  'animals?': 'pet',
  'cures?': 'resolution',
  'asks?|asked|says|said|tells?': 'to request, reports, prints',
  'shown-text|faulty-lines|timed-stores': 'sanitize, invalid lines, instrumented stores',
  'closers?|end-of-turn|patience|placed-file|keepLastWords':
    'resource stack, batch window, lock timeout, file identity',
  'ledgers?|reader-tables|readers-document|line-readers?': 'usage administration, published document, validator',
  'exchanges?|scenes?': 'request context, example requests',
  'taken ids|without-references|change-rules': 'duplicate ids, dereference, compatibility rules',
  'no tunnel|foreign cursor': 'not supported, invalid',
  'goes? on|gets by|(do|does|did) without': 'continues, is safe, omits',
  'of (its|their|your) own': 'separate, own',
});
/** Required uses: the tag and the purpose of the service in the specification, and a name of Kubernetes. */
const required = new RegExp(
  [
    /\btags: \[animals\]|\bname: '?animals\b|`animals`|tag\/animals\b|animals available for adoption/,
    /PodDisruptionBudget/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);
const root = fileURLToPath(new URL('../../', import.meta.url));
const paths = 'src test scripts spec deploy .ci .github docs/*.md docs/*.json *.md *.yaml Dockerfile'.split(' ');
const excluded = [':!scripts/check-terms.ts', ':!**/package-lock.json'];

const patterns = terms.map(([term, standard]) => ({ pattern: new RegExp(`\\b(?:${term})\\b`, 'gi'), standard }));
const files = execFileSync('git', ['ls-files', ...paths, ...excluded], { cwd: root, encoding: 'utf8' }).trim();
for (const file of files.split('\n')) {
  const text = readFileSync(root + file, 'utf8')
    .replace(required, '')
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
  for (const { pattern, standard } of patterns) {
    for (const { 0: term, index } of text.matchAll(pattern)) {
      const line = text.slice(0, index).split('\n').length;
      console.error(`${file}:${String(line)}: "${term}" is not a standard term. Use for example: ${standard}.`);
      process.exitCode = 1;
    }
  }
}
