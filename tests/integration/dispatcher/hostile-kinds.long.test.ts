// Guards: dispatcher/admission/**, dispatcher/connections/**, dispatcher/sending/**, domain/certificate-cost.ts
import { afterAll, beforeAll, expect, it } from "vitest";
import { BLOCK_MAX_MS, createHostileHarness, type HostileHarness } from "../../helpers/hostile-peers/harness.ts";

const unreachable = (error_text: string) => ({ outcome: "unreachable", status_code: null, error_text });
const COSTLY = unreachable("connection: the target's certificates take too long to verify");
const ENDLESS = unreachable("the answer has more bytes than are read");
const ASKS_AGAIN = unreachable("the target asks for another handshake");
const LONG_HEADERS = unreachable("the answer's headers are too long");
const rejected = (status_code: number) => ({ outcome: "rejected", status_code });

/** What a peer sends, and what becomes of the attempt. */
const cases: [kind: string, outcome: object][] = [
  ["changes of keys", ENDLESS],
  ["session tickets", ENDLESS],
  ["changes of keys that ask for one", ENDLESS],
  ["requests for another handshake", ASKS_AGAIN],
  ["a request for another handshake in each record", ASKS_AGAIN],
  ["records of one byte", rejected(500)],
  ["padded records", ENDLESS],
  ["a chain over a binary curve (TLS 1.2)", COSTLY],
  ["a chain over a binary curve (TLS 1.3)", COSTLY],
  ["a chain over P-521", COSTLY],
  ["a chain with name constraints", COSTLY],
  ["extensions of chunks", rejected(500)],
  ["chunks of one byte", rejected(500)],
  ["zeros before the size of a chunk", rejected(500)],
  ["blank lines", ENDLESS],
  ["interim answers", LONG_HEADERS],
  ["tiny header lines", rejected(429)],
  ["one long header line", rejected(429)],
  ["trailers", rejected(500)],
  ["a compressed body", rejected(500)],
  ["a drip", rejected(500)],
];

let harness: HostileHarness;

beforeAll(async () => {
  harness = await createHostileHarness(cases.map(([kind]) => kind));
});
afterAll(() => harness.close());

it.each(cases)(
  "the event loop is not kept by a target that sends %s, and others are delivered",
  async (kind, outcome) => {
    const account = await harness.account({ settings: { retry_attempts: 0 } });
    const { attempts, longestBlockMs } = await harness.attempt(account, kind);
    expect(attempts).toMatchObject([outcome]);
    expect(longestBlockMs).toBeLessThan(BLOCK_MAX_MS);
  },
);
