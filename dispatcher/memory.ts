import type { Config } from "#config.ts";
import { CLAIMED_BYTES_MAX } from "./claiming/claimer.ts";
import { EXPIRED_MAX } from "./claiming/expiries.ts";
import { IDS_TO_READ_MAX } from "./intake/announcements.ts";
import { LANES_MAX } from "./intake/lanes.ts";
import type { MemoryUse } from "./observability/metrics.ts";
import { ANSWER_BYTES_MAX } from "./recording/recorder.ts";
import { INTERRUPTED_MAX } from "./recording/recovery.ts";
import { OVERFLOW_MAX } from "./runtime/ticker.ts";
import { SECRETS_MAX } from "./sending/preparer.ts";
import { INTAKE } from "./tuning/intake.ts";
import type { Parts } from "./wiring.ts";

/**
 * Everything in a dispatcher's memory that can grow and has its own bound, for `/metrics`. dispatcher/memory.md tells how
 * each bound is enforced, and lists the rest.
 */
export function memoryOf(parts: Parts, config: Pick<Config, "connectionsMax">): MemoryUse[] {
  const { exchanges, preparer, recorder, alarm, deliveries, lanes, idsToRead, expiries, pool, origins } = parts;
  return [
    { kind: "connections", used: () => pool.figures().open + pool.figures().opening, bound: pool.figures().max },
    { kind: "name_lookups", used: () => pool.figures().resolving, bound: pool.figures().resolvingMax },
    { kind: "idle_origins", used: () => origins.figures().remembered, bound: origins.figures().rememberedMax },
    { kind: "deliveries", used: () => deliveries.size, bound: INTAKE.memoryMax },
    { kind: "lanes", used: () => lanes.size, bound: LANES_MAX },
    { kind: "wanted_schedules", used: () => idsToRead.size, bound: IDS_TO_READ_MAX + INTAKE.memoryMax },
    { kind: "expired_schedules", used: () => expiries.count(), bound: EXPIRED_MAX },
    { kind: "claimed_bytes", used: () => deliveries.holdings.claimedBytes, bound: CLAIMED_BYTES_MAX },
    { kind: "exchanges", used: () => exchanges.count(), bound: config.connectionsMax },
    { kind: "signing_secrets", used: () => preparer.secrets(), bound: SECRETS_MAX },
    { kind: "answer_bytes", used: () => recorder.answerBytes(), bound: ANSWER_BYTES_MAX },
    { kind: "interrupted_attempts", used: () => recorder.interrupted(), bound: INTERRUPTED_MAX },
    { kind: "instants", used: () => alarm.instants(), bound: OVERFLOW_MAX },
  ];
}
