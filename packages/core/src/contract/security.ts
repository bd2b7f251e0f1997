import type { OpenAPIV3 } from 'openapi-types';
import type { ApiKeyScheme } from './extensions.js';
import { resolve } from './json-pointer.js';

export type SecuritySchemeObject = OpenAPIV3.SecuritySchemeObject & ApiKeyScheme;

/**
 * The security requirements of an operation, or of the root; none if it requires nothing. Those with a client
 * certificate (`mutualTLS`) are omitted, because no request satisfies them.
 */
export function requirementsOf(
  document: Pick<OpenAPIV3.Document, 'security' | 'components'>,
  { security = document.security ?? [] }: Pick<OpenAPIV3.OperationObject, 'security'> = {},
): readonly OpenAPIV3.SecurityRequirementObject[] {
  const isSupported = (name: string) => {
    const { [name]: node } = document.components?.securitySchemes ?? {};
    const { type } = node === undefined ? {} : resolve<{ readonly type?: string }>(document, node);
    return type !== 'mutualTLS';
  };
  return security.filter((requirement) => Object.keys(requirement).every(isSupported));
}

/** The prefixes of API keys, by environment: those of the first security scheme that has any. */
export function keyPrefixesOf(document: Pick<OpenAPIV3.Document, 'components'>): Readonly<Record<string, string>> {
  const schemes = Object.values(document.components?.securitySchemes ?? {});
  const resolved = schemes.map((scheme) => resolve<object>(document, scheme) as ApiKeyScheme);
  const { 'x-key-prefixes': prefixes } = resolved.find((scheme) => 'x-key-prefixes' in scheme) ?? {};
  return prefixes ?? { production: 'secret_' };
}
