import type { Config } from "#config.ts";
import type { MemoryUse } from "./observability/metrics.ts";
import { ANSWER_BYTES_MAX } from "./recording/recorder.ts";
import { INTERRUPTED_MAX } from "./recording/recovery.ts";
import { OVERFLOW_MAX } from "./runtime/ticker.ts";
import { SECRETS_MAX } from "./sending/preparer.ts";
import type { Parts } from "./wiring.ts";

/**
 * What a dispatcher keeps that could grow, each with its bound, for `/metrics`. docs/memory.md says how each bound is
 * held, and what else there is.
 */
export function memoryOf(parts: Parts, config: Pick<Config, "connectionsMax">): MemoryUse[] {
  const { exchanges, preparer, recorder, alarm } = parts;
  return [
    { kind: "exchanges", used: () => exchanges.count(), bound: config.connectionsMax },
    { kind: "signing_secrets", used: () => preparer.secrets(), bound: SECRETS_MAX },
    { kind: "answer_bytes", used: () => recorder.answerBytes(), bound: ANSWER_BYTES_MAX },
    { kind: "interrupted_attempts", used: () => recorder.interrupted(), bound: INTERRUPTED_MAX },
    { kind: "instants", used: () => alarm.instants(), bound: OVERFLOW_MAX },
  ];
}
