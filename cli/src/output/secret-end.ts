/** The last four characters of a secret: enough to compare, of no use to others. */
export const endOf = (secret: string) => `whsec_…${secret.slice(-4)}`;
