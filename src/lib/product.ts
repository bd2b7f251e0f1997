/** The name of the product. The contract, the database, metrics and Redis keys are named after it. */
export const productName = 'petstore';
