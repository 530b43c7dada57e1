import type { Dispatcher } from "undici";
import type { OpenResult } from "#dispatcher/connections/dialer.ts";
import type { CarriedAttempt, Connection } from "#dispatcher/delivery/connection.ts";
import { CONNECT_DEADLINE_MS } from "#domain/timing.ts";
import { COMPUTE_MS } from "./computing.ts";
import type { Ledger } from "./ledger.ts";
import type { Actor, World } from "./world.ts";

type Request = { account: string; schedule: string; attempt: number; n: number };

/** How an origin answers. Functions are asked for each connection or request. */
export type Target = {
  /** Until a connection is there, ms; "refused", or "hangs" until its deadline. */
  connectMs: () => number | "refused" | "hangs";
  /** Until its answer, ms; Infinity: none ever. */
  latencyMs: (request: Request) => number;
  /** Null: the connection breaks instead. */
  status: (request: Request) => number | null;
  /** How many connections it holds at most; further ones are refused. */
  connectionsMax?: number;
};

const ROUND_TRIP_MS = 0.4;

/** Counts what is there at once, by key, and the most that ever was. */
class Peaks {
  readonly #now = new Map<string, number>();
  readonly most = new Map<string, number>();

  change(key: string, by: 1 | -1): void {
    const now = (this.#now.get(key) ?? 0) + by;
    this.#now.set(key, now);
    if (now > (this.most.get(key) ?? 0)) this.most.set(key, now);
  }
}

/** The origins that the fleet sends to. An origin that is not named answers 200 in a millisecond. */
export class Targets {
  readonly #world: World;
  readonly #ledger: Ledger;
  readonly #byOrigin = new Map<string, Target>();
  readonly #open = new Map<string, number>();
  /** Connections, of a dispatcher and of it to one origin. Requests on the wire, of an account and of it to one origin. */
  readonly peaks = { all: new Peaks(), toOrigin: new Peaks(), ofAccount: new Peaks(), ofAccountToOrigin: new Peaks() };
  #requests = 0;

  constructor(world: World, ledger: Ledger) {
    this.#world = world;
    this.#ledger = ledger;
  }

  set(origin: string, target: Partial<Target>): void {
    this.#byOrigin.set(origin, { ...FAST, ...target });
  }

  /** Opens a connection for a dispatcher, as its opener does. */
  async open(origin: string, actor: Actor): Promise<OpenResult> {
    const world = this.#world;
    const target = this.#byOrigin.get(origin) ?? FAST;
    const took = target.connectMs();
    const isFull = (this.#open.get(origin) ?? 0) >= (target.connectionsMax ?? Number.POSITIVE_INFINITY);
    if (took === "refused" || isFull) {
      await world.wait(ROUND_TRIP_MS);
      return { kind: "unreachable", error: "connection: ECONNREFUSED" };
    }
    await world.wait(took === "hangs" ? CONNECT_DEADLINE_MS : took);
    if (took === "hangs") return { kind: "unreachable", error: "connection: no answer within 10 s" };
    world.compute(COMPUTE_MS.connect);
    return { kind: "open", connection: this.#connect(origin, target, took, actor) };
  }

  #connect(origin: string, target: Target, connectMs: number, actor: Actor): Connection {
    const world = this.#world;
    const openings = this.#open;
    const { all, toOrigin } = this.peaks;
    const count = (by: 1 | -1) => {
      openings.set(origin, (openings.get(origin) ?? 0) + by);
      all.change(actor.name, by);
      toOrigin.change(`${actor.name} ${origin}`, by);
    };
    count(1);
    let isBroken = false;
    const connection: Connection = {
      client: { dispatch: (_options, handler, attempt) => this.#carry(connection, target, handler, attempt, actor) },
      ...{ origin, connectMs, roundTripMs: ROUND_TRIP_MS, openedAtMs: world.monotonic(), used: false },
      ...{ requestsLeft: Number.POSITIVE_INFINITY, answeredAtMs: Number.NaN, hasUnread: false, reading: undefined },
      ...{ error: undefined, onBroken: undefined, onBytes: undefined },
      get broken() {
        return isBroken;
      },
      destroy() {
        if (isBroken) return;
        isBroken = true;
        count(-1);
        world.after(0, () => connection.onBroken?.(), actor);
      },
    };
    return connection;
  }

  #carry(
    connection: Connection,
    target: Target,
    handler: Dispatcher.DispatchHandler,
    { claim }: CarriedAttempt,
    actor: Actor,
  ): boolean {
    const row = claim?.row;
    if (!row) throw new Error("a request without a claim was sent");
    const { ofAccount, ofAccountToOrigin } = this.peaks;
    const count = (by: 1 | -1) => {
      ofAccount.change(`${actor.name} ${row.accountId}`, by);
      ofAccountToOrigin.change(`${actor.name} ${row.accountId} ${connection.origin}`, by);
    };
    let isOver = false;
    const end = () => {
      isOver = true;
      count(-1);
    };
    const controller: Dispatcher.DispatchController = {
      ...{ aborted: false, paused: false, reason: null, rawHeaders: null, rawTrailers: null },
      pause() {},
      resume() {},
      abort(reason: Error) {
        if (isOver) return;
        end();
        connection.destroy();
        handler.onResponseError?.(controller, reason);
      },
    };
    count(1);
    handler.onRequestStart?.(controller, null);
    if (isOver) return true;
    this.#world.compute(COMPUTE_MS.write);
    const request = { account: row.accountId, schedule: row.id, attempt: row.attempt, n: this.#requests++ };
    const sent = this.#ledger.sent(row, connection.origin, actor);
    const latencyMs = target.latencyMs(request);
    if (!Number.isFinite(latencyMs)) return true;
    const status = target.status(request);
    this.#world.after(
      latencyMs + ROUND_TRIP_MS,
      () => {
        if (isOver) return;
        this.#world.compute(COMPUTE_MS.answer);
        if (status === null) return controller.abort(new Error("ECONNRESET"));
        end();
        sent.answeredAtMs = this.#world.now();
        connection.onBytes?.(Buffer.from(`HTTP/1.1 ${status} OK\r\ncontent-length: 0\r\n\r\n`));
        handler.onResponseStart?.(controller, status, {}, "OK");
        handler.onResponseEnd?.(controller, {});
      },
      actor,
    );
    return true;
  }
}

const FAST: Target = { connectMs: () => 2, latencyMs: () => 1, status: () => 200 };
