/**
 * The API key of every mock. It never changes, so that the settings of a client's tests can contain it, and gives
 * access to nothing else.
 */
export const mockKey = {
  /** Its prefix is that of this environment of the contract. */
  environment: 'staging',
  token: 'pets_test_ForTestsOnlyOfPetstoreMock00003nzpRV',
} as const;
