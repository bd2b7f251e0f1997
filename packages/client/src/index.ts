export type { ClientErrorCode, ErrorDetails } from './client-error.js';
export { ClientError, unexpectedResponse } from './client-error.js';
export type { ClientTypes, ContractOptions, ContractValues } from './contract-values.js';
export type { Client } from './create-client.js';
export { createClient } from './create-client.js';
export type { Credential, SecurityScheme } from './credentials.js';
export { stringifyJson } from './exact-json.js';
export type { IsError } from './operation-error.js';
export type {
  ClientHooks,
  ClientOptions,
  ClientSettings,
  RequestEvent,
  ResponseEvent,
  RetryEvent,
} from './options.js';
export type { ParameterStyle, ParameterStyles } from './parameters.js';
export type { Call, CallOptions, CallResult, OperationRequest, PathsOf } from './request.js';
export { attempt, createCall } from './request.js';
export { systemTime, type Time } from './time.js';
