import type { Dispatcher } from "undici";
import { scheduleAad, secretAad } from "#domain/associated-data.ts";
import { type KeyRing, open as openSealed } from "#domain/cipher.ts";
import { encodeId } from "#domain/ids.ts";
import { formatInstant } from "#domain/instant.ts";
import { unpackRequest } from "#domain/sealed-request.ts";
import type { DeliveryOutcome } from "#domain/settle-attempt.ts";
import { loadSigningSecret, type SigningKeys, signRequest } from "#domain/signing.ts";
import { ATTEMPT_DEADLINE_MS } from "#domain/timing.ts";
import type { Won } from "./claim.ts";
import type { Connection } from "./connection.ts";
import type { Connections } from "./connections.ts";
import { createMinHeap } from "./min-heap.ts";
import { leavesBefore } from "./planned.ts";
import { brokeOff, DeadlinePassed, failed, retryOnAnother, STATUS_LINE_BYTES, statusOf } from "./send-failure.ts";

/** How an attempt ended, for the record. Times by the database's clock, ms. */
export type Ended = {
  won: Won;
  outcome: DeliveryOutcome;
  /** First byte handed to a connected socket; null when none was. */
  attemptedAtMs: number | null;
  finishedAtMs: number;
  /** Start of the response's body, of a rejected attempt. */
  body: string;
  connectMs: number | null;
  firstByteMs: number | null;
};

type Prepared = {
  won: Won;
  headers: string[];
  body: Buffer | null;
  method: Dispatcher.HttpMethod;
  path: string;
  /** The first of those that were begun together: what comes after it waits for it. */
  isFirst: boolean;
};

type UnderWay = { abort: (error: Error) => void; deadlineMs: number; wasLate: boolean; ended: boolean };

const BODY_READ_MAX = 64 * 1024;
/** Enough bytes for the 1,024 characters that are kept and for recognising what they repeat. */
const BODY_KEPT_MAX = 8 * 1024;
const LATE_MAX_MS = 2_000;
/** Deadlines are looked at ten times a second: a gap of more than this means that the loop had no time. */
const BUSY_MS = 150;
/** A request is begun at most this long before its instant, and then held until it comes, ms. */
const LEAD_MAX_MS = 0.5;
/** Two in three requests are to reach their write after their instant, so that hardly any has to be held for long. */
const LEAD_LESS_MS = 0.004;
const LEAD_MORE_MS = 0.002;
const TURN_BYTES_MAX = 1024 * 1024;
const SECRETS_MAX = 4_096;

/**
 * Sends claimed requests. Decryption and signing are done when a claim is won; at the instant only the write remains.
 * undici calls `onRequestStart` on a connected socket just before it writes the header block, in the same turn: there the
 * last checks are made, and that moment is `attempted_at`. If it was not reached, no byte left.
 */
