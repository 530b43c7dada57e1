import net from "node:net";
import type tls from "node:tls";
import { judgeAddresses } from "#domain/address-policy.ts";
import { type TargetPolicy, type TargetRule, validateTarget } from "#domain/target-url.ts";
import { CONNECT_DEADLINE_MS } from "#domain/timing.ts";
import { type ConnectFailure, type Connection, RefusedBytes } from "../delivery/connection.ts";
import { ConfirmedLatency } from "../runtime/confirmed-latency.ts";
import { type FurtherSockets, NoneConnected, TimedOut } from "./address-race.ts";
import { connectionOn } from "./client-socket.ts";
import { targetContext } from "./handshakes.ts";
import { mostTelling } from "./most-telling.ts";
import { openSocket } from "./open-socket.ts";
import { isAnswered } from "./own-fault-codes.ts";
import { type OwnFailure, OwnNetwork } from "./own-network.ts";
import { ReadTurns } from "./read-turns.ts";
import { resolveName } from "./resolver.ts";

export type OpenResult = { kind: "open"; connection: Connection } | ConnectFailure;

/** Bounds memory: TLS sessions that are kept for resumption. */
const SESSIONS_MAX = 1_000;

/** `signal` aborts when nobody waits for the answer any more. `isUsable`: whether the addresses of one family are enough. */
type Resolve = (
  hostname: string,
  allowed: boolean,
  signal: AbortSignal,
  isUsable: (addresses: string[]) => boolean,
) => Promise<string[]>;

const UNCOUNTED: FurtherSockets = { begin: () => true, end() {} };

type OnRefused = (rule: TargetRule, origin: string) => void;

/**
 * Opens connections to targets, and to nothing else. It checks the target as at creation and resolves the name once,
 * with a deadline. If one address of a family is not allowed, all of that family are refused. The socket goes to
 * exactly the addresses that are left. It uses no proxy, follows no redirect, and speaks only HTTP/1.1.
 */
export class Dialer {
  readonly #policy: TargetPolicy;
  readonly #monotonic: () => number;
  readonly #resolve: Resolve;
  readonly #onRefused: OnRefused;
  readonly #network: OwnNetwork;
  #resolving = 0;
  /** TLS sessions by origin, for resumption. */
  readonly #sessions = new Map<string, Buffer>();
  /** Created once: parsing the root certificates costs more than a handshake. */
  readonly #secureContext: tls.SecureContext;
  readonly #turns: ReadTurns;
  readonly #confirmedLatency: ConfirmedLatency;

  constructor(deps: {
    policy: TargetPolicy;
    /** A further certificate authority, PEM. */
    ca?: string;
    monotonic: () => number;
    /** Returns all addresses of a name. `allowed` names are those that the operator has allowed. */
    resolve?: Resolve;
    /** Told of each refused target, by which rule; the account learns neither rule nor address. */
    onRefused?: OnRefused;
    /** Judges whether a failure is this machine's own. */
    network?: OwnNetwork;
    /** Notes when bytes are read. */
    confirmedLatency?: ConfirmedLatency;
  }) {
    this.#policy = deps.policy;
    this.#monotonic = deps.monotonic;
    this.#onRefused = deps.onRefused ?? (() => {});
    this.#resolve = deps.resolve ?? resolveName;
    this.#network = deps.network ?? new OwnNetwork({ monotonic: deps.monotonic });
    this.#secureContext = targetContext(deps.ca);
    this.#turns = new ReadTurns(deps.monotonic);
    this.#confirmedLatency = deps.confirmedLatency ?? new ConfirmedLatency(deps.monotonic);
  }

  /** How many names are being resolved. */
  get resolving(): number {
    return this.#resolving;
  }

