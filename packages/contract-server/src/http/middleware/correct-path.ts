import type { RequestHandler } from 'express';
import type { CompiledRouter } from '../../backend/compiled-router.js';
import { requireContext } from '../request-context.js';
import { originFormOf } from '../wire/request-target.js';

/**
 * Replaces a path in another spelling by that of the contract, ahead of the application's middleware, so that no
 * spelling passes a guard. None if the deployment ignores no differences.
 */
export function correctPath({ spell }: CompiledRouter): RequestHandler[] {
  if (spell === undefined) return [];
  return [
    (request, _response, next) => {
      const context = requireContext(request);
      const path = spell(context.path);
      if (path !== context.path) {
        context.path = path;
        request.url = originFormOf(context);
      }
      next();
    },
  ];
}
