import type { ContractTypes } from '@contract-server/core/types/types.js';
import { createRouter, type RouterOptions } from 'contract-server/index.js';
import express, { type Express } from 'express';
import { stringify } from 'yaml';
import { place } from './contract-errors.js';

type Options = Partial<RouterOptions<ContractTypes, Readonly<Record<string, never>>>>;

const json = { 'application/json': { schema: {} } };
export const anyJson = { 200: { description: 'Anything', content: json } };

/** A contract with these members, and `GET /items` with these parameters. */
export function echoContract(parameters: readonly object[], path = '/items', members: object = {}): string {
  const operation = { operationId: 'echo', parameters, responses: anyJson };
  const info = { title: 'Echo', version: '1.0.0' };
  return stringify({ openapi: '3.1.1', info, paths: { [path]: { get: operation } }, ...members });
}

/** Serves a contract. Its handlers return what they receive. */
export async function echoApp(contract: string, options: Options = {}, ids: readonly string[] = ['echo']) {
  const echo = (request: object) => Promise.resolve({ status: 200, body: request });
  const handlers = Object.fromEntries(ids.map((id) => [id, echo]));
  const { url } = place({ 'contract.yaml': contract });
  const router = await createRouter<ContractTypes>()({
    contract: url,
    handlers: handlers as object,
    ...options,
  });
  return express().use(router) as Express;
}