  /**
   * Opens one connection to `origin`, within the connect deadline. `further` counts the sockets of tries at several
   * addresses. What the target makes this process compute is the account's. Failures of the target or the network are
   * returned, not thrown.
   */
  async open(origin: string, further = UNCOUNTED, accountId = ""): Promise<OpenResult> {
    const startedAtMs = this.#monotonic();
    const target = validateTarget(`${origin}/`, this.#policy);
    if (!target.ok) {
      this.#onRefused(target.rule, origin);
      return { kind: "blocked", error: "blocked: the target is not allowed" };
    }
    const { hostname, port, allowed } = target;
    const isAddress = net.isIP(hostname) !== 0;
    let addresses = [hostname];
    try {
      if (!isAddress) addresses = await this.#addressesOf(hostname, allowed);
    } catch (error) {
      const own = await this.#network.judgeName(hostname, error as Error, startedAtMs);
      return failure(error as Error, "name resolution", own);
    }
    if (addresses.length === 0) return { kind: "unreachable", error: "name resolution: no address" };
    const judged = judgeAddresses(addresses, this.#policy, allowed);
    if (judged.refusedBy !== null) {
      this.#onRefused(judged.refusedBy, origin);
      return { kind: "blocked", error: "blocked: the target's address is not allowed" };
    }
    addresses = judged.addresses;
    try {
      const connection = await this.#connect({ origin, accountId, hostname, port, addresses, further, startedAtMs });
      return { kind: "open", connection };
    } catch (error) {
      if (!(error instanceof NoneConnected)) return failure(error as Error, "connection", null);
      const own = await this.#network.judgeTries(origin, error.failures, startedAtMs);
      return failure(mostTelling(error.failures), "connection", own);
    }
  }

  async #addressesOf(hostname: string, allowed: boolean): Promise<string[]> {
    const abandoned = new AbortController();
    const isUsable = (addresses: string[]) => judgeAddresses(addresses, this.#policy, allowed).refusedBy === null;
    this.#resolving++;
    try {
      const resolved = this.#resolve(hostname, allowed, abandoned.signal, isUsable);
      const addresses = await withTimeout(resolved, CONNECT_DEADLINE_MS);
      this.#network.answered(hostname, !allowed);
      return addresses;
    } catch (error) {
      if (isAnswered(error as Error)) this.#network.answered(hostname, !allowed);
      throw error;
    } finally {
      this.#resolving--;
      abandoned.abort();
    }
  }

  async #connect(to: {
    origin: string;
    accountId: string;
    hostname: string;
    port: number;
    addresses: string[];
    further: FurtherSockets;
    startedAtMs: number;
  }): Promise<Connection> {
    const { origin, startedAtMs } = to;
    const { socket, roundTripMs, inlet } = await openSocket({
      ...to,
      secureContext: this.#secureContext,
      turns: this.#turns,
      confirmedLatency: this.#confirmedLatency,
      session: this.#sessions.get(origin),
      onConnected: (address) => this.#network.reached(origin, address),
      deadlineMs: CONNECT_DEADLINE_MS - (this.#monotonic() - startedAtMs),
    });
    socket.on("session", (session: Buffer) => this.#keepSession(origin, session));
    const openedAtMs = this.#monotonic();
    return connectionOn(socket, origin, { connectMs: openedAtMs - startedAtMs, roundTripMs, openedAtMs }, inlet);
  }

  #keepSession(origin: string, session: Buffer): void {
    this.#sessions.delete(origin);
    this.#sessions.set(origin, session);
    if (this.#sessions.size > SESSIONS_MAX) this.#sessions.delete(this.#sessions.keys().next().value as string);
  }
}

/** `own` is set when the failure is this machine's own. */
function failure(error: Error & { code?: string }, step: string, own: OwnFailure | null): ConnectFailure {
  // The message of a system error contains the address; its code does not.
  const timedOut = `timed out after ${CONNECT_DEADLINE_MS / 1000} s`;
  if (error instanceof RefusedBytes) return { kind: "unreachable", error: `${step}: ${error.message}` };
  const text = `${step}: ${error instanceof TimedOut ? timedOut : (error.code ?? "failed")}`;
  return own ? { kind: "local", error: text, ...own } : { kind: "unreachable", error: text };
}

function withTimeout<T>(work: Promise<T>, deadlineMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new TimedOut()), deadlineMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
