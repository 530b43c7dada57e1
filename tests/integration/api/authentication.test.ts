import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { generateApiKey } from "#domain/api-key.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { type Answer, type Api, FUTURE, type Method, startApi, TARGET, type TestCaller } from "./api.ts";

let api: Api;
let caller: TestCaller;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());
beforeEach(async () => {
  caller = await api.account();
});

const ENDPOINTS: [Method, string, object?][] = [
  ["POST", "/v1/schedules", { targetUrl: TARGET, fireAt: FUTURE }],
  ["GET", "/v1/schedules"],
  ["GET", "/v1/schedules/sch_01h00000000000000000000000"],
  ["PATCH", "/v1/schedules/sch_01h00000000000000000000000", { earlyFire: true }],
  ["DELETE", "/v1/schedules/sch_01h00000000000000000000000"],
  ["GET", "/v1/schedules/sch_01h00000000000000000000000/attempts"],
  ["GET", "/v1/signing-secrets"],
];

/** Well-formed, of a cell that is not here. */
const CELL_KEY = "sw_live_c2_0123456789ABCDEFGHIJKLMNOPQRSTUV2rZVwg";

function expectUnauthorized(answer: Answer) {
  expect(answer.status).toBe(401);
  expect(answer.body).toEqual({
    error: {
      code: "UNAUTHORIZED",
      message: "A valid API key (Authorization: Bearer <API_KEY>) or a session is required.",
      doc_url: `${api.config.baseUrl}/docs/errors#unauthorized`,
    },
  });
  expect(answer.headers.get("www-authenticate")).toBe("Bearer");
}

describe("every endpoint refuses with the same message:", () => {
  it.each(ENDPOINTS)("%s %s", async (method, path, body) => {
    const revoked = await api.account();
    await api.sql`UPDATE api_keys SET revoked_at = now() WHERE account_id = ${revoked.accountId}`;
    const deactivated = await api.account();
    await api.sql`UPDATE accounts SET status = 'deactivated' WHERE id = ${deactivated.accountId}`;
    const deleted = await api.account();
    await api.sql`UPDATE accounts SET status = 'deleted' WHERE id = ${deleted.accountId}`;
    const refused = [
      null,
      "sw_live_",
      `${caller.live.slice(0, -1)}!`,
      `x${caller.live}`,
      generateApiKey("live"),
      CELL_KEY,
    ];
    for (const key of [...refused, revoked.live, deactivated.live, deleted.test]) {
      expectUnauthorized(await api.call(method, path, key, body));
    }
  });
});

describe("the Authorization header", () => {
  it.each(["Bearer", "bearer", "BEARER"])("may spell the scheme as %s", async (scheme) => {
    const headers = { authorization: `${scheme} ${caller.live}` };
    expect(await api.call("GET", "/v1/schedules", null, undefined, headers)).toMatchObject({ status: 200 });
  });

  it.each(["Basic KEY", "KEY", "BearerKEY", "Bearer KEY KEY", "Bearer KEY, Bearer KEY", "Bearer"])(
    "may not be %s",
    async (form) => {
      const headers = { authorization: form.replaceAll("KEY", caller.live) };
      expectUnauthorized(await api.call("GET", "/v1/schedules", null, undefined, headers));
    },
  );

  it("alone counts: a header meant for the framework grants nothing", async () => {
    const headers = { "x-middleware-subrequest": Array(5).fill("middleware").join(":") };
    expectUnauthorized(await api.call("GET", "/v1/schedules", null, undefined, headers));
  });

  it("is checked before the body and the query", async () => {
    expectUnauthorized(await api.call("POST", "/v1/schedules?x=1", null, "{", { "content-type": "text/plain" }));
  });
});

describe("an API key", () => {
  it("is refused at once after its revocation", async () => {
    expect(await api.call("GET", "/v1/schedules", caller.live)).toMatchObject({ status: 200 });
    await api.sql`UPDATE api_keys SET revoked_at = now() WHERE account_id = ${caller.accountId} AND env = 'live'`;
    expectUnauthorized(await api.call("GET", "/v1/schedules", caller.live));
    expect(await api.call("GET", "/v1/schedules", caller.test)).toMatchObject({ status: 200 });
  });

  it("has its last use recorded at most once a minute", async () => {
    const read = async () =>
      (
        await api.sql`SELECT last_used_at AS at, xmin::text FROM api_keys WHERE account_id = ${caller.accountId} AND env = 'live'`
      )[0];
    await Promise.all(Array.from({ length: 10 }, () => api.call("GET", "/v1/schedules", caller.live)));
    await waitFor("its use is recorded", async () => (await read())?.at);
    const first = await read();
    await api.call("GET", "/v1/schedules", caller.live);
    expect(await read()).toEqual(first);

    await api.sql`UPDATE api_keys SET last_used_at = now() - interval '61 s' WHERE account_id = ${caller.accountId}`;
    const old = await read();
    await waitFor("a use is recorded again", async () => {
      // A use is not recorded while the record of an earlier one is on its way.
      await api.call("GET", "/v1/schedules", caller.live);
      return (await read())?.xmin !== old?.xmin;
    });
  });

  it("is accepted even while its row cannot be written", async () => {
    await api.sql.begin(async (tx) => {
      await tx`SELECT 1 FROM api_keys WHERE account_id = ${caller.accountId} FOR NO KEY UPDATE`;
      expect(await api.call("GET", "/v1/schedules", caller.live)).toMatchObject({ status: 200 });
    });
  });
});

describe("a schedule of another account looks like one that never existed", () => {
  it.each<[Method, string, object?]>([
    ["GET", ""],
    ["PATCH", "", { earlyFire: true }],
    ["DELETE", ""],
    ["GET", "/attempts"],
  ])("to %s /v1/schedules/:id%s", async (method, suffix, body) => {
    const other = await api.account();
    const foreign = await api.create(other.live);
    const ownButTest = await api.create(caller.test);
    const before = await api.sql`SELECT * FROM schedules ORDER BY id`;
    const ids = [foreign, ownButTest, "sch_01h00000000000000000000000", "sch_", "x", "%00", foreign.toUpperCase()];
    const answers = await Promise.all(
      ids.map((id) => api.call(method, `/v1/schedules/${id}${suffix}`, caller.live, body)),
    );
    for (const answer of answers) expect(answer).toMatchObject({ status: 404, body: answers[0]?.body });
    expect(answers[0]?.body.error.code).toBe("NOT_FOUND");
    expect(await api.sql`SELECT * FROM schedules ORDER BY id`).toEqual(before);
  });

  it("and is in no list", async () => {
    const other = await api.account();
    await api.create(other.live);
    await api.create(caller.test);
    const own = await api.create(caller.live);
    const { body } = await api.call("GET", "/v1/schedules?limit=100", caller.live);
    expect([body.total, body.items.map((item: { id: string }) => item.id)]).toEqual([1, [own]]);
  });
});
