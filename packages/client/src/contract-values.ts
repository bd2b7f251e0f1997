import type { Credential, SecurityScheme } from './credentials.js';
import type { ParameterStyles } from './parameters.js';

/** The types that a client needs: the interface `Contract` that `contract-server generate` writes. */
export interface ClientTypes {
  readonly paths: object;
  readonly version: string;
  readonly pathPrefix: string;
  readonly prefixes: object;
  readonly styles: object;
  readonly mediaTypes: object;
  readonly schemes: object;
}

/** What a client needs of a contract at run time: the value `contract` that `contract-server generate` writes. */
export interface ContractValues {
  readonly version: string;
  /** The path prefix of every operation, such as `/v1`. */
  readonly pathPrefix: string;
  /** The path prefixes of operations that have one of their own, by method and path. */
  readonly prefixes: Readonly<Record<string, string>>;
  /** How parameters are serialized. Default: each as its place does. */
  readonly styles: ParameterStyles;
  /** The media types of successful responses that are not JSON, by method and path. */
  readonly mediaTypes: Readonly<Record<string, readonly string[]>>;
  readonly schemes: Readonly<Record<string, SecurityScheme>>;
}

/**
 * The options of a client that depend on its contract. Without `contract`, parameters have the style of their place,
 * responses are JSON, and no credentials are sent: it is optional only where that is what the contract says.
 */
export type ContractOptions<Contract extends ClientTypes> =
  | {
      /** The value `contract` of the module with the generated types. */
      readonly contract: Pick<Contract, keyof ContractValues>;
      /** The credentials of the caller, by security scheme. Default: none. */
      readonly credentials?: CredentialsOf<Contract['schemes']> | undefined;
    }
  | ([keyof (Contract['prefixes'] & Contract['styles'] & Contract['mediaTypes'])] extends [never]
      ? { readonly contract?: undefined; readonly credentials?: undefined }
      : never);

type CredentialsOf<Schemes> = {
  readonly [Name in keyof Schemes]?: Schemes[Name] extends { readonly scheme: 'basic' }
    ? Exclude<Credential, string>
    : Schemes[Name] extends { readonly scheme: 'bearer' } | { readonly type: 'apiKey' }
      ? string
      : Credential;
};
