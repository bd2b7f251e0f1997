/** The name of the product, of which the names of its contract, database, metrics and Redis keys consist. */
export const productName = 'petstore';
