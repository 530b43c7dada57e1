import net from "node:net";
import type tls from "node:tls";
import { judgeAddresses } from "#domain/address-policy.ts";
import { type TargetPolicy, type TargetRule, validateTarget } from "#domain/target-url.ts";
import { CONNECT_DEADLINE_MS } from "#domain/timing.ts";
import type { ConnectFailure, Connection } from "../delivery/connection.ts";
import { type FurtherSockets, NoneConnected, TimedOut } from "./address-race.ts";
import { connectionOn } from "./client-socket.ts";
import { targetContext } from "./handshakes.ts";
import { mostTelling } from "./most-telling.ts";
import { openSocket } from "./open-socket.ts";
import { resolveName } from "./resolver.ts";

export type OpenResult = { kind: "open"; connection: Connection } | ConnectFailure;

/** Errors that are caused by this machine and not by the target. */
const LOCAL = new Set(["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM", "EADDRNOTAVAIL"]);
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
  #resolving = 0;
  /** TLS sessions by origin, for resumption. */
  readonly #sessions = new Map<string, Buffer>();
  /** Created once: parsing the root certificates costs more than a handshake. */
  readonly #secureContext: tls.SecureContext;

  constructor(deps: {
    policy: TargetPolicy;
    /** A further certificate authority, PEM. */
    ca?: string;
    monotonic: () => number;
    /** Returns all addresses of a name. `allowed` names are those that the operator has allowed. */
    resolve?: Resolve;
    /** Told of each refused target, by which rule; the account learns neither rule nor address. */
    onRefused?: OnRefused;
  }) {
    this.#policy = deps.policy;
    this.#monotonic = deps.monotonic;
    this.#onRefused = deps.onRefused ?? (() => {});
    this.#resolve = deps.resolve ?? resolveName;
    this.#secureContext = targetContext(deps.ca);
  }

  /** How many names are being resolved. */
  get resolving(): number {
    return this.#resolving;
  }

  /**
   * Opens one connection to `origin`, within the connect deadline. `further` counts the sockets of tries at several
   * addresses. Failures of the target or the network are returned, not thrown.
   */
  async open(origin: string, further = UNCOUNTED): Promise<OpenResult> {
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
      return failure(error, "name resolution");
    }
    if (addresses.length === 0) return { kind: "unreachable", error: "name resolution: no address" };
    const judged = judgeAddresses(addresses, this.#policy, allowed);
    if (judged.refusedBy !== null) {
      this.#onRefused(judged.refusedBy, origin);
      return { kind: "blocked", error: "blocked: the target's address is not allowed" };
    }
    addresses = judged.addresses;
    try {
      const connection = await this.#connect({ origin, hostname, port, addresses, further, startedAtMs });
      return { kind: "open", connection };
    } catch (error) {
      return failure(error instanceof NoneConnected ? mostTelling(error.failures) : error, "connection");
    }
  }

  async #addressesOf(hostname: string, allowed: boolean): Promise<string[]> {
    const abandoned = new AbortController();
    const isUsable = (addresses: string[]) => judgeAddresses(addresses, this.#policy, allowed).refusedBy === null;
    this.#resolving++;
    try {
      return await withTimeout(this.#resolve(hostname, allowed, abandoned.signal, isUsable), CONNECT_DEADLINE_MS);
    } finally {
      this.#resolving--;
      abandoned.abort();
    }
  }

  async #connect(to: {
    origin: string;
    hostname: string;
    port: number;
    addresses: string[];
    further: FurtherSockets;
    startedAtMs: number;
  }): Promise<Connection> {
    const { origin, startedAtMs } = to;
    const { socket, roundTripMs } = await openSocket({
      ...to,
      secureContext: this.#secureContext,
      session: this.#sessions.get(origin),
      deadlineMs: CONNECT_DEADLINE_MS - (this.#monotonic() - startedAtMs),
    });
    socket.on("session", (session: Buffer) => this.#keepSession(origin, session));
    const openedAtMs = this.#monotonic();
    return connectionOn(socket, origin, { connectMs: openedAtMs - startedAtMs, roundTripMs, openedAtMs });
  }

  #keepSession(origin: string, session: Buffer): void {
    this.#sessions.delete(origin);
    this.#sessions.set(origin, session);
    if (this.#sessions.size > SESSIONS_MAX) this.#sessions.delete(this.#sessions.keys().next().value as string);
  }
}

function failure(error: unknown, step: string): OpenResult {
  const { code } = error as { code?: string };
  if (code !== undefined && LOCAL.has(code)) return { kind: "local", error: code };
  // The message of a system error contains the address; its code does not.
  const reason = error instanceof TimedOut ? `timed out after ${CONNECT_DEADLINE_MS / 1000} s` : (code ?? "failed");
  return { kind: "unreachable", error: `${step}: ${reason}` };
}

function withTimeout<T>(work: Promise<T>, deadlineMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new TimedOut()), deadlineMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
