import { beforeEach, describe, expect, it } from "vitest";
import { ENDPOINTS } from "#contract/endpoints.ts";
import { encodeId } from "#domain/ids.ts";
import type { TestStripe } from "../../helpers/stripe.ts";
import { type Api, TARGET, type TestCaller, type TestSession } from "./api.ts";
import { withStripe } from "./with-stripe.ts";

let api: Api;
let caller: TestCaller;
let session: TestSession;
let stripe: TestStripe;
let keyId: string;

withStripe({}, (made) => {
  ({ stripe, api, caller, session } = made);
});
beforeEach(async () => {
  keyId = (await api.call("GET", "/v1/me", caller.test)).body.apiKey.id;
});

const JSON_TYPE = { "content-type": "application/json" };

/**
 * Endpoints with bodies in another format: an event of the billing provider, and the one-click request of a mail
 * program.
 */
const OF_OTHERS = ["receiveBillingEvent", "unsubscribe"];

/** Every endpoint that writes and takes no body. */
const WITHOUT_BODY = ENDPOINTS.filter(
  ({ method, body, operationId }) => method !== "GET" && body === undefined && !OF_OTHERS.includes(operationId),
);

/** The id or key of something of the account that a call of `path` may act on. */
async function idFor(path: string): Promise<string> {
  if (path.startsWith("/v1/recurrences/")) {
    await api.call("PUT", "/v1/recurrences/a", caller.live, { cron: "@yearly", targetUrl: TARGET });
    return "a";
  }
  if (path.includes("{key}")) {
    await api.create(caller.live, { idempotencyKey: "a" });
    return "a";
  }
  if (path.startsWith("/v1/schedules/")) return api.create(caller.live);
  if (path.startsWith("/v1/me/identities/")) return linkIdentity();
  if (path.startsWith("/v1/me/sessions/")) return otherSession();
  if (!path.startsWith("/v1/operations/")) return keyId;
  // An operation over nothing has ended when it is accepted.
  await api.create(caller.live);
  return (await api.call("POST", "/v1/operations", caller.live, { action: "cancel", all: true })).body.id;
}

async function linkIdentity(): Promise<string> {
  const [row] = await api.sql`
    INSERT INTO identities (provider, provider_account_id, account_id)
    VALUES ('github', ${crypto.randomUUID()}, ${caller.accountId}) RETURNING id`;
  return encodeId("idn", row?.id);
}

/** A session of the account that is not the caller's, made when there is none. */
async function otherSession(): Promise<string> {
  const [row] = await api.sql`
    SELECT id FROM sessions WHERE account_id = ${caller.accountId} AND id <> ${session.id} LIMIT 1`;
  return encodeId("ses", row?.id ?? (await api.session(caller.accountId)).id);
}

/** Gives the account a subscription, which the billing portal requires. */
async function subscribe() {
  const customer = { id: `cus_${crypto.randomUUID().slice(0, 8)}`, email: "a@example.com" };
  stripe.customers.set(customer.id, customer);
  await api.sql`
    INSERT INTO subscriptions (account_id, customer_id, status) VALUES (${caller.accountId}, ${customer.id}, 'active')`;
}

it("the tests cover all endpoints that take no body", () => {
  expect(WITHOUT_BODY.map(({ operationId }) => operationId).toSorted()).toEqual([
    "cancelSchedule",
    "cancelScheduleByKey",
    "deleteAccount",
    "deleteRecurrence",
    "endOtherSessions",
    "endSession",
    "fireSchedule",
    "logOut",
    "openPortal",
    "removeIdentities",
    "removeIdentity",
    "resumeRecurrence",
    "revokeApiKey",
    "rotateSigningSecrets",
    "startCheckout",
    "stopOperation",
  ]);
});

describe.each(WITHOUT_BODY)("$method $path, which takes no body", ({ method, path }) => {
  const send = async (body: unknown, headers: Record<string, string> = {}) => {
    if (path.endsWith("/portal")) await subscribe();
    const id = await idFor(path);
    return api.call(method, path.replace(/\{(id|key)\}/, id), { cookie: session.cookie }, body, headers);
  };

  it.each<[string, unknown, Record<string, string>]>([
    ["none", undefined, {}],
    ["none, but a type", undefined, { "content-type": "text/plain" }],
    ["an empty one", "", { ...JSON_TYPE, "content-length": "0" }],
    ["an empty one of another type", "", { "content-type": "text/plain" }],
    ["an empty object", "{}", JSON_TYPE],
    ["an empty object with spaces", " {\n} ", JSON_TYPE],
  ])("accepts %s", async (_, body, headers) => {
    const { status } = await send(body, headers);
    expect([200, 201, 204]).toContain(status);
  });

  it.each<[string, unknown, Record<string, string>, number, string]>([
    ["a field", '{"x":1}', JSON_TYPE, 400, "VALIDATION"],
    ["broken JSON", '{"x":', JSON_TYPE, 400, "VALIDATION"],
    ["an array", "[]", JSON_TYPE, 400, "VALIDATION"],
    ["null", "null", JSON_TYPE, 400, "VALIDATION"],
    ["more than an empty object could be", `{"x":"${"a".repeat(3_000_000)}"}`, JSON_TYPE, 400, "VALIDATION"],
    ["text", "hello", { "content-type": "text/plain" }, 415, "UNSUPPORTED_MEDIA_TYPE"],
    ["an empty object as text", "{}", { "content-type": "text/plain" }, 415, "UNSUPPORTED_MEDIA_TYPE"],
    ["an empty object in gzip", "{}", { ...JSON_TYPE, "content-encoding": "gzip" }, 415, "UNSUPPORTED_MEDIA_TYPE"],
  ])("refuses %s, and does nothing", async (_, body, headers, status, code) => {
    const stateOf = () => api.sql`
      SELECT (SELECT status FROM accounts WHERE id = ${caller.accountId}) AS account,
        (SELECT count(*) FROM sessions WHERE account_id = ${caller.accountId}) AS sessions,
        (SELECT count(*) FROM api_keys WHERE account_id = ${caller.accountId} AND revoked_at IS NULL) AS keys,
        (SELECT count(*) FROM subscriptions WHERE account_id = ${caller.accountId} AND status = 'none') AS checkouts,
        (SELECT count(*) FROM schedules WHERE account_id = ${caller.accountId} AND status = 'cancelled') AS cancelled,
        (SELECT json_agg(s ORDER BY s::text) FROM signing_secrets s WHERE account_id = ${caller.accountId})::text AS secrets`;
    await api.session(caller.accountId);
    const before = await stateOf();
    expect(await send(body, headers)).toMatchObject({ status, body: { error: { code } } });
    expect(await stateOf()).toEqual(before);
  });
});

it("an endpoint whose body is optional refuses one of another type, and accepts an empty one of any type", async () => {
  const replay = `/v1/schedules/${await api.create(caller.live)}/replay`;
  const text = { "content-type": "text/plain" };
  expect(await api.call("POST", replay, caller.live, "hello", text)).toMatchObject({ status: 415 });
  expect(await api.call("POST", replay, caller.live, '{"x":1}')).toMatchObject({ status: 400 });
  expect(await api.call("POST", replay, caller.live, "", text)).toMatchObject({ status: 201 });
});
