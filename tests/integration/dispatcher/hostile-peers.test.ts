import { afterAll, beforeAll, expect, it } from "vitest";
import { NOT_COMPARED } from "#dispatcher/recording/error-texts.ts";
import { REPEATED_REQUEST } from "#domain/error-text.ts";
import { BLOCK_MAX_MS, createHostileHarness, type HostileHarness } from "../../helpers/hostile-peers/harness.ts";
import { watchBlocks } from "../../helpers/longest-block.ts";
import { inMs } from "../../helpers/time.ts";
import { waitFor } from "../../helpers/wait-for.ts";

// Those that stopped the event loop the longest: for 110 to 430 ms of processor time, or for seconds. All kinds are in hostile-kinds.long.test.ts.
const cases: [kind: string, error_text: string][] = [
  ["changes of keys", "the answer has more bytes than are read"],
  ["requests for another handshake", "the target asks for another handshake"],
  ["a chain over a binary curve (TLS 1.3)", "connection: the target's certificates take too long to verify"],
];
const HELD = 60;
const PAYLOAD = "%C3%A9x".repeat(30_000);

let harness: HostileHarness;

beforeAll(async () => {
  harness = await createHostileHarness(cases.map(([kind]) => kind));
});
afterAll(() => harness.close());

it.each(cases)(
  "the event loop is not kept by a target that sends %s, and others are delivered",
  async (kind, error_text) => {
    const account = await harness.account({ settings: { retry_attempts: 0 } });
    const { attempts, longestBlockMs } = await harness.attempt(account, kind);
    expect(attempts).toMatchObject([{ outcome: "unreachable", error_text }]);
    expect(longestBlockMs).toBeLessThan(BLOCK_MAX_MS);
  },
);

it("a target that answers all held requests at once keeps neither the event loop nor the outcomes of others", async () => {
  const account = await harness.account({ settings: { retry_attempts: 0 } });
  const target = `http://127.0.0.1:${harness.peers.holding}/`;
  const at = inMs(2_000);
  const ids = await Promise.all(
    Array.from({ length: HELD }, () => harness.schedule(account, target, at, { payload: PAYLOAD })),
  );
  await waitFor("the target holds all requests", async () => (await harness.peers.held()) === HELD);

  const longestBlock = watchBlocks();
  await harness.peers.answer();
  const other = await harness.deliverOther(new Date());
  await waitFor("the other is recorded", async () => (await harness.attempts(other)).length > 0);
  const recorded = () => harness.sql`SELECT error_text FROM attempts WHERE schedule_id = ANY (${ids})`;

  const attempts = await waitFor("all are recorded", async () => {
    const rows = await recorded();
    return rows.length === HELD && rows;
  });
  expect(longestBlock()).toBeLessThan(BLOCK_MAX_MS);
  expect(new Set(attempts.map(({ error_text }) => error_text))).toEqual(new Set([REPEATED_REQUEST, NOT_COMPARED]));
});
