import type { Config } from "#config.ts";
import { auditDeliveries, lastingDrift } from "./delivery/audit.ts";
import { startLoops } from "./lifecycle.ts";
import { memoryOf } from "./memory.ts";
import type { Figures } from "./observability/figures.ts";
import { createReadiness } from "./readiness.ts";
import { onTheWire, shutDown, unsentOf } from "./shutdown.ts";
import { type DispatcherOptions, type Parts, wire } from "./wiring.ts";

export type Dispatcher = Awaited<ReturnType<typeof startDispatcher>>;

/**
 * Starts a dispatcher. Resolves when it owns its first shards, or when it has found a hold. While the database is away it
 * waits.
 */
export async function startDispatcher(config: Config, options: DispatcherOptions) {
  const parts = wire(config, options);
  const lifecycle = await startLoops(parts, config.databaseDirectUrl);
  const figures = () => figuresOf(parts);
  parts.metrics.watch(figures, memoryOf(parts, config));
  let stopped: Promise<void> | undefined;
  return {
    id: parts.id,
    /** What it holds at the moment, for `/healthz`. */
    figures,
    /** Why it claims nothing, as a sentence; null when there is no hold. */
    held: () => parts.heartbeats.held(),
    /** Whether it can deliver, and otherwise why not, for `/readyz`. */
    ready: createReadiness({
      database: parts.databases.probe,
      held: () => parts.heartbeats.held(),
      ownFault: () => parts.ownFaults.current(),
      monotonic: parts.clock.monotonic,
    }),
    /** Recounts what the deliveries hold. Returns one line for each counter that differs, none when all are right. */
    auditDeliveries: () => lastingDrift(() => auditDeliveries(parts.deliveries, parts)),
    /**
     * Stops it: sends or puts back what is claimed, hands the shards over, and resolves when every request on the wire
     * is recorded.
     */
    stop: (): Promise<void> => (stopped ??= shutDown(parts, lifecycle)),
  };
}

function figuresOf(parts: Parts): Figures {
  const { deliveries, recorder, rates, pool, shards, heartbeats, ownFaults, clock } = parts;
  return {
    planned: deliveries.size,
    waiting: deliveries.count("awaiting slot"),
    unsent: unsentOf(parts),
    underWay: onTheWire(parts),
    unrecorded: recorder.pending(),
    lanes: rates.size,
    connections: pool.size,
    owned: shards.leased().length,
    held: heartbeats.held() === null ? 0 : 1,
    ownFault: ownFaults.current() === null ? 0 : 1,
    skewMs: clock.skewMs(),
  };
}
