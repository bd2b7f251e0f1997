/** The maximum number of values in one parameter: parsing and validating each takes time. */
export const valuesMax = 1000;
/** The maximum number of brackets in the name of a parameter, as in `filter[a][b]`. */
export const depthMax = 5;
/** The maximum length of an array in an object. A query has as many parameters at most. */
export const arrayMax = 100;
