import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { POST as select } from "#app/(dashboard)/schedules/select/route.ts";
import { POST as start } from "#app/(dashboard)/schedules/start/route.ts";
import { type Api, startApi } from "./api.ts";

const OWN = "https://api.example.com";

let api: Api;
let key: string;
let cookie: string;

beforeAll(async () => {
  api = await startApi();
  const { accountId, live } = await api.account();
  key = live;
  cookie = (await api.session(accountId)).cookie;
  await api.create(key);
});
afterAll(() => api.stop());

async function post(form: typeof start, path: string, fields: Record<string, string>): Promise<string> {
  const request = new Request(`${OWN}${path}`, {
    method: "POST",
    headers: { origin: OWN, cookie, "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ action: "cancel", env: "live", back: "/schedules", ...fields }),
  });
  const answer = await form(request, { params: Promise.resolve({}) });
  return answer.headers.get("location") ?? "";
}

const started = async () => (await api.call("GET", "/v1/operations", key)).body.items;

describe("the form that cancels or replays what a question was about", () => {
  it.each<[string, Record<string, string>]>([
    ["a filter that got lost", { matching: "1" }],
    ["a filter whose only value got lost", { matching: "1", q: "" }],
    ["a filter of which one value got lost", { matching: "1", status: "scheduled", host: "" }],
    ["all beside a filter", { all: "1", q: "example" }],
    ["all beside a filter whose value got lost", { all: "1", status: "" }],
    ["neither a filter nor schedules", {}],
    [
      "a filter beside schedules",
      { q: "example", ids: "sch_01kbm5qk4f8rz3c2x7w9v6n1ta,sch_01kbm5qk4f8rz3c2x7w9v6n1tb" },
    ],
  ])("does nothing for %s", async (_, fields) => {
    expect(await post(start, "/schedules/start", fields)).toMatch(/\/schedules\/confirm\?.*error=/);
    expect(await started()).toEqual([]);
  });

  it("asks about no schedules when the list's filter is missing, not about all", async () => {
    expect(await post(select, "/schedules/select", { all: "1" })).toBe("/schedules?error=none");
    expect(await post(select, "/schedules/select", { all: "1", filter: "" })).toContain("/schedules/confirm?");
  });

  it("acts on what matches, and on all when it says so", async () => {
    expect(await post(start, "/schedules/start", { matching: "1", q: "nowhere" })).toContain(
      "/schedules/operations/op_",
    );
    expect(await post(start, "/schedules/start", { all: "1" })).toContain("/schedules/operations/op_");
    expect((await started()).map((one: { total: number }) => one.total)).toEqual([1, 0]);
  });
});
