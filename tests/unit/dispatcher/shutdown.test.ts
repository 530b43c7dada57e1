import { expect, it, vi } from "vitest";
import type { Lifecycle } from "#dispatcher/lifecycle.ts";
import { shutDown } from "#dispatcher/shutdown.ts";
import type { Parts } from "#dispatcher/wiring.ts";

/** A dispatcher that notes what is called, with `pending` outcomes to be recorded. */
function harness(pending: () => number = () => 0) {
  const calls: string[] = [];
  const noting = (name: string) => ({
    stop: () => void calls.push(`stop ${name}`),
    close: async () => void calls.push(`close ${name}`),
  });
  const named = (...names: string[]) => Object.fromEntries(names.map((name) => [name, noting(name)]));
  const parts = {
    ...named("intake", "dueQueue", "rates", "claimer", "operations", "recurrences"),
    ...named("pool", "alarm", "billingUpkeep", "databases"),
    shards: { ...noting("shards"), handOver: async () => void calls.push("hand over") },
    noticeSender: { ...noting("noticeSender"), isSending: () => false },
    recorder: { ...noting("recorder"), pending },
    preparer: { takeAll: () => [] },
    sendQueue: { releaseAll: () => void calls.push("put back") },
    releases: { count: () => 0 },
    deliveries: { count: () => 0 },
    clock: { monotonic: () => performance.now() },
    outageLog: { report: (error: unknown) => void calls.push(`${error}`) },
  };
  const lifecycle = {
    stopReading: () => void calls.push("stop reading"),
    stop: () => void calls.push("stop loops"),
    notifications: noting("notifications"),
  };
  return { calls, parts, stop: () => shutDown(parts as unknown as Parts, lifecycle as unknown as Lifecycle) };
}

it("a stop takes on nothing more, puts back, hands over, and closes the databases last", async () => {
  const { calls, stop } = harness();
  await stop();
  expect(calls).toEqual([
    "stop reading",
    ...["intake", "dueQueue", "rates", "shards", "claimer", "noticeSender", "operations", "recurrences"].map(
      (name) => `stop ${name}`,
    ),
    "put back",
    "hand over",
    "stop loops",
    ...["recorder", "pool", "alarm", "billingUpkeep", "notifications"].map((name) => `close ${name}`),
    "close databases",
  ]);
});

it("closes nothing before every outcome is recorded", async () => {
  let pending = 1;
  const { calls, stop } = harness(() => pending);
  const stopping = stop();
  await vi.waitFor(() => expect(calls).toContain("hand over"));
  expect(calls.at(-1)).toBe("hand over");
  pending = 0;
  await stopping;
  expect(calls.at(-1)).toBe("close databases");
});

it("hands over and closes, whatever fails on the way", async () => {
  const { calls, parts, stop } = harness();
  parts.shards.handOver = () => Promise.reject(new Error("away"));
  parts.recorder.close = () => Promise.reject(new Error("gone"));
  await stop();
  expect(calls).toContain("Error: away");
  expect(calls.at(-1)).toBe("close databases");
});
