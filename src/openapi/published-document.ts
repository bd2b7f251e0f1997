import type { OpenAPIV3 } from 'openapi-types';
import {
  type BanRules,
  type ContractDocument,
  type OperationExtensions,
  operationsOf,
  type PlanLimits,
  resolve,
} from './document.js';
import { errorCodeTable, markdownTable } from './published-tables.js';

type Operation = OpenAPIV3.OperationObject<OperationExtensions>;
type Stability = OperationExtensions['x-stability'];

/** What oasdiff's `x-stability-level` says of how settled an operation is: changes of a draft break no promise. */
const stabilityLevels: Readonly<Record<Stability, string>> = { stable: 'stable', beta: 'beta', experimental: 'draft' };

/**
 * The contract as viewers and other tools read it, which know nothing of extensions of ours: what those state stands in
 * the descriptions too, and under the names that tools look for. The server that the document is read from comes first,
 * because requests that are tried out go there.
 */
export function publishedDocument(contract: ContractDocument): OpenAPIV3.Document {
  const document = structuredClone(contract);
  const { info, servers = [] } = document;
  info.description = [info.description, planSection(contract), codeSection(contract)].join('\n\n');
  document.servers = [...servers].sort((one, other) => Number(isRelative(other)) - Number(isRelative(one)));
  for (const { operation } of operationsOf(document)) tellOfOperation(operation);
  for (const response of responsesOf(document)) tellOfCodes(document, response);
  return document;
}

function isRelative({ url }: OpenAPIV3.ServerObject): boolean {
  return url.startsWith('/');
}

function planSection(contract: ContractDocument): string {
  const rows = Object.entries(contract['x-rate-limit-plans']).map(([name, plan]) => [name, ...planNumbers(plan)]);
  const { 'x-rate-limit-address-plan': addressPlan, 'x-rate-limit-bans': bans } = contract;
  return [
    '## Plans',
    markdownTable(['Plan', 'Requests per minute', 'Requests per day'], rows),
    `Without a valid key, an address may do as much as a minute of the plan ${addressPlan}.`,
    banRules(bans),
  ].join('\n\n');
}

function planNumbers(plan: PlanLimits | 'custom'): readonly string[] {
  if (plan === 'custom') return ['as agreed, per key', 'as agreed, per key'];
  return [plan.requestsPerMinute, plan.requestsPerDay].map(shownNumber);
}

function banRules(bans: BanRules): string {
  return (
    `A minute in which more than ${shownNumber(bans.abusedMinuteFactor)} times the limit is refused is abused. ` +
    `${shownNumber(bans.abusedMinutesInARow)} of them in a row ban the key for ${shownTime(bans.firstBanSeconds)}, ` +
    `and twice as long at each ban that follows within ${shownTime(bans.rememberedSeconds)}, up to ${shownTime(bans.longestBanSeconds)}.`
  );
}

function codeSection(contract: ContractDocument): string {
  return `## Error codes\n\n${errorCodeTable(contract['x-error-codes'])}`;
}

function tellOfOperation(operation: Operation): void {
  const { 'x-stability': stability, deprecated = false } = operation;
  operation.description = [`Stability: **${stability}**.`, ...removalOf(operation), operation.description].join('\n\n');
  Object.assign(operation, {
    'x-stability-level': stabilityLevels[stability],
    'x-scalar-stability': deprecated ? 'deprecated' : stability === 'beta' ? 'experimental' : stability,
    'x-badges': [{ name: stability }, ...(deprecated ? [{ name: 'deprecated' }] : [])],
  });
}

function removalOf({
  deprecated,
  'x-deprecated-at': since,
  'x-sunset': sunset,
  'x-successor': successor,
}: Operation): string[] {
  if (deprecated !== true || since === undefined || sunset === undefined) return [];
  return [`**Deprecated since ${shownDay(since)}, removed on ${shownDay(sunset)}.** Use ${String(successor)} instead.`];
}

/** Those that are written at an operation, and those that operations share. */
function responsesOf(document: ContractDocument): OpenAPIV3.ResponseObject[] {
  const written = operationsOf(document).flatMap(({ operation }) => Object.values(operation.responses));
  const shared = Object.values((document as OpenAPIV3.Document).components?.responses ?? {});
  return [...written, ...shared].flatMap((response) => ('$ref' in response ? [] : response));
}

/** The codes that an error may have there are those of its examples. */
function tellOfCodes(document: ContractDocument, response: OpenAPIV3.ResponseObject): void {
  const examples = Object.values(response.content?.['application/json']?.examples ?? {});
  const values = examples.map((example) => resolve(document, example).value as { readonly code?: string } | undefined);
  const codes = new Set(values.flatMap((value) => value?.code ?? []));
  if (codes.size === 0) return;
  const list = [...codes].map((code) => `\`${code}\``).join(', ');
  response.description += `\n\nCode${codes.size > 1 ? 's' : ''}: ${list}`;
}

function shownNumber(value: number): string {
  return value.toLocaleString('en-US');
}

function shownTime(seconds: number): string {
  const units = [['hour', 3600] as const, ['minute', 60] as const, ['second', 1] as const];
  const [name, length] = units.find(([, unitSeconds]) => seconds % unitSeconds === 0) ?? ['second', 1];
  const count = seconds / length;
  return `${shownNumber(count)} ${name}${count === 1 ? '' : 's'}`;
}

function shownDay(day: string): string {
  return new Date(day).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
}
