/** The name of the product, of which the names of its contract, database, metrics and Redis keys consist. */
export const productName = 'petstore';

/** The same as the beginning of a metric, which contains no hyphen. */
export const metricPrefix = productName.replaceAll('-', '_');