export function createSender(deps: {
  keyRing: KeyRing;
  userAgent: string;
  connections: Connections;
  holdsShard: (shard: number) => boolean;
  /** Now by the database's clock, ms. */
  now: () => number;
  monotonic: () => number;
  /** The first byte of a request left. */
  onSent: (won: Won) => void;
  onEnded: (ended: Ended) => void;
  /** Claims were prepared; `runOnce` is to be called at each of these instants. */
  onPrepared: (instants: number[]) => void;
  /** A claim that sent nothing for a reason of our own. */
  onUnsent: (won: Won) => void;
}) {
  const due = createMinHeap<Prepared>((a, b) => leavesBefore(a.won.planned, b.won.planned));
  const underWay = new Set<UnderWay>();
  const secrets = new Map<string, SigningKeys>();
  let toPrepare: Won[] = [];
  let preparing = false;
  let lookedAtMs = 0;
  /** What passes between waking for an instant and the write, as it was lately: begun so long before it, ms. */
  let leadMs = 0;

  const signingKeys = (won: Won, sealed: string): SigningKeys => {
    let keys = secrets.get(sealed);
    if (!keys) {
      const aad = secretAad(won.claimed.accountId, won.claimed.env);
      keys = loadSigningSecret(openSealed(deps.keyRing, Buffer.from(sealed, "base64"), aad).toString());
      if (secrets.size >= SECRETS_MAX) secrets.delete(secrets.keys().next().value as string);
      secrets.set(sealed, keys);
    }
    return keys;
  };

  const prepare = (won: Won): Prepared => {
    const { claimed, planned } = won;
    const request = claimed.sealed
      ? unpackRequest(openSealed(deps.keyRing, Buffer.from(claimed.sealed, "base64"), scheduleAad(claimed.id)))
      : { headers: [], payload: null };
    claimed.sealed = null;
    const body = request.payload && request.payload.length > 0 ? request.payload : null;
    const scheduleId = encodeId("sch", claimed.id);
    const signatures = signRequest({
      keys: [claimed.currentSecret, claimed.formerSecret]
        .filter((one) => one !== null)
        .map((one) => signingKeys(won, one)),
      scheduleId,
      timestampSeconds: Math.floor(Math.max(planned.sendAtMs, deps.now()) / 1000),
      body: body ?? EMPTY,
    });
    const headers = request.headers.flat();
    for (const name in signatures) headers.push(name, signatures[name as keyof typeof signatures]);
    headers.push("X-Service-Schedule-Id", scheduleId);
    headers.push("X-Service-Attempt", String(claimed.attempt));
    headers.push("X-Service-Fire-At", formatInstant(claimed.fireAtMs));
    if (!request.headers.some(([name]) => name.toLowerCase() === "user-agent"))
      headers.push("User-Agent", deps.userAgent);
    const url = new URL(claimed.targetUrl);
    return { won, headers, body, method: claimed.method, path: url.pathname + url.search, isFirst: false };
  };

  const end = (won: Won, outcome: DeliveryOutcome, rest?: Partial<Ended>) =>
    deps.onEnded({
      won,
      outcome,
      attemptedAtMs: null,
      finishedAtMs: deps.now(),
      body: "",
      connectMs: null,
      firstByteMs: null,
      ...rest,
    });

  const prepareSome = () => {
    preparing = false;
    let bytes = 0;
    const instants: number[] = [];
    while (toPrepare.length > 0 && bytes < TURN_BYTES_MAX) {
      const won = toPrepare.shift() as Won;
      bytes += won.planned.bytes;
      try {
        due.push(prepare(won));
        const beginAtMs = won.planned.sendAtMs - leadMs;
        if (beginAtMs !== instants.at(-1)) instants.push(beginAtMs);
      } catch (error) {
        // The schedule's own reason: its attempts are used up and it dies with a clear text.
        deps.connections.leave(won.planned);
        const reason =
          error instanceof Error && error.name === "DecryptionError" ? "cannot be decrypted" : "cannot be read";
        end(won, { kind: "unreachable", error: `the stored request ${reason}` });
      }
    }
    if (toPrepare.length > 0) schedulePreparing();
    deps.onPrepared(instants);
  };
  const schedulePreparing = () => {
    if (preparing) return;
    preparing = true;
    setImmediate(prepareSome);
  };

  const mayLeave = (won: Won): boolean =>
    deps.holdsShard(won.planned.shard) && deps.monotonic() < won.startedAtMs + ATTEMPT_DEADLINE_MS;

  const carry = (prepared: Prepared) => {
    if (!mayLeave(prepared.won)) return deps.onUnsent(prepared.won);
    const { won } = prepared;
    deps.connections.carry({
      planned: won.planned,
      begin: (connection, isFirst) => begin(prepared, connection, isFirst),
      fail: (failure) => {
        deps.connections.leave(won.planned);
        if (failure.kind === "local") deps.onUnsent(won);
        else end(won, { kind: failure.kind, error: failure.error });
      },
      isTooLate: () =>
        deps.now() - Math.max(won.planned.sendAtMs, won.claimed.claimedAtMs) > LATE_MAX_MS ||
        deps.connections.isStalled(won.planned.origin) ||
        !mayLeave(won),
      giveUp: () => deps.onUnsent(won),
    });
  };

  const adaptLead = (instant: number) => {
    leadMs = Math.min(Math.max(leadMs + (deps.now() < instant ? -LEAD_LESS_MS : LEAD_MORE_MS), 0), LEAD_MAX_MS);
  };

  /** Waits, for a part of a millisecond, until `instant` has come; says whether it has. */
  const hold = (instant: number): boolean => {
    let aheadMs = instant - deps.now();
    if (aheadMs > LEAD_MAX_MS) return false;
    while (aheadMs > 0) aheadMs = instant - deps.now();
    return true;
  };

  const begin = (prepared: Prepared, connection: Connection, isFirst: boolean) => {
    const { won } = prepared;
    const connectMs = isFirst ? connection.connectMs : null;
    let attemptedAtMs: number | null = null;
    let sentAt = 0;
    let firstByteMs: number | null = null;
    let statusCode = 0;
    let retryAfter: string | undefined;
    let kept: Buffer[] = [];
    let keptBytes = 0;
    let read = 0;
    let refused = false;
    let keepAlive = true;
    let start = "";
    connection.onBytes = (chunk) => {
      if (start.length < STATUS_LINE_BYTES) start += chunk.toString("latin1", 0, STATUS_LINE_BYTES - start.length);
    };
    const exchange: UnderWay = {
      abort: () => {},
      deadlineMs: won.startedAtMs + ATTEMPT_DEADLINE_MS,
      wasLate: false,
      ended: false,
    };
    underWay.add(exchange);

    const finish = (outcome: DeliveryOutcome) => {
      if (exchange.ended) return;
      exchange.ended = true;
      const body = Buffer.concat(kept).toString("utf8");
      kept = [];
      end(won, outcome, { attemptedAtMs, connectMs, firstByteMs, body });
    };
    const close = (reusable: boolean) => {
      underWay.delete(exchange);
      deps.connections.giveBack(connection, reusable);
      deps.connections.leave(won.planned);
    };
    const answered = (): DeliveryOutcome =>
      statusCode >= 200 && statusCode < 300
        ? { kind: "delivered", statusCode }
        : { kind: "rejected", statusCode, retryAfter };

    connection.client.dispatch(
      {
        path: prepared.path,
        method: prepared.method,
        headers: prepared.headers,
        body: prepared.body,
        idempotent: false,
        blocking: true,
      },
      {
        onRequestStart(controller) {
          exchange.abort = (error) => controller.abort(error);
          if (prepared.isFirst) adaptLead(won.planned.sendAtMs);
          if (!hold(won.planned.sendAtMs) || !mayLeave(won)) {
            refused = true;
            controller.abort(new Error("not allowed to leave now"));
            return;
          }
          sentAt = deps.monotonic();
          attemptedAtMs = deps.now();
          prepared.body = null;
          deps.onSent(won);
        },
        onResponseStarted() {
          firstByteMs ??= deps.monotonic() - sentAt;
        },
        onResponseStart(_controller, code, headers) {
          if (code < 200) return;
          statusCode = code;
          firstByteMs ??= deps.monotonic() - sentAt;
          keepAlive = !/\bclose\b/i.test(String(headers.connection ?? ""));
          retryAfter = headers["retry-after"] === undefined ? undefined : String(headers["retry-after"]);
          deps.connections.answered(connection, deps.monotonic() - sentAt);
          if (code < 300) finish(answered());
        },
        onResponseData(controller, chunk) {
          read += chunk.length;
          if (keptBytes < BODY_KEPT_MAX && !exchange.ended) {
            kept.push(chunk.subarray(0, BODY_KEPT_MAX - keptBytes));
            keptBytes += chunk.length;
            if (keptBytes >= BODY_KEPT_MAX) finish(answered());
          }
          if (read > BODY_READ_MAX) controller.abort(new Error("the response's body is longer than is read"));
        },
        onResponseEnd() {
          finish(answered());
          close(keepAlive);
        },
        onResponseError(_controller, error) {
          if (attemptedAtMs === null) {
            underWay.delete(exchange);
            connection.destroy();
            deps.connections.giveBack(connection, false);
            // Not a byte was written: a reason of our own is a release, a stale connection means another one.
            if (refused || !retryOnAnother(error)) {
              deps.connections.leave(won.planned);
              return refused ? deps.onUnsent(won) : finish(failed(error));
            }
            won.planned.fresh = true;
            return carry(prepared);
          }
          if (statusCode === 0 && brokeOff(error)) statusCode = statusOf(start);
          finish(statusCode > 0 ? answered() : failed(error));
          close(false);
        },
      },
    );
  };

  return {
    /** Prepares what was claimed; it leaves at its instant, at `runOnce`. */
    add(won: Won[]) {
      toPrepare = toPrepare.length === 0 ? won : toPrepare.concat(won);
      schedulePreparing();
    },

    /** Sends everything whose instant has come; returns the next instant, by the database's clock, ms. */
    runOnce(): number {
      let isFirst = true;
      for (;;) {
        const next = due.peek();
        if (!next) return Number.POSITIVE_INFINITY;
        const beginAtMs = next.won.planned.sendAtMs - leadMs;
        if (beginAtMs > deps.now()) return beginAtMs;
        due.pop();
        next.isFirst = isFirst;
        isFirst = false;
        carry(next);
      }
    },

    /** Ends what has run out of time, and gives back what found no connection within two seconds. */
    enforceDeadlines() {
      const now = deps.monotonic();
      for (const exchange of underWay) {
        const lateMs = now - exchange.deadlineMs;
        if (lateMs < 0) continue;
        // After a stop of the process an answer may lie in the socket already: it is read first.
        if (lateMs > 100 && !exchange.wasLate) exchange.wasLate = true;
        else exchange.abort(new DeadlinePassed());
      }
      // After a busy stretch of the loop, too, answers are read before anybody is found to wait in vain.
      const wasBusy = now - lookedAtMs > BUSY_MS;
      lookedAtMs = now;
      if (!wasBusy) deps.connections.giveUp((carried) => carried.isTooLate());
    },

    /** Requests that are claimed and have not left. */
    unsent: () => toPrepare.length + due.size + deps.connections.ready(),
    /** Whether requests are due that have not left. */
    isBehind: () =>
      deps.connections.ready() > 0 || (due.peek()?.won.planned.sendAtMs ?? Number.POSITIVE_INFINITY) <= deps.now(),
    /** Gives back what has not left, whatever its instant. */
    giveUpAll() {
      for (const won of toPrepare) deps.onUnsent(won);
      toPrepare = [];
      for (let next = due.pop(); next; next = due.pop()) deps.onUnsent(next.won);
      deps.connections.giveUp(() => true);
    },
    /** Requests on the wire whose outcome is not known; a body that still drips after it is nobody's concern. */
    underWay() {
      let n = 0;
      for (const exchange of underWay) if (!exchange.ended) n++;
      return n;
    },
  };
}

const EMPTY = Buffer.alloc(0);
