import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ENCRYPTION_KEYS } from "#tests/helpers/encryption-keys.ts";
import { startWebProcess, type WebProcess } from "#tests/helpers/web-process.ts";
import { type Answer, type Api, startApi } from "./api.ts";
import { type Case, createFixture, type Fixture } from "./case-fixture.ts";
import { comparable } from "./compare-answers.ts";
import { answerOfFake, BEYOND_FAKE, isBeyondFake } from "./fake-fixture.ts";

let api: Api;
let web: WebProcess;

beforeAll(async () => {
  api = await startApi();
  web = await startWebProcess({
    DATABASE_URL: api.config.databaseUrl,
    ENCRYPTION_KEYS,
    BASE_URL: api.config.baseUrl,
  });
});
afterAll(async () => {
  await web?.stop();
  await api.stop();
});

// Read and not imported, since the bundler cannot read the lone surrogates in it.
const { cases } = JSON.parse(readFileSync("tests/vectors/api.json", "utf8")) as { cases: Case[] };

it.each(cases.map((one) => [one.name, one] as const))("%s", async (_, one) => {
  const own = await createFixture(api, web.port, one);
  const answer = await own.send(one);
  expect([one.expect_status].flat(), answer.text).toContain(answer.status);
  if (one.expect_code) expect(answer.body.error.code).toBe(one.expect_code);
  if (!isBeyondFake(one)) expect(comparable(await answerOfFake(one)), "the SDK's fake").toEqual(comparable(answer));
  for (const what of one.also_check ?? []) {
    const check = CHECKS[what];
    if (!check) throw new Error(`nothing checks ${JSON.stringify(what)}`);
    await check({ one, own, answer });
  }
});

it("every case that is beyond the SDK's fake by its name is a case", () => {
  expect(cases.map(({ name }) => name)).toEqual(expect.arrayContaining([...BEYOND_FAKE]));
});

type Seen = { one: Case; own: Fixture; answer: Answer };

const isNewSchedule = ({ answer }: Seen) => expect(answer.body.id).toMatch(/^sch_/);

async function changesNothing({ one, own }: Seen) {
  const before = await own.state();
  await own.send(one);
  expect(await own.state()).toEqual(before);
}

const CHECKS: Record<string, (seen: Seen) => unknown> = {
  "no state change": changesNothing,
  "quota not used": changesNothing,
  "usage unchanged": changesNothing,
  "account B row unchanged": changesNothing,
  "same id, nothing new is scheduled": async (seen) => {
    isNewSchedule(seen);
    await changesNothing(seen);
  },
  "second identical call answers 200 with the same id": async ({ one, own, answer }) => {
    expect(await own.send(one)).toMatchObject({ status: 200, body: { id: answer.body.id } });
  },
  "same body and similar time as for an id that never existed": async ({ one, own, answer }) => {
    const unknown = await own.send({ ...one, path: one.path.replace("SCH_B", "SCH_UNKNOWN") });
    expect(unknown).toMatchObject({ status: answer.status, text: answer.text });
  },
  "no id of account B": async ({ one, own, answer }) => {
    const id = await api.create(own.b.live);
    await api.create(own.a.live);
    expect((await own.send(one)).text).not.toContain(id);
    expect(answer.text).not.toContain(id);
  },
  "total counts only account A": async ({ one, own }) => {
    await api.create(own.b.live);
    expect((await own.send(one)).body.total).toBe(1);
  },
  "no account id, target, e-mail or payload in the body": ({ own, answer }) => {
    expect(answer.text).not.toMatch(/@|https?:|sch_|acc_/);
    expect(answer.text).not.toContain(own.a.accountId);
  },
  "message names targetUrl": ({ answer }) => expect(answer.body.error.message).toContain("targetUrl"),
  "message tells the cap in bytes": ({ answer }) => expect(answer.body.error.message).toContain("51200"),
  "fire_at is the same instant in UTC with 3 decimals and Z": async ({ one, own, answer }) => {
    const { fireAt } = one.body as { fireAt: string };
    expect(answer.body.fire_at).toBe(new Date(own.resolved(fireAt)).toISOString());
  },
  "payload_size_bytes = 4": async ({ own, answer }) => {
    const { body } = await own.send({ method: "GET", path: `/v1/schedules/${answer.body.id}` });
    expect(body.payload_size_bytes).toBe(4);
  },
  "body does not contain the canary": ({ answer }) => expect(answer.text).not.toContain("canary"),
  "indexes 0 to 3 VALIDATION": ({ answer }) => {
    const codes = answer.body.rejected.map(({ index, code }: { index: number; code: string }) => [index, code]);
    expect(codes).toEqual([0, 1, 2, 3].map((index) => [index, "VALIDATION"]));
  },
  "index 4 accepted": ({ answer }) => expect(answer.body.accepted).toMatchObject([{ index: 4, status: "scheduled" }]),
  "_ is a literal": async ({ one, own }) => {
    await api.create(own.a.live, { targetUrl: "https://example.com/without" });
    const id = await api.create(own.a.live, { targetUrl: "https://example.com/with_it" });
    expect((await own.send(one)).body.items.map((item: { id: string }) => item.id)).toEqual([id]);
  },
  "no pollution": () => expect(({} as Record<string, unknown>).x).toBeUndefined(),
  "clamped to the plan retention": ({ answer }) => expect(answer.body.series.length).toBeLessThanOrEqual(8),
  "JSON error body, not an HTML page": ({ answer }) => {
    expect(answer.headers.get("content-type")).toBe("application/json");
  },
  "Allow header": ({ answer }) => expect(answer.headers.get("allow")).toBe("GET, HEAD, POST, OPTIONS"),
  "a Location header never starts with //": ({ answer }) => expect(answer.headers.get("location")).toBeNull(),
  "no Access-Control-Allow-Origin for that origin": ({ answer }) => {
    expect(answer.headers.get("access-control-allow-origin")).toBeNull();
  },
  "value matches ^sw_live_[A-Za-z0-9]{32,}$ and has at least 160 random bits": ({ answer }) => {
    expect(answer.body.key).toMatch(/^sw_live_[A-Za-z0-9]{38}$/);
  },
  "GET /v1/api-keys does not contain it": async ({ own, answer }) => {
    const { text } = await own.send({ method: "GET", path: "/v1/api-keys" });
    expect(text).toContain(answer.body.id);
    expect(text).not.toContain(answer.body.key.slice(0, -4));
  },
  "database holds only its SHA-256": async ({ answer }) => {
    const [row] = await api.sql`
      SELECT key::text AS text FROM api_keys key WHERE key.hash = ${hash("sha256", answer.body.key, "buffer")}`;
    expect(row?.text).toBeDefined();
    expect(row?.text).not.toContain(answer.body.key.slice(8, 24));
  },
  "effective is inside limits": ({ answer }) => {
    const { effective, limits } = answer.body;
    for (const knob of ["cpsLimit", "retryAttempts", "retryBackoffMs"]) {
      expect(effective[knob]).toBeGreaterThanOrEqual(limits[knob].min);
      expect(effective[knob]).toBeLessThanOrEqual(limits[knob].max);
    }
  },
};
