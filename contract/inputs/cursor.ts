/** The position in a list after which the next page begins. */
export type Cursor = {
  /** The list's sort order. */
  order: string;
  /** Sort key of the last row shown: epoch ms, or ms of lateness. */
  atMs: number;
  /** Schedule of the last row (UUID). */
  id: string;
  /** Attempt number of the last row; in a list of schedules 1 for one without lateness in the order of lateness, else 0. */
  attempt: number;
  /** Rows on the pages so far. */
  rowsBefore: number;
  /** The list's filters, by `filterDigest`; undefined where they are not compared. */
  filter?: string | undefined;
};

/** Encodes a cursor for the `after` parameter. Opaque to callers; contains no secret. */
export function writeCursor({ order, atMs, id, attempt, rowsBefore, filter }: Cursor): string {
  const fields = [order, atMs, id, attempt, rowsBefore, ...(filter === undefined ? [] : [filter])];
  return btoa(fields.join(" ")).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Decodes a cursor; null unless the text is exactly what `writeCursor` returns. */
export function readCursor(text: string): Cursor | null {
  const [, order, at, id, attempt, rowsBefore, filter] = FORM.exec(decoded(text)) ?? [];
  if (order === undefined || id === undefined) return null;
  const cursor = { order, atMs: Number(at), id, attempt: Number(attempt), rowsBefore: Number(rowsBefore), filter };
  return cursor.atMs <= YEAR_9999_END_MS && writeCursor(cursor) === text ? cursor : null;
}

function decoded(text: string): string {
  try {
    return atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return "";
  }
}

const FORM =
  /^([a-z_-]{1,20}) (-?\d{1,15}) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}) (\d{1,9}) (\d{1,15})(?: ([0-9a-f]{12}))?$/;
const YEAR_9999_END_MS = 253_402_300_799_999;
