import type postgres from "postgres";
import { insertExchange } from "#db/queries/listen/insert-exchange.ts";
import type { KeyRing } from "#domain/cipher.ts";
import { encodeId, newId } from "#domain/ids.ts";
import { sealExchangeRequest } from "#domain/listen-exchange.ts";
import { LISTEN_ORIGIN } from "#domain/listen-origin.ts";

/** An event as a reader of the stream gets it. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape
export type ReadEvent = { event: string; id?: string; data: any };

/** Reads a stream of events by hand: nothing of it is read before it is asked for. */
export class EventReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #text = "";
  readonly comments: string[] = [];
  /** All text that was read. */
  raw = "";

  constructor(body: ReadableStream<Uint8Array> | null) {
    if (body === null) throw new Error("the answer has no body");
    this.#reader = body.getReader();
  }

  /** The next event; null at the end of the stream. Comments are kept aside. */
  async next(): Promise<ReadEvent | null> {
    for (;;) {
      const end = this.#text.indexOf("\n\n");
      if (end < 0) {
        const { value, done } = await this.#reader.read();
        if (done) return null;
        const piece = Buffer.from(value).toString();
        this.#text += piece;
        this.raw += piece;
        continue;
      }
      const block = this.#text.slice(0, end);
      this.#text = this.#text.slice(end + 2);
      if (block.startsWith(":")) this.comments.push(block);
      else return parse(block);
    }
  }

  /** The next event, which must have this name. Returns its data. */
  async expect(event: string) {
    const next = await this.next();
    if (next?.event !== event) throw new Error(`expected ${event}, got ${JSON.stringify(next)}`);
    return next.data;
  }

  cancel(): Promise<void> {
    return this.#reader.cancel();
  }
}

function parse(block: string): ReadEvent {
  const fields = Object.fromEntries(
    block.split("\n").map((line) => [line.split(": ", 1)[0], line.slice(line.indexOf(": ") + 2)]),
  );
  return { event: fields.event ?? "", ...(fields.id && { id: fields.id }), data: JSON.parse(fields.data ?? "null") };
}

export type TestExchange = { id: string; publicId: string; scheduleId: string; deadlineMs: number };

/**
 * Writes an exchange as a dispatcher does, for a schedule (its public id) of the account. Throws when no listener takes it.
 */
export async function writeExchange(
  sql: postgres.Sql | postgres.TransactionSql,
  keyRing: KeyRing,
  {
    accountId,
    schedule,
    path = "/hooks/a",
    body = Buffer.alloc(0),
    headers = [],
    deadlineMs = Date.now() + 30_000,
  }: {
    accountId: string;
    /** UUID. */
    schedule: string;
    path?: string;
    body?: Buffer;
    headers?: [string, string][];
    deadlineMs?: number;
  },
): Promise<TestExchange> {
  const id = newId(Date.now());
  const [row] = await sql`SELECT target_url FROM schedule_requests WHERE schedule_id = ${schedule}`;
  const request = { method: "POST", path, headers, body };
  const isWritten = await insertExchange(sql as never, {
    id,
    accountId,
    scheduleId: schedule,
    attempt: 1,
    deadlineMs,
    isReserved: row?.target_url.startsWith(LISTEN_ORIGIN),
    path: path.split("?")[0] ?? path,
    request: sealExchangeRequest(keyRing, request, { id, scheduleId: schedule, targetUrl: row?.target_url }),
  });
  if (!isWritten) throw new Error("no listener takes the exchange");
  return { id, publicId: encodeId("exc", id), scheduleId: encodeId("sch", schedule), deadlineMs };
}
