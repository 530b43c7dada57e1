import { expect, it } from "vitest";
import { cancelExported } from "../../../../cli/src/export/cancel-exported.ts";
import { Stopwatch } from "../../../../sdk/src/index.ts";
import { fakeStopwatch } from "../../../../sdk/src/testing.ts";

it("cancels by the thousand, and names those that were delivered between export and cancel", async () => {
  const fake = fakeStopwatch({ plan: "indie", env: "live" });
  const client = new Stopwatch(fake.apiKey, fake.options);
  const ids: string[] = [];
  const items = Array.from({ length: 1_001 }, (_, at) => ({
    targetUrl: "https://example.com/",
    fireIn: at < 2 ? "1m" : "1h",
  }));
  await client.schedules.createMany(items, { onResult: (entry) => entry.outcome === "accepted" && ids.push(entry.id) });
  await fake.advance("2m");
  const counts: number[] = [];
  const signal = new AbortController().signal;
  const left = await cancelExported(client, ids, { signal, onProgress: (count) => counts.push(count) });
  const delivered = new Set(fake.deliveries.map(({ scheduleId }) => scheduleId));
  expect(delivered.size).toBe(2);
  expect(left.map(({ id, why }) => [delivered.has(id), why])).toEqual([
    [true, "succeeded"],
    [true, "succeeded"],
  ]);
  expect(counts).toEqual([1_000, 1_001]);
  expect(await client.schedules.list({ status: "cancelled", limit: 1 })).toMatchObject({ total: 999 });
});
