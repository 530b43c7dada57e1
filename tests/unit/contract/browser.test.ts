import { runInNewContext } from "node:vm";
import { build } from "esbuild";
import { expect, it } from "vitest";

/** What a page has besides JavaScript itself. */
const OF_BROWSERS = { URL, URLSearchParams, TextEncoder, atob, btoa, crypto };

const PROGRAM = `
  export * from "#contract/endpoints.ts";
  export { readCursor, writeCursor } from "#contract/inputs/cursor.ts";
  export { filterDigest } from "#contract/inputs/filter-digest.ts";
  export { validate } from "#contract/inputs/validate.ts";
`;

it("runs in a browser, which has nothing of Node.js", async () => {
  const stdin = { contents: PROGRAM, resolveDir: ".", loader: "ts" } as const;
  const { outputFiles } = await build({
    stdin,
    bundle: true,
    write: false,
    format: "iife",
    globalName: "contract",
    platform: "browser",
    logLevel: "silent",
  });
  const contract = runInNewContext(`${outputFiles[0]?.text}; contract`, { ...OF_BROWSERS });
  const endpoint = (name: string) =>
    contract.ENDPOINTS.find((one: { operationId: string }) => one.operationId === name);

  const filter = contract.filterDigest({ host: "api.example.com" });
  const cursor = {
    order: "late",
    atMs: 1,
    id: "019b7300-0000-7000-8000-00000000001f",
    attempt: 1,
    rowsBefore: 20,
    filter,
  };
  const after = contract.writeCursor(cursor);
  const query = { sort: "late", host: "api.example.com", after };
  expect({ ...contract.validate(endpoint("listSchedules").query, query).after }).toEqual(cursor);
  const answer = { listener: "lsn_01kbm5qk4f8rz3c2x7w9v6n1ta", status: 200, latency_ms: 1, body: "é".repeat(5_000) };
  expect(() => contract.validate(endpoint("answerDelivery").body, answer)).toThrow("body must have at most 8192 bytes");
});
