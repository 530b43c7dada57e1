import type { EventLoopUtilization } from "node:perf_hooks";

/** How much the process has to do for a request: rendering a page, or answering without a page. */
export type Work = "page" | "light";

/**
 * Decides when the next request that may wait begins, so that such requests leave the event loop idle for as long as they
 * occupy it. A request that may not wait finds the loop idle half of the time, and otherwise waits for one request.
 */
export class LoopShare {
  readonly #utilization: (since?: EventLoopUtilization) => EventLoopUtilization;
  #begun: EventLoopUtilization;
  #work: Work = "light";

  constructor(utilization: (since?: EventLoopUtilization) => EventLoopUtilization) {
    this.#utilization = utilization;
    this.#begun = utilization();
  }

  /**
   * Whether another request may begin: the loop has been idle for as long as it has been busy since the last one began. On
   * a loop that is busy with other work it may begin after a fixed time.
   */
  mayBegin(): boolean {
    const { idle, active } = this.#utilization(this.#begun);
    return idle >= active || idle + active >= WAIT_MS[this.#work];
  }

  begin(work: Work): void {
    this.#begun = this.#utilization();
    this.#work = work;
  }
}

/** Maximum time until the next request begins on a busy loop, ms. A page takes about 8 ms, another answer 1 to 2 ms. */
const WAIT_MS: Record<Work, number> = { page: 50, light: 15 };
