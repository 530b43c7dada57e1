import { afterAll, beforeAll, expect, test } from "vitest";
import { type FakeService, hangUp, json, refusal, startFakeService } from "./fake-service.ts";

let service: FakeService;
beforeAll(async () => {
  service = await startFakeService();
});
afterAll(() => service.stop());

const page = (ids: number[], next_cursor: string | null) =>
  json(200, { items: ids.map((id) => ({ id })), next_cursor });
const threePages = () => service.answer(page([1, 2], "c/1+"), page([3, 4], "c2"), page([5], null));
const urls = () => service.requests.map(({ url }) => url);

test("a list that is awaited is its first page", async () => {
  threePages();
  const list = service.client().schedules.list({ status: ["dead", "failed"], limit: 2 });
  expect(await list).toEqual({ items: [{ id: 1 }, { id: 2 }], next_cursor: "c/1+" });
  expect(urls()).toEqual(["/v1/schedules?status=dead%2Cfailed&limit=2"]);
});

test("a list that came out of an async function can be iterated, from the page that it became", async () => {
  threePages();
  const find = async () => service.client().schedules.list({ q: "a" });
  const list = await find();
  expect(list).toEqual({ items: [{ id: 1 }, { id: 2 }], next_cursor: "c/1+" });
  const ids: unknown[] = [];
  for await (const { id } of list) ids.push(id);
  expect(ids).toEqual([1, 2, 3, 4, 5]);
  expect(service.requests).toHaveLength(3);
});

test("a list that is iterated is every item of every page, by cursor and with the same filter", async () => {
  threePages();
  const ids: unknown[] = [];
  const filter = { status: "dead" as const, limit: 2, offset: 4, from: new Date(0) };
  for await (const { id } of service.client().schedules.list(filter)) ids.push(id);
  expect(ids).toEqual([1, 2, 3, 4, 5]);
  const rest = "from=1970-01-01T00%3A00%3A00.000Z";
  expect(urls()).toEqual([
    `/v1/schedules?status=dead&limit=2&offset=4&${rest}`,
    `/v1/schedules?status=dead&limit=2&${rest}&after=c%2F1%2B`,
    `/v1/schedules?status=dead&limit=2&${rest}&after=c2`,
  ]);
});

test("pages() is every page", async () => {
  threePages();
  const sizes: number[] = [];
  for await (const { items } of service.client().logs.list().pages()) sizes.push(items.length);
  expect(sizes).toEqual([2, 2, 1]);
  expect(urls()).toEqual(["/v1/logs", "/v1/logs?after=c%2F1%2B", "/v1/logs?after=c2"]);
});

test("a loop that is left early requests no further page", async () => {
  threePages();
  const list = service.client().operations.list();
  for await (const { id } of list) if (String(id) === "3") break;
  expect(urls()).toEqual(["/v1/operations", "/v1/operations?after=c%2F1%2B"]);
});

test("a page that fails is tried again, and an error ends the loop", async () => {
  service.answer(page([1], "c1"), hangUp, page([2], "c2"), refusal(400, "VALIDATION"));
  const ids: unknown[] = [];
  const loop = async () => {
    for await (const { id } of service.client().schedules.list()) ids.push(id);
  };
  await expect(loop()).rejects.toMatchObject({ code: "VALIDATION" });
  expect(ids).toEqual([1, 2]);
  await expect(service.client().schedules.list()).rejects.toMatchObject({ code: "VALIDATION" });
});

test("a loop over a list without cursors fails with BAD_RESPONSE instead of ending early", async () => {
  service.answer(json(200, { items: [{ id: 1 }], total: 200 }));
  const loop = async () => {
    for await (const _ of service.client().schedules.list());
  };
  await expect(loop()).rejects.toMatchObject({ code: "BAD_RESPONSE" });
});
