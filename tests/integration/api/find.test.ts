import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GET } from "#app/(dashboard)/find/route.ts";
import { POST as replay } from "#app/(dashboard)/schedules/[id]/replay/confirm/route.ts";
import { type Api, FUTURE, startApi, type TestCaller, type TestSession } from "./api.ts";

const OWN = "https://api.example.com";

const NO_PARAMS = { params: Promise.resolve({}) };

let api: Api;
let caller: TestCaller;
let session: TestSession;
const made: Record<"keyed" | "plain" | "test", string> = { keyed: "", plain: "", test: "" };

beforeAll(async () => {
  api = await startApi();
  caller = await api.account();
  session = await api.session(caller.accountId);
  const create = (key: string, targetUrl: string, more: object = {}) => api.create(key, { targetUrl, ...more });
  made.keyed = await create(caller.live, "https://example.com/invoices/1", { idempotencyKey: "order-4711/renewal" });
  made.plain = await create(caller.live, "https://example.com/Orders/order-4711/renewal");
  made.test = await create(caller.test, "https://example.com/trial", { idempotencyKey: "order-4711/renewal" });
  const other = await api.account();
  await create(other.live, "https://example.com/order-4711/renewal", { idempotencyKey: "order-4711/renewal" });
});
afterAll(() => api.stop());

async function find(q: string, { cookie = session.cookie, env = "live" } = {}) {
  const answer = await GET(
    new Request(`${OWN}/find?${new URLSearchParams({ q, env })}`, { headers: { cookie } }),
    NO_PARAMS,
  );
  return { status: answer.status, body: await answer.json() };
}

const found = async (q: string) =>
  (await find(q)).body.schedules.map(({ id, env, by }: Record<string, string>) => [id, env, by]);

describe("what the palette finds", () => {
  it("is the schedule with a pasted id, in either environment", async () => {
    expect(await found(` ${made.plain} `)).toEqual([[made.plain, "live", "id"]]);
    expect(await found(`${OWN}/schedules/${made.test}?env=test`)).toEqual([[made.test, "test", "id"]]);
    expect(await found(made.keyed.slice(4).toUpperCase())).toEqual([[made.keyed, "live", "id"]]);
    expect(await found("sch_00000000000000000000000000")).toEqual([]);
  });

  it("is what has the text as its idempotency key, in either environment, and then what has it in its URL", async () => {
    expect(await found("order-4711/renewal")).toEqual([
      [made.keyed, "live", "key"],
      [made.test, "test", "key"],
      [made.plain, "live", "url"],
    ]);
    expect(await found("ORDERS/")).toEqual([[made.plain, "live", "url"]]);
    expect(await found("order-4711/renewa")).toEqual([[made.plain, "live", "url"]]);
  });

  it("has what a command shows of a schedule", async () => {
    const { body } = await find("invoices/1");
    expect(body.schedules).toEqual([
      {
        id: made.keyed,
        env: "live",
        by: "url",
        method: "POST",
        status: "scheduled",
        url: "https://example.com/invoices/1",
        fireAt: FUTURE,
      },
    ]);
  });

  it("has the pages of the documentation by their titles", async () => {
    const { body } = await find("signing");
    expect(body.docs).toContainEqual({ title: "Rotate signing secrets", href: "/docs/rotate-secrets" });
    expect((await find("limits")).body.docs).toContainEqual({ title: expect.any(String), href: "/docs/limits" });
  });

  it("is nothing for those who are not signed in, and an error for nothing, or too much, to look for", async () => {
    expect((await find("order", { cookie: "" })).status).toBe(401);
    expect((await find("  ")).status).toBe(400);
    expect((await find("x".repeat(401))).status).toBe(400);
    expect((await find(`${"x".repeat(300)}\0`)).body.schedules).toEqual([]);
  });
});

describe("the form that replays a cancelled schedule", () => {
  async function send(id: string, at: string) {
    const body = new URLSearchParams({ id, env: "live", key: crypto.randomUUID(), at });
    const headers = { origin: OWN, cookie: session.cookie };
    const answer = await replay(
      new Request(`${OWN}/schedules/${id}/replay/confirm`, { method: "POST", headers, body }),
      {
        params: Promise.resolve({ id }),
      },
    );
    return answer.headers.get("location") ?? "";
  }

  it("makes a copy that is due at the old time, and leaves the cancelled one as it is", async () => {
    await api.call("DELETE", `/v1/schedules/${made.plain}`, caller.live);
    const location = await send(made.plain, FUTURE);
    const copy = await api.call("GET", `/v1${new URL(location, OWN).pathname}`, caller.live);
    expect(copy.body).toMatchObject({ status: "scheduled", fire_at: FUTURE, replay_of: made.plain });
    expect((await api.call("GET", `/v1/schedules/${made.plain}`, caller.live)).body.status).toBe("cancelled");
  });

  it("makes none at an old time that has passed, and says so", async () => {
    const location = await send(made.plain, "2026-01-01T00:00:00.000Z");
    expect(location).toContain(`/schedules/${made.plain}/replay?error=past`);
  });
});
