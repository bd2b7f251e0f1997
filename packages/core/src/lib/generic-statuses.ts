/**
 * The status of each generic code that an application can throw without listing it in `x-error-codes`: the words of
 * Node.js for the status, as errors of http-errors have them. A 500 is a defect, which has no code of its own.
 */
export const genericStatuses = {
  bad_request: 400,
  unauthorized: 401,
  payment_required: 402,
  forbidden: 403,
  not_found: 404,
  not_acceptable: 406,
  conflict: 409,
  gone: 410,
  precondition_failed: 412,
  payload_too_large: 413,
  range_not_satisfiable: 416,
  unprocessable_entity: 422,
  locked: 423,
  failed_dependency: 424,
  too_early: 425,
  upgrade_required: 426,
  precondition_required: 428,
  too_many_requests: 429,
  unavailable_for_legal_reasons: 451,
  bad_gateway: 502,
  service_unavailable: 503,
  gateway_timeout: 504,
  insufficient_storage: 507,
} as const;
