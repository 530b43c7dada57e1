import { secretAad } from "#domain/associated-data.ts";
import { type KeyRing, open as openSealed } from "#domain/cipher.ts";
import { encodeId } from "#domain/ids.ts";
import { formatInstant } from "#domain/instant.ts";
import { openRequest, unpackRequest } from "#domain/sealed-request.ts";
import { loadSigningSecret, type SigningKeys, signRequest } from "#domain/signing.ts";
import type { Deliveries } from "../delivery/deliveries.ts";
import { claimOf, type Delivery, type PreparedRequest } from "../delivery/delivery.ts";
import type { Time } from "../runtime/clock.ts";
import type { Alarm } from "../runtime/due-work.ts";
import { Fifo } from "../runtime/fifo.ts";
import { SENDING } from "../tuning/sending.ts";

/** Bounds memory: signing secrets. Beyond this the one that was loaded first is dropped. */
export const SECRETS_MAX = 4_096;
const EMPTY = Buffer.alloc(0);

type Deps = { deliveries: Deliveries; keyRing: KeyRing; userAgent: string; clock: Time; alarm: Alarm };

/**
 * Decrypts and signs claimed requests ahead of their instants, so that only the write remains. When a stored request
 * cannot be read, the attempt ends with an error text.
 */
export class Preparer {
  readonly #deps: Deps;
  readonly #waiting = new Fifo<Delivery>();
  /** Signing keys by the sealed form of their secret. */
  readonly #signingKeys = new Map<string, SigningKeys>();
  #isScheduled = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  add(delivery: Delivery): void {
    this.#waiting.push(delivery);
    this.#schedule();
  }

  /** Removes and returns every delivery that is not prepared yet. */
  takeAll(): Delivery[] {
    return this.#waiting.take(() => true);
  }

  /** How many deliveries wait here. */
  count(): number {
    return this.#waiting.length;
  }

  /** How many signing secrets are in memory. */
  secrets(): number {
    return this.#signingKeys.size;
  }

  /**
   * Prepares in the same phase of the event loop, once all deliveries of a statement are here, so that due ones are
   * written in the check phase that follows, not in the next but one. Prepares only a few of those that leave later per
   * turn.
   */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(this.#prepareSome);
  }

  readonly #prepareSome = (): void => {
    this.#isScheduled = false;
    const soonMs = this.#deps.clock.now() + SENDING.earlyMs;
    let bytes = 0;
    let early = 0;
    for (let next = this.#waiting.peek(); next && bytes < SENDING.turnBytesMax; next = this.#waiting.peek()) {
      if (next.leaveAtMs > soonMs && ++early > SENDING.turnEarlyMax) break;
      this.#waiting.shift();
      bytes += next.bytes;
      this.#prepare(next);
    }
    if (this.#waiting.length > 0) {
      this.#isScheduled = true;
      setImmediate(this.#prepareSome);
    }
    this.#deps.alarm.run();
  };

  #prepare(delivery: Delivery): void {
    const { deliveries } = this.#deps;
    try {
      delivery.request = this.#requestOf(delivery);
    } catch (error) {
      const isSealed = error instanceof Error && error.name === "DecryptionError";
      const text = `the stored request cannot be ${isSealed ? "decrypted" : "read"}`;
      deliveries.end(delivery, { kind: "unreachable", error: text });
      return;
    }
    deliveries.move(delivery, "prepared");
  }

  #requestOf(delivery: Delivery): PreparedRequest {
    const { row } = claimOf(delivery);
    const url = new URL(row.targetUrl);
    // The connection was opened for the origin in the schedule's row, the request names the target. They differ only if
    // somebody has edited the database.
    if (url.origin !== delivery.targetOrigin) throw new Error("the target is not of the origin that was connected to");
    const stored = row.sealed
      ? unpackRequest(openRequest(this.#deps.keyRing, Buffer.from(row.sealed, "base64"), row))
      : { headers: [], payload: null };
    // Free the ciphertext now, not when the outcome is recorded.
    row.sealed = null;
    const body = stored.payload && stored.payload.length > 0 ? stored.payload : null;
    const headers = stored.headers.flat().concat(this.#ownHeaders(delivery, body));
    if (!stored.headers.some(([name]) => name.toLowerCase() === "user-agent"))
      headers.push("User-Agent", this.#deps.userAgent);
    // Not pathname and search, which leave out a question mark at the end.
    const path = url.href.slice(url.origin.length);
    return { method: row.method, path, headers, body };
  }

  /** The signatures and the `X-Service-` headers of the attempt. */
  #ownHeaders(delivery: Delivery, body: Buffer | null): string[] {
    const { row } = claimOf(delivery);
    const scheduleId = encodeId("sch", row.id);
    const signatures = signRequest({
      keys: [row.currentSecret, row.formerSecret]
        .filter((secret) => secret !== null)
        .map((secret) => this.#keysOf(delivery, secret)),
      scheduleId,
      timestampSeconds: Math.floor(Math.max(delivery.sendAtMs, this.#deps.clock.now()) / 1000),
      body: body ?? EMPTY,
    });
    const headers: string[] = [];
    for (const name in signatures) headers.push(name, signatures[name as keyof typeof signatures]);
    headers.push("X-Service-Schedule-Id", scheduleId);
    headers.push("X-Service-Attempt", String(row.attempt));
    headers.push("X-Service-Fire-At", formatInstant(row.fireAtMs));
    return headers;
  }

  #keysOf(delivery: Delivery, sealed: string): SigningKeys {
    let keys = this.#signingKeys.get(sealed);
    if (!keys) {
      const { accountId, env } = claimOf(delivery).row;
      const secret = openSealed(this.#deps.keyRing, Buffer.from(sealed, "base64"), secretAad(accountId, env));
      keys = loadSigningSecret(secret.toString());
      if (this.#signingKeys.size >= SECRETS_MAX)
        this.#signingKeys.delete(this.#signingKeys.keys().next().value as string);
      this.#signingKeys.set(sealed, keys);
    }
    return keys;
  }
}
