import { inspect } from 'node:util';
import type { OpenAPIV3 } from 'openapi-types';
import { stringifyJson } from '../json/exact-json.js';
import { type ContractDocument, type OperationEntry, parametersOf, publicUrlOf, resolve } from './document.js';

/** A code sample in the extension `x-codeSamples`, which API references and editors know. */
export interface CodeSample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

/** The request of the samples: required parameters only, with the values of their examples. */
interface SampleRequest {
  readonly method: string;
  readonly path: string;
  readonly baseUrl: string;
  readonly parameters: readonly OpenAPIV3.ParameterObject[];
  readonly needsKey: boolean;
  /** The first example of the request body; `undefined` without a body. */
  readonly body: unknown;
}

/** Creates samples of a request in the languages of most clients. The API key is read from the environment. */
export function codeSamplesOf(document: ContractDocument, entry: OperationEntry): CodeSample[] {
  const request = requestOf(document, entry);
  const { 'x-client': client } = document;
  return [
    { lang: 'bash', label: 'curl', source: curl(request) },
    ...(client ? [{ lang: 'javascript', label: 'JavaScript client', source: clientCall(request, client) }] : []),
    { lang: 'javascript', label: 'JavaScript fetch', source: fetchCall(request) },
    { lang: 'python', label: 'Python', source: python(request) },
  ];
}

function requestOf(document: ContractDocument, entry: OperationEntry): SampleRequest {
  const { method, path, operation } = entry;
  return {
    method,
    path,
    baseUrl: publicUrlOf(document),
    parameters: parametersOf(document, entry).filter(({ required }) => required === true),
    needsKey: (operation.security ?? document.security ?? []).length > 0,
    body: bodyOf(document, operation.requestBody),
  };
}

function bodyOf(document: ContractDocument, body: OpenAPIV3.OperationObject['requestBody']): unknown {
  if (body === undefined) return undefined;
  const { content } = resolve<OpenAPIV3.RequestBodyObject>(document, body);
  const [example] = Object.values(content['application/json']?.examples ?? {});
  return example === undefined ? {} : resolve<OpenAPIV3.ExampleObject>(document, example).value;
}

function urlOf({ baseUrl, path, parameters }: SampleRequest): string {
  const url = parameters.reduce(
    (text, { name, example }) => text.replace(`{${name}}`, encoded(example)),
    baseUrl + path,
  );
  const query = parameters.filter(({ in: place }) => place === 'query');
  return query.length === 0
    ? url
    : `${url}?${query.map(({ name, example }) => `${name}=${encoded(example)}`).join('&')}`;
}

/** The headers besides `Authorization`. */
function headersOf({ parameters, body }: SampleRequest): [name: string, value: string][] {
  const own = parameters.filter(({ in: place }) => place === 'header');
  const type: [string, string][] = body === undefined ? [] : [['Content-Type', 'application/json']];
  return [...type, ...own.map(({ name, example }): [string, string] => [name, String(example)])];
}

function curl(request: SampleRequest): string {
  const { method, needsKey, body } = request;
  const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const verb = method === 'get' ? '' : `-X ${method.toUpperCase()} `;
  return [
    `curl ${verb}${quoted(urlOf(request))}`,
    ...(needsKey ? ['-H "Authorization: Bearer $API_KEY"'] : []),
    ...headersOf(request).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quoted(stringifyJson(body))}`]),
  ].join(' \\\n  ');
}

function fetchCall(request: SampleRequest): string {
  const { method, needsKey, body } = request;
  const headers = [
    ...(needsKey ? ['Authorization: `Bearer ${process.env.API_KEY}`'] : []),
    ...headersOf(request).map(([name, value]) => `${inspect(name)}: ${inspect(value)}`),
  ];
  return [
    `const response = await fetch(${inspect(urlOf(request))}, {`,
    `  method: '${method.toUpperCase()}',`,
    ...(headers.length === 0 ? [] : [`  headers: {\n    ${headers.join(',\n    ')},\n  },`]),
    // As text, which keeps every digit of its numbers.
    ...(body === undefined ? [] : [`  body: ${inspect(stringifyJson(body))},`]),
    '});',
    'console.log(response.status, await response.text());',
  ].join('\n');
}

function clientCall(
  { method, path, baseUrl, needsKey, parameters, body }: SampleRequest,
  { module, create }: Client,
): string {
  const params: Record<string, Record<string, unknown>> = {};
  for (const { in: place, name, example } of parameters) (params[place] ??= {})[name] = example as unknown;
  const options = { ...(parameters.length === 0 ? {} : { params }), ...(body === undefined ? {} : { body }) };
  const argument = Object.keys(options).length === 0 ? '' : `, ${inspect(options, { depth: null, breakLength: 60 })}`;
  return [
    `import { ${create} } from '${module}';`,
    '',
    `const client = ${create}({`,
    `  baseUrl: '${baseUrl}',`,
    ...(needsKey ? ['  apiKey: process.env.API_KEY,'] : []),
    '});',
    `const { data } = await client.request('${method}', '${path}'${argument});`,
    'console.log(data);',
  ].join('\n');
}

type Client = NonNullable<ContractDocument['x-client']>;

function python(request: SampleRequest): string {
  const { method, needsKey, body } = request;
  const headers = [
    ...(needsKey ? [`"Authorization": f"Bearer {os.environ['API_KEY']}"`] : []),
    ...headersOf({ ...request, body: undefined }).map((header) =>
      header.map((text) => JSON.stringify(text)).join(': '),
    ),
  ];
  return [
    ...(needsKey ? ['import os', ''] : []),
    'import requests',
    '',
    `response = requests.${method}(`,
    `    ${JSON.stringify(urlOf(request))},`,
    ...(headers.length === 0 ? [] : [`    headers={${headers.join(', ')}},`]),
    ...(body === undefined ? [] : [`    json=${pythonLiteral(body)},`]),
    ')',
    'print(response.status_code, response.text)',
  ].join('\n');
}

/** JSON is Python, except for three literals. */
function pythonLiteral(value: unknown): string {
  const literals: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' };
  const token = /("(?:[^"\\]|\\.)*")([:,]?)|\b(?:true|false|null)\b|,/g;
  return stringifyJson(value).replace(token, (text) => literals[text] ?? text.replace(/[:,]$/, '$& '));
}

function encoded(example: unknown): string {
  return encodeURIComponent(String(example));
}
