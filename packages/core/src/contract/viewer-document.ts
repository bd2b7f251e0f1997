import type { OpenAPIV3 } from 'openapi-types';
import type { Contract } from './contract.js';
import type { ContractDocument } from './document.js';
import type { ErrorCodes } from './error-codes.js';
import type { OperationExtensions, OperationLimit, PlanLimits } from './extensions.js';
import { resolve } from './json-pointer.js';
import { findJson } from './media-types.js';
import { operationsOf } from './operations.js';
import { baseServerFirst } from './servers.js';

type Operation = OpenAPIV3.OperationObject<OperationExtensions>;

/**
 * Creates the document for the viewer of the API reference, which does not support these extensions. It repeats their
 * content in descriptions and in an extension of the viewer. The server that has the path prefix comes first, because
 * "Try it out" uses the first one.
 *
 * @param codes those that the server returns, with their statuses.
 */
export function viewerDocument(contract: Contract, codes: ErrorCodes): OpenAPIV3.Document {
  const document = withInlineExamples({ ...contract.document, 'x-error-codes': codes });
  const { info, paths } = document;
  info.description = joinParagraphs(info.description, planSection(contract));
  if (Object.keys(codes).length > 0) document.tags = [...(document.tags ?? []), errorTag(codes)];
  const operations = operationsOf(document).map(({ operation }) => operation);
  document.servers ??= [];
  for (const node of [document, ...Object.values(paths), ...operations])
    if (node?.servers !== undefined) node.servers = baseServerFirst(node.servers);
  for (const operation of operations) describeOperation(document, operation);
  return document;
}

/** A copy without references to examples, which the viewer shows as they are written: `{"$ref": …}`. */
function withInlineExamples(document: ContractDocument): ContractDocument {
  const copyOf = (node: unknown): unknown => {
    if (typeof node !== 'object' || node === null) return node;
    if (Array.isArray(node)) return node.map(copyOf);
    const { $ref } = node as Partial<OpenAPIV3.ReferenceObject>;
    if (typeof $ref === 'string' && $ref.startsWith('#/components/examples/'))
      return resolve<OpenAPIV3.ExampleObject>(document, { $ref });
    return Object.fromEntries(Object.entries(node).map(([name, member]) => [name, copyOf(member)]));
  };
  return copyOf(document) as ContractDocument;
}

function planSection({ plans, addressPlan, banRule: ban }: Contract): string {
  if (Object.values(plans).every((plan) => plan === 'unlimited')) return '';
  const numbers = (plan: PlanLimits | string) =>
    typeof plan === 'string' ? [plan, plan] : [plan.requestsPerMinute, plan.requestsPerDay].map(formatNumber);
  const rows = Object.entries(plans).map(([name, plan]) => `| ${[name, ...numbers(plan)].join(' | ')} |`);
  return joinParagraphs(
    '## Plans',
    ['| Plan | Requests per minute | Requests per day |', '| --- | --- | --- |', ...rows].join('\n'),
    `Requests without a valid API key are limited per client address, by the minute quota of the plan ${addressPlan}.`,
    ban.seconds > 0 &&
      `If more than ${formatNumber(ban.rejectedRequestsFactor)} times the minute limit of an API key is rejected within ` +
        `one minute, the key is banned for ${formatNumber(ban.seconds)} seconds.`,
  );
}

function joinParagraphs(...paragraphs: readonly (string | false | undefined)[]): string {
  return paragraphs.filter(Boolean).join('\n\n');
}

function formatNumber(value: number): string {
  return value.toLocaleString('en-US');
}

/** Describes every error code, in ascending order of the status. The viewer shows the tag after those of operations. */
function errorTag(codes: ErrorCodes): OpenAPIV3.TagObject {
  const sorted = Object.entries(codes).sort(([, one], [, other]) => one.status - other.status);
  const cellOf = (text = '') => text.replaceAll('|', String.raw`\|`).replaceAll(/\s+/g, ' ');
  const rows = sorted.map(
    ([code, { status, cause, resolution }]) =>
      `| \`${code}\` | ${String(status)} | ${cellOf(cause)} | ${cellOf(resolution)} |`,
  );
  const head = ['| Code | Status | Cause | What to do |', '| --- | --- | --- | --- |'];
  return { name: 'Error codes', description: [...head, ...rows].join('\n') };
}

function describeOperation(document: ContractDocument, operation: Operation): void {
  const { 'x-stability': stability = 'stable', deprecated = false } = operation;
  // The codes of `default` can occur with any request.
  const { default: _, ...responses } = operation.responses;
  const codes = new Set(Object.values(responses).flatMap((response) => codesOf(document, response)));
  const names = [...codes].map((code) => `\`${code}\``).join(', ');
  const listed = names !== '' && `[Error codes](#tag/error-codes): ${names}.`;
  const limited = limitSentence(operation['x-rate-limit']);
  // A deprecated operation is not one to rely on.
  const level = !deprecated && `Stability: **${stability}**.`;
  operation.description = joinParagraphs(operation.description, limited, level, listed);
  const shown = deprecated ? 'deprecated' : stability === 'beta' ? 'experimental' : stability;
  Object.assign(operation, { 'x-scalar-stability': shown });
}

function limitSentence(limit: OperationLimit | undefined): string | undefined {
  if (limit === undefined) return undefined;
  const count = (value: number, noun: string) => `${formatNumber(value)} ${noun}${value === 1 ? '' : 's'}`;
  const rule = `${count(limit.requests, 'request')} in ${count(limit.seconds, 'second')}`;
  return `Each caller, or client address without credentials, can send at most ${rule}.`;
}

/** The error codes of a response: those of its examples. Other contracts have codes of another form. */
function codesOf(document: ContractDocument, response: OpenAPIV3.ResponseObject | OpenAPIV3.ReferenceObject): string[] {
  const { content } = resolve<OpenAPIV3.ResponseObject>(document, response);
  const examples = Object.values(findJson(content)?.[1].examples ?? {}) as OpenAPIV3.ExampleObject[];
  const codes = examples.map(({ value }) => (value as { readonly code?: string } | null | undefined)?.code ?? '');
  return codes.filter((code) => Object.hasOwn(document['x-error-codes'], code));
}
