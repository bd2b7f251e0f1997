import type { OpenAPIV3 } from 'openapi-types';
import { type ContractDocument, operationsOf, resolve } from './document.js';
import { errorCodeList } from './error-code-list.js';
import type { OperationExtensions, PlanLimits } from './extensions.js';

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
  for (const response of responsesOf(document)) inlineExamples(document, response.content);
  return document;
}

function isRelative({ url }: OpenAPIV3.ServerObject): boolean {
  return url.startsWith('/');
}

function planSection(contract: ContractDocument): string {
  const { 'x-rate-limit-plans': plans, 'x-rate-limit-address-plan': addressPlan, 'x-rate-limit-ban': ban } = contract;
  const numbers = (plan: PlanLimits | 'custom') =>
    plan === 'custom' ? [plan, plan] : [plan.requestsPerMinute, plan.requestsPerDay].map(formatNumber);
  const rows = Object.entries(plans).map(([name, plan]) => `| ${[name, ...numbers(plan)].join(' | ')} |`);
  return [
    '## Plans',
    ['| Plan | Requests per minute | Requests per day |', '| --- | --- | --- |', ...rows].join('\n'),
    `Requests without a valid API key are limited per client address, by the minute quota of the plan ${addressPlan}.`,
    `An API key of which more than ${formatNumber(ban.rejectedRequestsFactor)} times the limit is rejected within one ` +
      `minute is banned for ${formatNumber(ban.seconds)} seconds.`,
  ].join('\n\n');
}

function formatNumber(value: number): string {
  return value.toLocaleString('en-US');
}

function describeOperation(contract: ContractDocument, operation: Operation): void {
  const { 'x-stability': stability, deprecated = false } = operation;
  // The codes of `default` can occur with any request.
  const { default: _, ...responses } = operation.responses;
  const codes = new Set(Object.values(responses).flatMap((response) => codesOf(contract, response)));
  const names = [...codes].map((code) => `\`${code}\``);
  operation.description = [
    `Stability: **${stability}**.`,
    operation.description,
    ...(names.length > 0 ? [`[Error codes](#description/error-codes): ${names.join(', ')}.`] : []),
  ].join('\n\n');
  Object.assign(operation, {
    'x-stability-level': stabilityLevels[stability],
    'x-scalar-stability': deprecated ? 'deprecated' : stability === 'beta' ? 'experimental' : stability,
    'x-badges': [{ name: stability }, ...(deprecated ? [{ name: 'deprecated' }] : [])],
  });
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
