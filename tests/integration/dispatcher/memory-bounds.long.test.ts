// Guards: dispatcher/**
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import type { Receiver } from "#scripts/lab/receiver.ts";
import { freePort } from "#scripts/ports.ts";
import type { DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { enterLanes } from "../../helpers/lanes.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { withDispatchHarness } from "../../helpers/with-dispatch-harness.ts";

const ACCOUNTS = 40;
const EACH = 60;
const CONNECTIONS_MAX = 64;
/** The part of an answer that is kept. */
const ANSWER = "x".repeat(8 * 1024);

let receiver: Receiver;
let harness: DispatchHarness;

withDispatchHarness(
  {
    settings: {
      DELIVERY_CONNECTIONS_MAX: String(CONNECTIONS_MAX),
      PLANS: JSON.stringify({ indie: { retryBackoffMs: 60_000 } }),
    },
  },
  (made) => {
    ({ receiver, harness } = made);
  },
);

/**
 * Far more due schedules than there are connections, of many accounts, each of which may send all of its own at once.
 */
async function load(): Promise<void> {
  await Promise.all(Array.from({ length: ACCOUNTS }, () => harness.account({ settings: { cps_limit: 100 } })));
  await harness.sql`
    WITH made AS (
      INSERT INTO schedules (id, account_id, env, shard, early_fire, fire_at, next_attempt_at, payload_size_bytes, sealed_bytes, origin)
      SELECT gen_random_uuid(), a.id, 'live', a.shard, false, at, at, 0, 0, ${receiver.origin}
      FROM accounts a, generate_series(1, ${EACH}) n, date_trunc('milliseconds', now() - n * interval '1 s') at
      RETURNING id, account_id)
    INSERT INTO schedule_requests (schedule_id, account_id, env, target_url, method, request_hash)
    SELECT id, account_id, 'live', ${`${receiver.origin}/`}, 'POST', '\\x00' FROM made`;
  await enterLanes(harness.sql);
}

type Gauges = Map<string, number>;

async function read(port: number): Promise<{ used: Gauges; bound: Gauges }> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const gauges = (name: string): Gauges =>
    new Map(
      [...text.matchAll(new RegExp(`^stopwatch_memory_${name}\\{kind="(\\w+)"\\} (\\S+)$`, "gm"))].map(
        ([, kind, value]) => [String(kind), Number(value)],
      ),
    );
  return { used: gauges("used"), bound: gauges("bound") };
}

describe("a dispatcher process", () => {
  it("keeps no more of each kind in memory than its bound in /metrics, while far more is due than it may send", async () => {
    await load();
    receiver.respond((_request, response) => setTimeout(() => response.writeHead(500).end(ANSWER), 20));
    const port = await freePort();
    const child = await harness.process({ env: { DISPATCHER_PORT: String(port) } });
    try {
      const most: Gauges = new Map();
      await waitFor(
        "each was sent once",
        async () => {
          const { used, bound } = await read(port);
          expect([...used.keys()]).toEqual([...bound.keys()]);
          for (const [kind, n] of used) {
            expect(n, kind).toBeGreaterThanOrEqual(0);
            expect(n, kind).toBeLessThanOrEqual(bound.get(kind) as number);
            most.set(kind, Math.max(most.get(kind) ?? 0, n));
          }
          return receiver.requests.length >= ACCOUNTS * EACH;
        },
        40_000,
      );
      // The kinds were really in use, and were reported.
      expect(most.get("signing_secrets")).toBe(ACCOUNTS);
      for (const kind of ["exchanges", "answer_bytes"]) expect(most.get(kind), kind).toBeGreaterThan(0);
      await waitFor("everything is let go", async () => {
        const { used } = await read(port);
        return used.get("exchanges") === 0 && used.get("answer_bytes") === 0;
      });
    } finally {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    }
  });
});
