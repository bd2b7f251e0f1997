import type { OpenAPIV3 } from 'openapi-types';
import { type ContractDocument, operationsOf, resolve } from './document.js';
import { errorCodeList } from './error-code-list.js';
import type { BanRule, OperationExtensions, PlanLimits } from './extensions.js';

type Operation = OpenAPIV3.OperationObject<OperationExtensions>;
type Stability = OperationExtensions['x-stability'];

/** The stability levels of oasdiff, which lets a draft change in any way. */
const stabilityLevels: Readonly<Record<Stability, string>> = { stable: 'stable', beta: 'beta', experimental: 'draft' };

/**
 * Creates the document for viewers and other tools, which do not know our extensions: it repeats their content in
 * descriptions and in the extensions that tools know. The server entry that is a path comes first, because "Try it out"
 * uses the first one.
 */
export function publishedDocument(contract: ContractDocument): OpenAPIV3.Document {
  const document = structuredClone(contract);
  const { info, servers = [] } = document;
  const errorCodes = `## Error codes\n\n${errorCodeList(contract['x-error-codes'])}`;
  info.description = [info.description, planSection(contract), errorCodes].join('\n\n');
  document.servers = [...servers].sort((one, other) => Number(isRelative(other)) - Number(isRelative(one)));
  for (const { operation } of operationsOf(document)) describeOperation(contract, operation);
  for (const response of responsesOf(document)) {
    inlineExamples(document, response.content);
    listCodes(document, response);
  }
  return document;
}

function isRelative({ url }: OpenAPIV3.ServerObject): boolean {
  return url.startsWith('/');
}

function planSection(contract: ContractDocument): string {
  const rows = Object.entries(contract['x-rate-limit-plans']).map(
    ([name, plan]) => `| ${name} | ${planNumbers(plan).join(' | ')} |`,
  );
  const { 'x-rate-limit-address-plan': addressPlan, 'x-rate-limit-ban': ban } = contract;
  return [
    '## Plans',
    ['| Plan | Requests per minute | Requests per day |', '| --- | --- | --- |', ...rows].join('\n'),
    `Requests without a valid API key are limited per client address, by the minute quota of the plan ${addressPlan}.`,
    banRule(ban),
  ].join('\n\n');
}

function planNumbers(plan: PlanLimits | 'custom'): readonly string[] {
  if (plan === 'custom') return ['custom', 'custom'];
  return [plan.requestsPerMinute, plan.requestsPerDay].map(formatNumber);
}

function banRule({ rejectedRequestsFactor, seconds }: BanRule): string {
  const abuse = `More than ${formatNumber(rejectedRequestsFactor)} times the limit of rejected requests in one minute`;
  return `${abuse} ban the API key for ${formatDuration(seconds)}.`;
}

function describeOperation(contract: ContractDocument, operation: Operation): void {
  const { 'x-stability': stability, deprecated = false } = operation;
  const notice = deprecationNotice(operation);
  // The codes of `default` can occur with any request.
  const { default: _, ...responses } = operation.responses;
  const codes = new Set(Object.values(responses).flatMap((response) => codesOf(contract, response)));
  const names = [...codes].map((code) => `\`${code}\``);
  operation.description = [
    `Stability: **${stability}**.`,
    ...notice,
    operation.description,
    ...(names.length > 0 ? [`[Error codes](#description/error-codes): ${names.join(', ')}.`] : []),
  ].join('\n\n');
  Object.assign(operation, {
    'x-stability-level': stabilityLevels[stability],
    'x-scalar-stability': deprecated ? 'deprecated' : stability === 'beta' ? 'experimental' : stability,
    'x-badges': [{ name: stability }, ...(deprecated ? [{ name: 'deprecated' }] : [])],
  });
}

function deprecationNotice(operation: Operation): string[] {
  const { deprecated, 'x-deprecated-at': since, 'x-sunset': sunset, 'x-successor': successor } = operation;
  if (deprecated !== true || since === undefined || sunset === undefined) return [];
  return [
    `**Deprecated since ${formatDay(since)}, removed on ${formatDay(sunset)}.** Use ${String(successor)} instead.`,
  ];
}

/** The responses that are written at operations, and the shared ones of the components. */
function responsesOf(document: ContractDocument): OpenAPIV3.ResponseObject[] {
  const own = operationsOf(document).flatMap(({ operation }) => Object.values(operation.responses));
  const shared = Object.values((document as OpenAPIV3.Document).components?.responses ?? {});
  return [...own, ...shared].flatMap((response) => ('$ref' in response ? [] : response));
}

/** Replaces references to examples, which viewers show as they are written: `{"$ref": …}`. */
function inlineExamples(document: ContractDocument, content: OpenAPIV3.ResponseObject['content'] = {}): void {
  for (const { examples = {} } of Object.values(content)) {
    for (const [name, example] of Object.entries(examples)) examples[name] = resolve(document, example);
  }
}

/** The error codes of a response: those of its examples. */
function codesOf(document: ContractDocument, response: OpenAPIV3.ResponseObject | OpenAPIV3.ReferenceObject): string[] {
  const { content } = resolve<OpenAPIV3.ResponseObject>(document, response);
  const examples = Object.values(content?.['application/json']?.examples ?? {});
  const values = examples.map((example) => resolve(document, example).value as { readonly code?: string } | undefined);
  return [...new Set(values.flatMap((value) => value?.code ?? []))];
}

/** Adds the error codes of a response to its description. */
function listCodes(document: ContractDocument, response: OpenAPIV3.ResponseObject): void {
  const codes = codesOf(document, response);
  if (codes.length === 0) return;
  const list = codes.map((code) => `\`${code}\``).join(', ');
  response.description += `\n\nCode${codes.length > 1 ? 's' : ''}: ${list}`;
}

function formatNumber(value: number): string {
  return value.toLocaleString('en-US');
}

function formatDuration(seconds: number): string {
  const units = [['hour', 3600] as const, ['minute', 60] as const, ['second', 1] as const];
  const [unit, length] = units.find(([, unitSeconds]) => seconds % unitSeconds === 0) ?? ['second', 1];
  return (seconds / length).toLocaleString('en-US', { style: 'unit', unit, unitDisplay: 'long' });
}

function formatDay(day: string): string {
  return new Date(day).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
}
