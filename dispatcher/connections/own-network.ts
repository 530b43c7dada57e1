import { randomBytes } from "node:crypto";
import { createSocket } from "node:dgram";
import { promises as dns } from "node:dns";
import net from "node:net";
import { isPublicAddress } from "#domain/address-policy.ts";
import { cacheFor } from "#domain/cache-for.ts";
import type { LocalFailure } from "../delivery/connection.ts";
import { isResourceCode } from "../runtime/resource-codes.ts";
import type { TryFailure } from "./address-race.ts";
import * as codes from "./own-fault-codes.ts";
import { OwnFaults } from "./own-faults.ts";
import { Streaks } from "./streaks.ts";

type Family = 4 | 6;

const NEVER = Number.NEGATIVE_INFINITY;
const NETWORKS = { 4: "IPv4 network", 6: "IPv6 network" } as const;
/** Name servers are asked once in this time at most, ms. Guards a machine that cannot connect. */
const ASKED_EVERY_MS = 1_000;
/** Root name servers, to which there is a route wherever there is one to the internet. Nothing is sent to them. */
const FAR = { 4: "198.41.0.4", 6: "2001:503:ba3e::2:30" };

/** A failure of this machine: how long the origin or name has failed by now, ms, and among how many. */
export type OwnFailure = Pick<LocalFailure, "forMs" | "among">;

/** Since when something has failed, monotonic ms, and among how many. */
type Streak = { sinceMs: number; among: number };

/**
 * Decides whether a connection failed because this machine lacks its network, its name servers or sockets, and not
 * because of the target. It goes by what the failure says, by what else was reached or answered since it began, and by
 * what the machine says of its routes and name servers.
 */
export class OwnNetwork {
  readonly #monotonic: () => number;
  readonly #probes: NetworkProbes;
  readonly #askNameServers: () => Promise<string | null>;
  readonly #faults: OwnFaults;
  /** Origins that cannot be connected to, and names that cannot be resolved. */
  readonly #unreached = new Streaks();
  readonly #unknown = new Streaks();
  /** When an address of a family was last connected to, monotonic ms, by how far away it is at least. */
  readonly #reachedAtMs = { 4: [NEVER, NEVER, NEVER], 6: [NEVER, NEVER, NEVER] };
  /** When the name servers last answered for a name, monotonic ms. */
  #answeredAtMs = NEVER;

  constructor(deps: { monotonic: () => number; faults?: OwnFaults; probes?: NetworkProbes }) {
    this.#monotonic = deps.monotonic;
    this.#faults = deps.faults ?? new OwnFaults({ monotonic: deps.monotonic });
    this.#probes = deps.probes ?? networkProbes;
    this.#askNameServers = cacheFor(ASKED_EVERY_MS, this.#probes.askNameServers, deps.monotonic);
  }

  /** `origin` was connected to at `address`. */
  reached(origin: string, address: string): void {
    const [family, farness] = [familyOf(address), farnessOf(address)];
    this.#reachedAtMs[family].fill(this.#monotonic(), 0, farness + 1);
    this.#unreached.end(origin);
    this.#faults.end(NETWORKS[family], farness);
  }

  /**
   * Something was learnt of `hostname`. `byNameServers` is false where it may be from a file: that proves nothing, unless the
   * name was not known before.
   */
  answered(hostname: string, byNameServers: boolean): void {
    const wasUnknown = this.#unknown.end(hostname);
    if (byNameServers) this.#answeredAtMs = this.#monotonic();
    if (byNameServers || wasUnknown) this.#faults.end("name servers");
  }

