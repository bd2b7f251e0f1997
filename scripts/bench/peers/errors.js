/** The Error bodies of the contract, as the peers send them. */
export const errors = {
  missingApiKey: {
    code: 'missing_api_key',
    message: 'Send your API key: Authorization: Bearer <API_KEY>.',
    status: 401,
  },
  invalidApiKey: { code: 'invalid_api_key', message: 'The API key is not valid.', status: 401 },
  petNotFound: { code: 'pet_not_found', message: 'No pet has this id.', status: 404 },
  unknownPath: { code: 'route_not_found', message: 'There is no such path.', status: 404 },
  tooManyRequests: { code: 'rate_limit_exceeded', message: 'The limit is reached. Retry later.', status: 429 },
};

export function invalidRequest(message) {
  return { code: 'invalid_request', message, status: 400 };
}
