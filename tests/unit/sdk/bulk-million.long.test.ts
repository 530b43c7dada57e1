// Guards: sdk/src/**
import { expect, test } from "vitest";
import { type BulkEntry, type CreateInput, type FetchLike, Stopwatch } from "../../../sdk/src/index.ts";
import { collectGarbage } from "../../helpers/collect-garbage.ts";
import { KEY } from "./fake-service.ts";

const TOTAL = 1_000_000;

test("a million items from an asynchronous source take no more memory than the first batches", async () => {
  const fetch: FetchLike = async (url, { body = "" }) => {
    if (url.endsWith("/v1/usage")) return Response.json({ limits: { bulk_items: 500 } });
    const count = body.split('"targetUrl"').length - 1;
    return Response.json({
      accepted: Array.from({ length: count }, (_, index) => ({ index, id: "sch_1" })),
      rejected: [],
    });
  };
  async function* source(): AsyncGenerator<CreateInput> {
    for (let n = 0; n < TOTAL; n++) yield { targetUrl: `https://example.com/${n}`, fireIn: "1h", json: { n } };
  }
  const heaps: number[] = [];
  const seen = { count: 0, sum: 0 };
  const onResult = async ({ index }: BulkEntry) => {
    seen.sum += index;
    if (++seen.count % 100_000 === 0) {
      await collectGarbage();
      heaps.push(process.memoryUsage().heapUsed);
    }
  };
  const { schedules } = new Stopwatch(KEY, { baseUrl: "https://stopwatch.example.com", fetch });
  const { signal } = new AbortController();
  const result = await schedules.createMany(source(), { onResult, signal });
  expect(result).toEqual({ accepted: [], rejected: [], unknown: [] });
  expect(seen).toEqual({ count: TOTAL, sum: (TOTAL * (TOTAL - 1)) / 2 });
  const [first = 0, ...later] = heaps;
  expect(Math.max(...later) - first).toBeLessThan(10 * 1024 * 1024);
});