  /** Judges why `origin` could not be connected to since `startedAtMs`. Returns null when it is because of the target. */
  async judgeTries(origin: string, failures: readonly TryFailure[], startedAtMs: number): Promise<OwnFailure | null> {
    const tries = await Promise.all(
      failures.map(async ({ address, error }) => {
        const meaning = await codes.meaningOf(error, () => this.#probes.hasRoute(address));
        return { address, meaning, code: codes.codeOf(error) };
      }),
    );
    if (tries.some(({ meaning }) => meaning === "answer")) return null;
    const short = tries.find(({ meaning }) => meaning === "resources");
    if (short) return this.#ours("resources", short.code, this.#note(this.#unreached, origin, startedAtMs));
    for (const family of [4, 6] as const) {
      const [first, ...others] = tries.filter(({ address }) => familyOf(address) === family);
      if (first?.meaning !== "network" || others.some(({ meaning }) => meaning !== "network")) continue;
      if (await this.#isMissing(family, first.address)) continue;
      const farness = farnessOf(first.address);
      const streak = this.#note(this.#unreached, origin, startedAtMs);
      if ((this.#reachedAtMs[family][farness] as number) > streak.sinceMs) continue;
      return this.#ours(NETWORKS[family], first.code, streak, farness);
    }
    return null;
  }

  /** Judges why `hostname` could not be resolved since `startedAtMs`. Returns null when it is because of the name. */
  async judgeName(hostname: string, error: Error & { code?: string }, startedAtMs: number): Promise<OwnFailure | null> {
    const isShort = isResourceCode(error.code);
    if (!isShort && !codes.isUnanswered(error)) return null;
    const streak = this.#note(this.#unknown, hostname, startedAtMs);
    if (isShort) return this.#ours("resources", codes.codeOf(error), streak);
    const isAway = await this.#areNameServersAway(hostname, error, streak.sinceMs);
    return isAway ? this.#ours("name servers", codes.codeOf(error), streak) : null;
  }

  /**
   * Whether this machine has the other family of addresses alone: this one was never connected to since the process
   * began, and the other one was, or is the only one with a route. Then a target of this family is out of its reach.
   */
  async #isMissing(family: Family, address: string): Promise<boolean> {
    const other = family === 4 ? 6 : 4;
    const wasReached = (one: Family) => this.#reachedAtMs[one][1] !== NEVER;
    if (wasReached(family)) return false;
    if (wasReached(other)) return true;
    return !(await this.#probes.hasRoute(address)) && (await this.#probes.hasRoute(FAR[other]));
  }

  async #areNameServersAway(hostname: string, error: Error & { code?: string }, sinceMs: number): Promise<boolean> {
    if (this.#answeredAtMs > sinceMs) return false;
    // There was none to ask.
    if (error.code === "ECONNREFUSED") return true;
    // The system may ask others than the name servers for the names that the operator allows, so they are asked, too.
    const hasOther = this.#unknown.hasOther(hostname, this.#answeredAtMs, this.#monotonic());
    if (error.code === "EAI_AGAIN" && hasOther) return true;
    const code = await this.#askNameServers();
    return code !== null && codes.areAway(code, error) && this.#answeredAtMs <= sinceMs;
  }

  #note(streaks: Streaks, key: string, startedAtMs: number): Streak {
    return { sinceMs: streaks.note(key, startedAtMs, this.#monotonic()), among: streaks.size };
  }

  #ours(fault: codes.OwnFault, code: string, { sinceMs, among }: Streak, farness = 0): OwnFailure {
    this.#faults.note(fault, code, farness);
    return { forMs: this.#monotonic() - sinceMs, among };
  }
}

const familyOf = (address: string): Family => (net.isIPv6(address) ? 6 : 4);

/** How far away an address is: 0 on this machine, 1 in a private network, 2 in the internet. */
function farnessOf(address: string): 0 | 1 | 2 {
  if (isPublicAddress(address)) return 2;
  return /^(127\.|::1$)/.test(address) ? 0 : 1;
}

/** Ways to ask this machine about its network. */
type NetworkProbes = {
  /** Whether this machine knows a way to `address`. */
  hasRoute: (address: string) => Promise<boolean>;
  /** Asks the name servers for a name that nobody has. Returns the code of their failure, null when they answer. */
  askNameServers: () => Promise<string | null>;
};

/** Fixed by RFC 863. */
const DISCARD_PORT = 9;
/** How long a name server may take, ms, and the number of tries; c-ares doubles the time with each. Guards against silent ones. */
const TIMEOUT_MS = 1_000;
const TRIES = 2;

const networkProbes: NetworkProbes = { hasRoute, askNameServers };

/** Connects a UDP socket, for which the system looks for a route and sends nothing. */
function hasRoute(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket(net.isIPv6(address) ? "udp6" : "udp4");
    const end = (error?: NodeJS.ErrnoException | null) => {
      socket.removeAllListeners().on("error", () => {});
      socket.close();
      resolve(!error || isResourceCode(error.code));
    };
    socket.once("error", end);
    // Typed without its error, which it has when there is no route.
    socket.connect(DISCARD_PORT, address, end as () => void);
  });
}

async function askNameServers(): Promise<string | null> {
  const resolver = new dns.Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  try {
    // A name that no cache can answer for name servers behind it.
    await resolver.resolve4(`${randomBytes(10).toString("hex")}.com`);
    return null;
  } catch (error) {
    return codes.isAnswered(error as Error) ? null : ((error as NodeJS.ErrnoException).code ?? "");
  }
}
