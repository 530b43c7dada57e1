/** The n-th id, in the form of the service's. Ids sort as they were made, and are the same in every run. */
export function makeId(prefix: string, n: number): string {
  const digits = n.toString(32).replace(/[a-v]/g, (digit) => CROCKFORD[Number.parseInt(digit, 32)] as string);
  return `${prefix}_${digits.padStart(26, "0")}`;
}

/** Whether a text has the form of an id. */
export function isId(prefix: string, text: string): boolean {
  return new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`).test(text);
}

const CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz";
