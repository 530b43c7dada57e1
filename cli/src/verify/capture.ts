/** A captured request. Names of headers are in lower case; `body` is null when the capture has none. */
export type Capture = { headers: readonly (readonly [name: string, value: string])[]; body: Buffer | null };

/** A capture that cannot be read. The message quotes nothing of it. */
export class CaptureProblem extends Error {}
