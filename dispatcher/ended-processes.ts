import type { Database } from "#db/client.ts";
import { readProcesses, storeEnded } from "#db/queries/fleet/ended-processes.ts";
import { hasEnded, placeOfProcesses } from "./runtime/process-name.ts";

const DEADLINE_MS = 2_000;

type Deps = { database: Database; log: { info(what: object, message: string): void } };

/**
 * Looks for dispatchers of this machine whose processes have ended without a stop, as after a crash. That they send nothing
 * any more is then certain, so nobody has to wait for their leases.
 */
export class EndedProcesses {
  readonly #deps: Deps;
  readonly #place = placeOfProcesses();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Looks once. Returns how many it found. */
  async runOnce(): Promise<number> {
    const { database, log } = this.#deps;
    const place = this.#place;
    if (place === null) return 0;
    const known = await database.run(DEADLINE_MS, ({ sql }) => readProcesses(sql, place));
    const ended = known.filter(({ process }) => hasEnded(process)).map(({ id }) => id);
    if (ended.length === 0) return 0;
    await database.run(DEADLINE_MS, ({ sql }) => storeEnded(sql, ended));
    log.info({ dispatchers: ended }, "the processes of dispatchers have ended without a stop");
    return ended.length;
  }
}
