import type { Contract, Operation } from '@contract-server/core/contract/contract.js';
import type { SecuritySchemeObject } from '@contract-server/core/contract/security.js';
import { withChecksum } from '../../api-keys/token.js';
import { looksLikeApiKey } from '../../http/security/security.js';
import type { ComposedServer } from '../../service/compose-server.js';
import { exampleCreation, findExampleOperation } from './example-requests.js';

type Addresses = Awaited<ReturnType<ComposedServer['listen']>>;

/**
 * The API key of every mock, of the last environment in the contract. It is fixed, so that the configuration of client
 * tests can contain it.
 */
export function mockKeyOf({ keyPrefixes }: Pick<Contract, 'keyPrefixes'>) {
  const [environment, prefix] = Object.entries(keyPrefixes).at(-1) ?? ['', ''];
  return { environment, token: withChecksum(`${prefix}ForTestsOnlyTheKeyOfEveryMock0`) };
}

/** What a mock prints for programs: the API key only if the contract has API keys. */
export function mockAddresses({ baseUrl, contractUrl }: Addresses, contract: Contract) {
  const hasKeys = [...contract.securitySchemes.keys()].some((name) => looksLikeApiKey(contract, name));
  return { baseUrl, ...(hasKeys && { apiKey: mockKeyOf(contract).token }), contractUrl };
}

/** What a mock prints for people, with ready-to-run `curl` commands. */
export function mockAnnouncement(addresses: Addresses, contract: Contract, isStateful: boolean): string {
  const { title, version } = contract.document.info;
  const { baseUrl, contractUrl, docsUrl } = addresses;
  const { apiKey } = mockAddresses(addresses, contract);
  const others = [...contract.securitySchemes.keys()].filter((name) => !looksLikeApiKey(contract, name));
  const [other] = others.map((name) => headerOf(contract, name));
  const lines = [
    `${isStateful ? 'An ephemeral service' : 'A mock'} of ${title} ${version} is at ${baseUrl}`,
    ...(docsUrl === undefined ? [] : [`  Reference ${docsUrl}`]),
    ...(contractUrl === undefined ? [] : [`  Contract  ${contractUrl}`]),
    ...(apiKey === undefined ? [] : [`  API key   ${apiKey}${isStateful ? '' : ', or any other'}`]),
    ...(other === undefined ? [] : [`  Security  any credentials, such as ${other}`]),
  ];
  const operation = findExampleOperation(contract);
  const commands = operation === undefined ? [] : curlCommands(operation, baseUrl, contract, isStateful);
  const examples = commands.length === 0 ? [] : ['', 'Try it:', '', ...commands.map((command) => `  ${command}`)];
  return `${[...lines, ...examples].join('\n')}\n\n`;
}

/** A command for the successful response, and one that creates something or selects an error. */
function curlCommands(operation: Operation, baseUrl: string, contract: Contract, isStateful: boolean) {
  const { path, requirements, responses } = operation;
  const [requirement = {}] = requirements;
  const credentials = Object.keys(requirement).map((name) => `-H "${headerOf(contract, name)}" `);
  const errors = [...responses.declared.keys()].filter((status) => /^[45]\d\d$/.test(status));
  const status = errors.includes('429') ? '429' : errors[0];
  const error = status && `-H "Prefer: code=${status}"`;
  const second = isStateful ? exampleCreation(contract, path) : error;
  const options = ['', ...(second === undefined ? [] : [`${second} `])];
  return options.map((option) => `curl ${credentials.join('')}${option}${baseUrl}${path}`);
}

/** The header with credentials that a mock accepts. */
function headerOf(contract: Contract, name: string): string {
  const scheme = contract.securitySchemes.get(name) as SecuritySchemeObject;
  const credentials = looksLikeApiKey(contract, name) ? mockKeyOf(contract).token : 'any';
  if (scheme.type === 'apiKey')
    return scheme.in === 'cookie' ? `Cookie: ${scheme.name}=${credentials}` : `${scheme.name}: ${credentials}`;
  const authScheme = scheme.type === 'http' ? scheme.scheme : 'bearer';
  return `Authorization: ${authScheme.replace(/^[a-z]/, (letter) => letter.toUpperCase())} ${credentials}`;
}
