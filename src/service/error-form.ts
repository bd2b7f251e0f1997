import type { ErrorForm } from '../http/error-responses.js';

/** The schema `Error` of the contract. */
export const errorForm: ErrorForm = { mediaType: 'application/json', create: (error) => error };
