import { afterAll, beforeAll, expect, it } from "vitest";
import { USES } from "#components/landing/uses.ts";
import { Stopwatch } from "../../../sdk/src/index.ts";
import { type Api, startApi } from "../api/api.ts";
import { serveApi } from "./serve-api.ts";

let api: Api;
let served: Awaited<ReturnType<typeof serveApi>>;

beforeAll(async () => {
  api = await startApi();
  served = await serveApi();
});
afterAll(async () => {
  await served.stop();
  await api.stop();
});

/** What the lines of the first page have around them. */
const AROUND = {
  targetUrl: "https://example.com/hooks",
  trial: { endsAt: new Date("2031-01-01T09:00:00Z"), customer: "cus_81" },
  order: { id: "ord_7" },
  customers: [
    { id: "report-1", at: "2031-02-01T06:00:00Z" },
    { id: "report-2", at: "2031-02-01T07:00:00Z" },
  ],
};

it.each(USES)("the line of the first page for $title runs as it stands, and stores what it says", async ({ code }) => {
  const { test } = await api.account();
  const client = new Stopwatch(test, { baseUrl: served.origin });
  const names = ["client", ...Object.keys(AROUND)];
  await new Function(...names, `return (async () => { ${code} })();`)(client, ...Object.values(AROUND));
  const stored: string[] = [];
  for await (const { target_url } of client.schedules.list({ status: "scheduled" })) stored.push(target_url);
  expect(stored).toEqual(Array(code.includes("createMany") ? 2 : 1).fill(AROUND.targetUrl));
});
