/** Where a walk through a list goes on. */
export type Cursor = {
  /** By what the list is sorted. */
  order: string;
  /** The instant of the last row that was shown, by which the list is sorted, epoch ms. */
  atMs: number;
  /** Its schedule (UUID). */
  id: string;
  /** The number of the attempt; 0 in a list of schedules. */
  attempt: number;
  /** Rows before this place, as far as the walk has counted them. */
  passed: number;
};

/** The text of a cursor, for a query. Callers are told nothing of what is in it. It holds no secret. */
export function writeCursor({ order, atMs, id, attempt, passed }: Cursor): string {
  return Buffer.from([order, atMs, id, attempt, passed].join(" ")).toString("base64url");
}

/** The cursor that a text is, or null unless it is exactly what `writeCursor` writes. */
export function readCursor(text: string): Cursor | null {
  const [, order, at, id, attempt, passed] = FORM.exec(Buffer.from(text, "base64url").toString("latin1")) ?? [];
  if (order === undefined || id === undefined) return null;
  const cursor = { order, atMs: Number(at), id, attempt: Number(attempt), passed: Number(passed) };
  return cursor.atMs <= YEAR_9999_END_MS && writeCursor(cursor) === text ? cursor : null;
}

const FORM = /^([a-z_-]{1,20}) (\d{1,15}) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}) (\d{1,9}) (\d{1,15})$/;
const YEAR_9999_END_MS = 253_402_300_799_999;
