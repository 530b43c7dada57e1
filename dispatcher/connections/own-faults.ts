import { describeOwnFault, type OwnFault } from "./own-fault-codes.ts";

/** A fault is over when nothing has failed by it for this long, ms. Guards a machine that cannot connect. */
const OVER_AFTER_MS = 30_000;
/** A fault that comes and goes is told once in this time, ms. Guards the log. */
const TOLD_EVERY_MS = 60_000;

/** What an operator is told: a fault has begun, or is over. */
export type OwnFaultNews = { fault: OwnFault; code: string; isOver: boolean };

type Standing = { code: string; lastMs: number; farness: number; isTold: boolean };

/** What is wrong with this machine at the moment, as its failures show. Nobody tells when sockets are free again. */
export class OwnFaults {
  readonly #monotonic: () => number;
  readonly #onNews: (news: OwnFaultNews) => void;
  readonly #standing = new Map<OwnFault, Standing>();
  readonly #toldAtMs = new Map<OwnFault, number>();
  /** Called when a fault is proven to be over. */
  onOver = (): void => {};

  constructor(deps: { monotonic: () => number; onNews?: (news: OwnFaultNews) => void }) {
    this.#monotonic = deps.monotonic;
    this.#onNews = deps.onNews ?? (() => {});
  }

  /** Something has failed by `fault`. `farness`: how far away it is, for a network. */
  note(fault: OwnFault, code: string, farness: number): void {
    const nowMs = this.#monotonic();
    const before = this.#current(fault);
    const isTold = before?.isTold || nowMs - (this.#toldAtMs.get(fault) ?? -TOLD_EVERY_MS) >= TOLD_EVERY_MS;
    this.#standing.set(fault, { code, lastMs: nowMs, farness, isTold });
    if (!isTold || before?.isTold) return;
    this.#toldAtMs.set(fault, nowMs);
    this.#onNews({ fault, code, isOver: false });
  }

  /** What proves that `fault` is over was seen, `farness` away. */
  end(fault: OwnFault, farness = 0): void {
    const standing = this.#standing.get(fault);
    if (!standing || farness < standing.farness) return;
    this.#standing.delete(fault);
    this.onOver();
    if (standing.isTold) this.#onNews({ fault, code: standing.code, isOver: true });
  }

  /** What is wrong, a sentence for operators; null when nothing is. */
  current(): string | null {
    for (const fault of this.#standing.keys()) {
      const standing = this.#current(fault);
      if (standing) return describeOwnFault(fault, standing.code);
    }
    return null;
  }

  #current(fault: OwnFault): Standing | undefined {
    const standing = this.#standing.get(fault);
    return standing && this.#monotonic() - standing.lastMs <= OVER_AFTER_MS ? standing : undefined;
  }
}
