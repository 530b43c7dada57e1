import type net from "node:net";

/** The next address is tried this long after the one before, ms. Fixed by RFC 8305, section 5 (Connection Attempt Delay). */
const NEXT_AFTER_MS = 250;

/** No connection was open by the deadline. */
export class TimedOut extends Error {
  constructor() {
    super("timed out");
  }
}

/** Why there is no connection to one address. */
export type TryFailure = { address: string; error: Error };

/** None of the addresses could be connected to. `failures` are in the order of the addresses. */
export class NoneConnected extends Error {
  readonly failures: readonly TryFailure[];

  constructor(failures: readonly TryFailure[]) {
    super("no address could be connected to");
    this.failures = failures;
  }
}

/** Capacity for the sockets of one opening beyond its first. `begin` counts one, or returns false when there is no capacity. */
export type FurtherSockets = { begin(): boolean; end(): void };

type Deps = { connect: (address: string) => net.Socket; further: FurtherSockets; deadlineMs: number };
type Won = { address: string; socket: net.Socket; roundTripMs: number };
type Try = { address: string; socket: net.Socket; stop: () => void };

/**
 * Connects to one of `addresses`. They are tried side by side: the first at once, each further one a quarter of a second
 * after the one before, or when a try has failed. The first that connects wins, and the others are closed. Where there
 * is no capacity for a further socket, its address waits. Resolves with the address, its socket and one TCP round trip, ms. Rejects
 * with NoneConnected. Source: RFC 8305, section 5.
 */
export function connectToOneOf(addresses: readonly string[], deps: Deps): Promise<Won> {
  return new Promise((resolve, reject) => new Race(addresses, deps, resolve, reject).begin());
}

class Race {
  readonly #addresses: readonly string[];
  readonly #deps: Deps;
  readonly #resolve: (won: Won) => void;
  readonly #reject: (error: NoneConnected) => void;
  /** How many addresses were begun. */
  #begun = 0;
  readonly #open = new Set<Try>();
  readonly #failures = new Map<string, Error>();
  #nextTimer: NodeJS.Timeout | undefined;
  #deadlineTimer: NodeJS.Timeout | undefined;

  constructor(
    addresses: readonly string[],
    deps: Deps,
    resolve: (won: Won) => void,
    reject: (error: NoneConnected) => void,
  ) {
    this.#addresses = addresses;
    this.#deps = deps;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  begin(): void {
    this.#deadlineTimer = setTimeout(() => this.#timeOut(), Math.max(this.#deps.deadlineMs, 1));
    this.#tryNext();
  }

  #tryNext(): void {
    clearTimeout(this.#nextTimer);
    const address = this.#addresses[this.#begun];
    if (address === undefined) return;
    if (this.#open.size === 0 || this.#deps.further.begin()) {
      this.#begun++;
      this.#try(address);
    }
    if (this.#begun < this.#addresses.length) this.#nextTimer = setTimeout(() => this.#tryNext(), NEXT_AFTER_MS);
  }

  #try(address: string): void {
    const startedAtMs = performance.now();
    const socket = this.#deps.connect(address);
    const onConnect = () => this.#won(one, performance.now() - startedAtMs);
    const onError = (error: Error) => this.#failed(one, error);
    const stop = () => socket.off("connect", onConnect).off("error", onError);
    const one: Try = { address, socket, stop };
    this.#open.add(one);
    socket.on("connect", onConnect).on("error", onError);
  }

  #won(one: Try, roundTripMs: number): void {
    one.stop();
    for (const other of this.#open) if (other !== one) this.#close(other);
    this.#end();
    this.#resolve({ address: one.address, socket: one.socket, roundTripMs });
  }

  #failed(one: Try, error: Error): void {
    this.#close(one);
    this.#failures.set(one.address, error);
    this.#tryNext();
    if (this.#open.size === 0) this.#lose();
  }

  #timeOut(): void {
    for (const one of this.#open) {
      this.#close(one);
      this.#failures.set(one.address, new TimedOut());
    }
    this.#lose();
  }

  #lose(): void {
    this.#end();
    const failures = this.#addresses.flatMap((address) => {
      const error = this.#failures.get(address);
      return error ? [{ address, error }] : [];
    });
    this.#reject(new NoneConnected(failures));
  }

  /** Closes the socket of a try. The opening itself counts for one. */
  #close(one: Try): void {
    one.stop();
    one.socket.on("error", () => {}).destroy();
    this.#open.delete(one);
    if (this.#open.size > 0) this.#deps.further.end();
  }

  #end(): void {
    clearTimeout(this.#nextTimer);
    clearTimeout(this.#deadlineTimer);
  }
}
