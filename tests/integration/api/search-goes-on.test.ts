import { afterAll, beforeAll, expect, it } from "vitest";
import { readPageCtx } from "#server/page-ctx.ts";
import { readScheduleListQuery } from "../../../app/(dashboard)/schedules/list-query.ts";
import { readList } from "../../../app/(dashboard)/schedules/read-list.ts";
import { createThinSearch } from "../../helpers/many-schedules.ts";
import { type Api, startApi, type TestSession } from "./api.ts";

let api: Api;
let session: TestSession;

beforeAll(async () => {
  api = await startApi();
  const { accountId } = await api.account();
  session = await api.session(accountId);
  await createThinSearch(api.sql, accountId);
});
afterAll(() => api.stop());

/** A page of the list of schedules, by the parameters of its address. */
async function read(params: Record<string, string>) {
  const ctx = await readPageCtx(new Headers({ cookie: session.cookie }));
  if (!ctx) throw new Error("the session does not count");
  const query = readScheduleListQuery(
    { q: "hook", host: "other.example.com", ...params },
    { now: new Date(), zone: "UTC" },
  );
  const { listing, goesOn, rowsBefore } = await readList(ctx, query);
  return { found: listing.rows.map(({ targetUrl }) => targetUrl), isBounded: listing.isBounded, goesOn, rowsBefore };
}

it.each(["-created_at", "fire_at", "-fire_at"])(
  "a search of the list by %s that ends early goes on behind it, until it has found what matches",
  async (sort) => {
    const found: string[] = [];
    let page = await read({ sort });
    const first = page;
    for (let pages = 1; ; pages++) {
      found.push(...page.found);
      if (!page.goesOn) break;
      expect(pages).toBeLessThan(10);
      page = await read({ ...page.goesOn });
    }
    expect(found).toEqual(["https://other.example.com/hook/1"]);
    expect(first.isBounded && first.found.length === 0).toBe(sort !== "-fire_at");
  },
);

it("a search of the list upcoming first that ends early goes on with the newest, and with one status in its own order", async () => {
  expect(await read({})).toMatchObject({ found: [], isBounded: true, goesOn: { sort: "-created_at" } });
  const { goesOn } = await read({ status: "scheduled" });
  expect(goesOn).toMatchObject({ sort: "fire_at", after: expect.any(String) });
});

it("a place in another order is ignored: the list begins at its first page", async () => {
  const { goesOn } = await read({ sort: "fire_at" });
  expect(await read({ sort: "-created_at", after: goesOn?.after ?? "" })).toMatchObject({
    rowsBefore: 0,
    isBounded: true,
  });
  expect(await read({ sort: "-created_at", after: "nonsense" })).toMatchObject({ rowsBefore: 0, isBounded: true });
});
