/** A whole number with separators, such as "12,345". */
export const count = (n: number): string => Math.round(n).toLocaleString("en-US");
