import { afterAll, beforeAll, expect, it } from "vitest";
import { GET } from "#app/status.atom/route.ts";
import { readPublicDays } from "#db/queries/attempts/public-days.ts";
import { runJob } from "../../helpers/retention-jobs.ts";
import { type Api, startApi } from "./api.ts";

const DAY_MS = 86_400_000;
const TODAY = Math.floor(Date.now() / DAY_MS) * DAY_MS;

const NO_PARAMS = { params: Promise.resolve({}) };

let api: Api;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

/** Counts requests at `hour` of the day that began `days` before today. */
const count = (days: number, hour: number, bucket: number, n: number, onTime = n, shard = 3) => api.sql`
  INSERT INTO shard_punctuality (shard, starts_at, bucket, n, on_time)
  VALUES (${shard}, ${new Date(TODAY - days * DAY_MS + hour * 3_600_000)}, ${bucket}, ${n}, ${onTime})`;

const daysOf = async () =>
  (await readPublicDays(api.sql)).counts
    .map(({ dayMs, bucket, n, onTime }) => [(TODAY - dayMs) / DAY_MS, bucket, n, onTime])
    .toSorted((a, b) => (a[0] ?? 0) - (b[0] ?? 0));

it("a day is summed over shards and quarters, is never counted twice, and outlives its quarters", async () => {
  await count(1, 5, 4, 10);
  await count(1, 9, 4, 5, 4, 9);
  await count(0, 0, 7, 2);
  const expected = [
    [0, 7, 2, 2],
    [1, 4, 15, 14],
  ];
  expect(await daysOf()).toEqual(expected);
  expect(await runJob(api.sql, "public days summed")).toEqual([1]);
  expect(await daysOf()).toEqual(expected);
  // An outcome that was recorded late, and then the deletion of some of its quarters.
  await count(1, 10, 4, 1);
  expect(await runJob(api.sql, "public days summed")).toEqual([1]);
  await api.sql`DELETE FROM shard_punctuality WHERE shard = 9`;
  expect(await runJob(api.sql, "public days summed")).toEqual([0]);
  expect(await daysOf()).toEqual([
    [0, 7, 2, 2],
    [1, 4, 16, 15],
  ]);
});

it("90 days are kept and shown, older ones deleted", async () => {
  for (const days of [2, 89, 90, 91, 400]) {
    await api.sql`INSERT INTO public_days VALUES (${new Date(TODAY - days * DAY_MS)}, 1, 1, 1)`;
  }
  expect((await daysOf()).map(([day]) => day)).toEqual([0, 1, 2, 89]);
  await runJob(api.sql, "public days");
  const [row] = await api.sql`SELECT count(*)::int AS n FROM public_days WHERE day < ${new Date(TODAY - 90 * DAY_MS)}`;
  expect(row?.n).toBe(0);
});

it("the feed is Atom with an entry for each late day, may be kept by caches, and is not sent again unchanged", async () => {
  await api.sql`INSERT INTO public_days VALUES (${new Date(TODAY - 5 * DAY_MS)}, 304, 1000, 40)`;
  const read = (headers = {}) => GET(new Request("https://api.example.com/status.atom", { headers }), NO_PARAMS);
  const first = await read();
  expect(first.status).toBe(200);
  expect(first.headers.get("content-type")).toBe("application/atom+xml; charset=utf-8");
  expect(first.headers.get("cache-control")).toBe("public, max-age=60");
  const text = await first.text();
  const day = new Date(TODAY - 5 * DAY_MS).toISOString().slice(0, 10);
  expect(text.match(/<title>(.*?)<\/title>/g)?.slice(1)).toContain(
    `<title>${day}: 4 % of 1000 requests left on time</title>`,
  );
  expect(text).toContain(`<updated>${new Date(TODAY - 4 * DAY_MS).toISOString()}</updated>`);
  const again = await read({ "If-None-Match": first.headers.get("etag") as string });
  expect([again.status, await again.text()]).toEqual([304, ""]);
});
