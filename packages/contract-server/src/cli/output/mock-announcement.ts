import { withChecksum } from '../../api-keys/token.js';
import {
  type ContractDocument,
  keyPrefixesOf,
  type SecuritySchemeObject,
  securitySchemesOf,
} from '../../contract/document.js';
import { type OperationEntry, resolve } from '../../contract/operations.js';
import { looksLikeApiKey } from '../../http/security/security.js';
import type { ComposedServer } from '../../service/compose-server.js';
import { exampleCreation, findExampleOperation } from './example-requests.js';

type Addresses = Awaited<ReturnType<ComposedServer['listen']>>;

/**
 * The API key of every mock, of the last environment in the contract. It is fixed, so that the configuration of client
 * tests can contain it.
 */
export function mockKeyOf(document: ContractDocument) {
  const [environment, prefix] = Object.entries(keyPrefixesOf(document)).at(-1) ?? ['', ''];
  return { environment, token: withChecksum(`${prefix}ForTestsOnlyTheKeyOfEveryMock0`) };
}

/** What a mock prints for programs: the API key only if the contract has API keys. */
export function mockAddresses({ baseUrl, contractUrl }: Addresses, document: ContractDocument) {
  const hasKeys = Object.keys(securitySchemesOf(document)).some((name) => looksLikeApiKey(document, name));
  return { baseUrl, ...(hasKeys && { apiKey: mockKeyOf(document).token }), contractUrl };
}

/** What a mock prints for people, with ready-to-run `curl` commands. */
export function mockAnnouncement(addresses: Addresses, document: ContractDocument, isStateful: boolean): string {
  const { title, version } = document.info;
  const { baseUrl, contractUrl, docsUrl } = addresses;
  const { apiKey } = mockAddresses(addresses, document);
  const others = Object.keys(securitySchemesOf(document)).filter((name) => !looksLikeApiKey(document, name));
  const [other] = others.map((name) => headerOf(document, name));
  const lines = [
    `${isStateful ? 'An ephemeral service' : 'A mock'} of ${title} ${version} is at ${baseUrl}`,
    ...(docsUrl === undefined ? [] : [`  Reference ${docsUrl}`]),
    ...(contractUrl === undefined ? [] : [`  Contract  ${contractUrl}`]),
    ...(apiKey === undefined ? [] : [`  API key   ${apiKey}${isStateful ? '' : ', or any other'}`]),
    ...(other === undefined ? [] : [`  Security  any credentials, such as ${other}`]),
  ];
  const entry = findExampleOperation(document);
  const commands = entry === undefined ? [] : curlCommands(entry, baseUrl, document, isStateful);
  const examples = commands.length === 0 ? [] : ['', 'Try it:', '', ...commands.map((command) => `  ${command}`)];
  return `${[...lines, ...examples].join('\n')}\n\n`;
}

/** A command for the successful response, and one that creates something or selects an error. */
function curlCommands(entry: OperationEntry, baseUrl: string, document: ContractDocument, isStateful: boolean) {
  const { path, operation } = entry;
  const [requirement = {}] = operation.security ?? document.security ?? [];
  const credentials = Object.keys(requirement).map((name) => `-H "${headerOf(document, name)}" `);
  const errors = Object.keys(operation.responses).filter((status) => /^[45]\d\d$/.test(status));
  const status = errors.includes('429') ? '429' : errors[0];
  const error = status && `-H "Prefer: code=${status}"`;
  const second = isStateful ? exampleCreation(document, path) : error;
  const options = ['', ...(second === undefined ? [] : [`${second} `])];
  return options.map((option) => `curl ${credentials.join('')}${option}${baseUrl}${path}`);
}

/** The header with credentials that a mock accepts. */
function headerOf(document: ContractDocument, name: string): string {
  const scheme = resolve(document, securitySchemesOf(document)[name] as SecuritySchemeObject);
  const credentials = looksLikeApiKey(document, name) ? mockKeyOf(document).token : 'any';
  if (scheme.type === 'apiKey')
    return scheme.in === 'cookie' ? `Cookie: ${scheme.name}=${credentials}` : `${scheme.name}: ${credentials}`;
  const authScheme = scheme.type === 'http' ? scheme.scheme : 'bearer';
  return `Authorization: ${authScheme.replace(/^[a-z]/, (letter) => letter.toUpperCase())} ${credentials}`;
}
