/** The result of a call with its response. */
export interface CallResult<Data> {
  /** The data of the call: what it returns without `withResponse()`. */
  readonly data: Data;
  /** The response: its status and headers. Its body has been read. */
  readonly response: Response;
  /** Identifies the request in the log of the service. Include it in problem reports. */
  readonly requestId: string | undefined;
}

/**
 * A call: `await client.listPets()` returns its data, `await client.listPets().withResponse()` its response as well.
 */
export interface Call<Data> extends Promise<Data> {
  /** Returns the data together with the response. The request is sent once. */
  withResponse(): Promise<CallResult<Data>>;
}

/** @param dataOf converts the body of a successful response to the data of the call. */
export function createCall<Body, Data>(
  result: Promise<CallResult<Body>>,
  dataOf: (body: Body, response: Response) => Data,
): Call<Data> {
  const complete = result.then((received) => ({ ...received, data: dataOf(received.data, received.response) }));
  const data = complete.then((received) => received.data);
  const withResponse = () => {
    // Only the returned promise reports the error.
    data.catch(() => undefined);
    return complete;
  };
  return Object.assign(data, { withResponse });
}
