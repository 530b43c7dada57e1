import { join } from "node:path";
import { expect, it } from "vitest";
import { emptyFolders } from "#tests/helpers/empty-folders.ts";
import { readRows } from "../../../../cli/src/import/read-rows.ts";
import { openResultFile } from "../../../../cli/src/import/result-file.ts";
import { sendRows } from "../../../../cli/src/import/send-rows.ts";
import { cutShort } from "../../../../cli/src/import/summarise.ts";
import { Stopwatch } from "../../../../sdk/src/index.ts";
import { fakeStopwatch } from "../../../../sdk/src/testing.ts";

const emptyFolder = emptyFolders();

const ROWS = 250;

type Refusal = { status: number; code: string; retryAfter?: string };

/** An import of 250 rows, whose bulk calls are refused as `refusals` say, one after the other. */
function startImport(refusals: Refusal[]) {
  const fake = fakeStopwatch();
  const fetch: typeof fake.fetch = async (input, init) => {
    const refusal = String(input).endsWith("/bulk") ? refusals.shift() : undefined;
    if (refusal === undefined) return fake.fetch(input, init);
    const { status, code, retryAfter } = refusal;
    const error = { code, message: `It is ${code}.` };
    return Response.json({ error }, { status, headers: retryAfter ? { "Retry-After": retryAfter } : {} });
  };
  const client = new Stopwatch(fake.apiKey, { ...fake.options, fetch: fetch as never });
  const text = Array.from({ length: ROWS }, (_, at) =>
    JSON.stringify({ targetUrl: "https://example.com/", fireIn: "1h", payload: `${at}` }),
  ).join("\n");
  const rowOptions = { format: "jsonl", map: new Map(), withoutPayloads: false } as const;
  const options = { format: "jsonl", map: {}, withoutPayloads: false };
  const path = join(emptyFolder(), "result.jsonl");
  return {
    fake,
    async send() {
      const file = openResultFile(path, { import: "hash", rows: ROWS, url: client.baseUrl, env: client.env, options });
      const { signal } = new AbortController();
      const rows = readRows(text, rowOptions);
      const end = await sendRows(rows, { client, inputHash: "hash", file, signal, onProgress: () => {} });
      file.close();
      return { end, done: file.results.size };
    },
    scheduled: async () => (await client.usage()).scheduled,
  };
}

it("waits as 429 and 503 say, and creates each row once", async () => {
  const { send, scheduled } = startImport([
    { status: 429, code: "RATE_LIMITED", retryAfter: "1" },
    { status: 503, code: "UNAVAILABLE", retryAfter: "1" },
  ]);
  expect(await send()).toEqual({ end: undefined, done: ROWS });
  expect(await scheduled()).toBe(ROWS);
});

it.each([
  ["an outage for longer than it waits", { status: 503, code: "UNAVAILABLE", retryAfter: "900" }, 5],
  ["a key that was revoked", { status: 401, code: "UNAUTHORIZED" }, 3],
  ["a right that is missing", { status: 403, code: "FORBIDDEN" }, 3],
])("ends at %s, keeps what was done, and does the rest when it is run again", async (_, refusal, exitCode) => {
  const { send, scheduled } = startImport([refusal]);
  const { end, done } = await send();
  expect(end?.code).toBe(refusal.code);
  expect(cutShort(end as never, ROWS - done)).toMatchObject({
    exitCode,
    message: expect.stringContaining(`${ROWS - done} rows were not sent`),
    fix: expect.stringContaining("it goes on, and creates nothing twice"),
  });
  expect(done).toBeLessThan(ROWS);
  expect(await send()).toEqual({ end: undefined, done: ROWS });
  expect(await scheduled()).toBe(ROWS);
});
