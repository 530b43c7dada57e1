// Guards: billing/**, server/billing/**, dispatcher/retention/**, dispatcher/billing/**
import pino from "pino";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startDispatcher } from "#dispatcher/dispatcher.ts";
import { ENCRYPTION_KEYS } from "../../helpers/encryption-keys.ts";
import type { TestStripe } from "../../helpers/stripe.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { startWebProcess, type WebProcess } from "../../helpers/web-process.ts";
import { type Api, type TestCaller, type TestSession, testConfig } from "./api.ts";
import { withStripe } from "./with-stripe.ts";

let stripe: TestStripe;
let api: Api;
let webs: [WebProcess, WebProcess];
let caller: TestCaller;
let session: TestSession;

withStripe({ isConfigured: false }, (made) => {
  ({ stripe, api, caller, session } = made);
});
beforeAll(async () => {
  const settings = {
    DATABASE_URL: api.config.databaseUrl,
    ENCRYPTION_KEYS,
    ...stripe.settings,
    LOG_LEVEL: "debug",
  };
  webs = [await startWebProcess(settings), await startWebProcess(settings)];
}, 400_000);
afterAll(async () => {
  await Promise.all((webs ?? []).map((web) => web.stop()));
});

async function ask(web: WebProcess, method: string, path: string, body?: string, headers: Record<string, string> = {}) {
  const init = { method, headers: { cookie: session.cookie, ...headers }, body: body ?? null };
  const answer = await fetch(`${web.origin}${path}`, init);
  const text = await answer.text();
  return { status: answer.status, body: text === "" ? undefined : JSON.parse(text) };
}
const planBy = async (web: WebProcess) => (await ask(web, "GET", "/v1/me")).body.subscription.plan;
const sendEvent = (web: WebProcess, object: object) => {
  const { body, headers } = stripe.event("customer.subscription.updated", object);
  return ask(web, "POST", "/v1/billing/events", body, headers);
};
async function subscribed() {
  expect(await ask(webs[1], "POST", "/v1/billing/checkout")).toMatchObject({ status: 200 });
  const [row] = await api.sql`SELECT customer_id FROM subscriptions WHERE account_id = ${caller.accountId}`;
  return stripe.pay(row?.customer_id);
}

it("two web processes that get events at once agree, and apply the plan at once to keys they have cached", async () => {
  const made = await subscribed();
  const create = (web: WebProcess, size: number) => {
    const schedule = { targetUrl: "https://example.com/", fireAt: "2031-01-01T00:00:00Z", payload: "x".repeat(size) };
    const headers = { authorization: `Bearer ${caller.live}`, "content-type": "application/json" };
    return ask(web, "POST", "/v1/schedules", JSON.stringify(schedule), headers);
  };
  for (const web of webs) expect(await create(web, 60_000)).toMatchObject({ status: 413 });
  for (let round = 0; round < 6; round++) {
    const runs = round % 2 === 0;
    const early = webs.map((web) => sendEvent(web, made));
    Object.assign(made, runs ? { status: "active", ended_at: null } : { status: "canceled", ended_at: 1 });
    const late = [...webs, ...webs].map((web) => sendEvent(web, made));
    for (const { status } of await Promise.all([...early, ...late])) expect(status).toBe(200);
    for (const web of webs) {
      expect(await planBy(web)).toBe(runs ? "indie" : "free");
      expect((await create(web, 60_000)).status).toBe(runs ? 201 : 413);
    }
  }
});

it("the subscription of a deleted account ends even when Stripe was down and the process was killed", async () => {
  const made = await subscribed();
  await sendEvent(webs[0], made);
  stripe.conduct.isDown = true;
  stripe.asked.length = 0;
  expect(await ask(webs[0], "DELETE", "/v1/me")).toMatchObject({ status: 204 });
  await waitFor("it was tried", () => stripe.asked.some(({ method }) => method === "DELETE"));
  await webs[0].kill();
  expect(made.status).toBe("active");
  stripe.conduct.isDown = false;
  await api.sql`UPDATE customer_deletions SET next_try_at = now() - interval '1 second'`;
  const config = testConfig(api.config.databaseUrl, stripe.settings);
  const dispatcher = await startDispatcher(config, { log: pino({ level: "silent" }), version: "0.0.0" });
  await waitFor("a dispatcher has ended it", () => stripe.customers.get(made.customer)?.deleted, 30_000);
  expect(made.status).toBe("canceled");
  await waitFor("nothing is left to do", async () => (await api.sql`SELECT 1 FROM customer_deletions`).length === 0);
  await dispatcher.stop();
});

it("no log line of the web processes has a secret of Stripe's, the contents of a request or event, or an e-mail address", async () => {
  const made = await subscribed();
  stripe.conduct.isDown = true;
  expect(await sendEvent(webs[1], { ...made, note: "canary" })).toMatchObject({ status: 503 });
  const { body } = stripe.event("invoice.paid", { customer: made.customer, note: "canary" });
  const signature = "t=1,v1=canary";
  expect(await ask(webs[1], "POST", "/v1/billing/events", body, { "stripe-signature": signature })).toMatchObject({
    status: 400,
  });
  await waitFor("it was logged", () => webs[1].lines().some((line) => line.includes("a request to Stripe failed")));
  const written = webs.flatMap((web) => web.lines()).join("\n");
  for (const secret of [...Object.values(stripe.settings).slice(0, 2), "canary", "@example.com", "checkout.example"]) {
    expect(written).not.toContain(secret);
  }
});
