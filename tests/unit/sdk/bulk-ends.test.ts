import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { waitFor } from "#tests/helpers/wait-for.ts";
import { type BulkEntry, type CreateInput, type FetchLike, Stopwatch } from "../../../sdk/src/index.ts";
import { bulkService } from "./bulk-service.ts";
import { type FakeService, KEY, silence, startFakeService } from "./fake-service.ts";

let service: FakeService;
beforeAll(async () => {
  service = await startFakeService();
});
afterAll(() => service.stop());

const item = (n: number): CreateInput => ({ targetUrl: `https://example.com/${n}`, fireIn: "1h" });

describe("an abort ends createMany with the signal's own reason", () => {
  test("while batches are under way, and closes the source", async () => {
    const controller = new AbortController();
    const bulk = bulkService({ fault: () => ({ answer: silence }) });
    service.answer(bulk.answer);
    const end = vi.fn();
    async function* source() {
      try {
        for (let n = 0; ; n++) yield item(n);
      } finally {
        end();
      }
    }
    const done = service.client().schedules.createMany(source(), { signal: controller.signal });
    await waitFor("two batches have arrived", () => bulk.batches.length === 2);
    controller.abort("stop");
    await expect(done).rejects.toBe("stop");
    await nextTurn();
    expect(end).toHaveBeenCalledOnce();
    expect(bulk.batches).toHaveLength(2);
  });

  test("while it waits for an item that never comes", async () => {
    const controller = new AbortController();
    service.answer(bulkService().answer);
    let isWaiting = false;
    async function* source() {
      yield item(0);
      isWaiting = true;
      await new Promise(() => {});
    }
    const done = service.client().schedules.createMany(source(), { signal: controller.signal });
    await waitFor("it waits for an item", () => isWaiting);
    controller.abort("stop");
    await expect(done).rejects.toBe("stop");
  });

  test("and reads no further item", async () => {
    const controller = new AbortController();
    service.answer(bulkService().answer);
    const end = vi.fn();
    let release: (() => void) | undefined;
    async function* source() {
      try {
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        yield item(0);
        yield item(1);
        throw new Error("it goes on");
      } finally {
        end();
      }
    }
    const done = service.client().schedules.createMany(source(), { signal: controller.signal });
    const comes = await waitFor("it waits for an item", () => release);
    controller.abort("stop");
    await expect(done).rejects.toBe("stop");
    comes();
    await waitFor("the source is closed", () => end.mock.calls.length > 0);
    expect(end).toHaveBeenCalledOnce();
    expect(service.requests).toHaveLength(1);
  });

  test("before it begins, without reading an item when the plan's batch size is known already", async () => {
    const bulk = bulkService();
    service.answer(bulk.answer);
    const { schedules } = service.client();
    await schedules.createMany([item(0)]);
    const read = vi.fn();
    function* source() {
      read();
      yield item(1);
    }
    await expect(schedules.createMany(source(), { signal: AbortSignal.abort("no") })).rejects.toBe("no");
    await nextTurn();
    expect(read).not.toHaveBeenCalled();
    expect(bulk.batches).toHaveLength(1);
  });

  test("while the plan's batch size is read, and before that", async () => {
    const controller = new AbortController();
    const { schedules } = service.client();
    service.answer(() => controller.abort("stop"));
    await expect(schedules.createMany([item(0)], { signal: controller.signal })).rejects.toBe("stop");
    await expect(schedules.createMany([item(0)], { signal: AbortSignal.abort("no") })).rejects.toBe("no");
    expect(service.requests).toHaveLength(1);
  });
});

test("an error of the source ends createMany with that error, after the batches in flight", async () => {
  const bulk = bulkService();
  service.answer(bulk.answer);
  const entries: BulkEntry[] = [];
  const mine = new Error("mine");
  async function* source() {
    for (let n = 0; n < 8; n++) yield item(n);
    throw mine;
  }
  const onResult = (entry: BulkEntry) => entries.push(entry);
  await expect(service.client().schedules.createMany(source(), { onResult })).rejects.toBe(mine);
  expect(entries).toHaveLength(6);
  expect(bulk.batches).toHaveLength(2);
});

test("a full batch is sent at once, without waiting for the next item", async () => {
  const bulk = bulkService();
  service.answer(bulk.answer);
  let release = () => {};
  async function* source() {
    for (let n = 0; n < 3; n++) yield item(n);
    await new Promise<void>((resolve) => {
      release = resolve;
    });
  }
  const done = service.client().schedules.createMany(source());
  await waitFor("a batch is stored", () => bulk.stored.size === 3);
  release();
  expect((await done).accepted).toHaveLength(3);
});

test("createMany reads at most one batch more than those in flight, so that its memory is bounded", async () => {
  const total = 100_000;
  let [made, answered, ahead] = [0, 0, 0];
  const fetch: FetchLike = async (url, { body = "" }) => {
    if (url.endsWith("/v1/usage")) return Response.json({ limits: { bulk_items: 500 } });
    const count = body.split('"targetUrl"').length - 1;
    const accepted = Array.from({ length: count }, (_, index) => ({ index, id: "sch_1" }));
    return Response.json({ accepted, rejected: [] });
  };
  async function* source() {
    for (; made < total; made++) {
      ahead = Math.max(ahead, made - answered);
      yield item(made);
    }
  }
  const { schedules } = new Stopwatch(KEY, { baseUrl: "https://stopwatch.example.com", fetch });
  let sum = 0;
  const onResult = (entry: BulkEntry) => {
    answered++;
    sum += entry.index;
  };
  const { signal } = new AbortController();
  expect(await schedules.createMany(source(), { onResult, signal })).toEqual({
    accepted: [],
    rejected: [],
    unknown: [],
  });
  expect(answered).toBe(total);
  expect(sum).toBe((total * (total - 1)) / 2);
  // Two batches in flight and one that is being filled.
  expect(ahead).toBeLessThanOrEqual(3 * 500);
});
