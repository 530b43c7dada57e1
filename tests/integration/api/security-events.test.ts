import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { POST as removeByForm } from "#app/(dashboard)/account/identities/remove/route.ts";
import { recordRefusedCredential, recordSecurityEvent } from "#db/queries/accounts/security-events.ts";
import { encodeId, newId } from "#domain/ids.ts";
import { SECURITY_EVENTS_PER_KIND_MAX } from "#domain/security-events.ts";
import { SOCKET_ADDRESS_HEADER, socketAddressValue } from "#server/http/socket-address.ts";
import { type Api, startApi, type TestCaller, type TestSession } from "./api.ts";

const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0";
const FROM = { [SOCKET_ADDRESS_HEADER]: socketAddressValue("192.0.2.77"), "user-agent": FIREFOX };
const NOWHERE = { network: null, userAgent: null };

let api: Api;
let caller: TestCaller;
let session: TestSession;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());
beforeEach(async () => {
  caller = await api.account();
  session = await api.session(caller.accountId);
});

const post = (path: string, body?: unknown) => api.call("POST", path, session, body, FROM);
const events = async (query = "") => (await api.call("GET", `/v1/me/events${query}`, session)).body.items;
const mails = async () => api.sql`
  SELECT content, next_try_at, created_at FROM notices WHERE account_id = ${caller.accountId} AND kind = 'security'
  ORDER BY created_at, id`;

async function linkIdentity(provider: "google" | "github", id: string = crypto.randomUUID()): Promise<string> {
  const [row] = await api.sql`
    INSERT INTO identities (provider, provider_account_id, account_id, created_at)
    VALUES (${provider}, ${id}, ${caller.accountId}, ${provider === "google" ? "2026-01-01" : "2026-01-02"})
    RETURNING id`;
  return encodeId("idn", row?.id);
}

describe("GET /v1/me/events", () => {
  it("shows what was done to keys and signing secrets, by which session, and from which network and browser", async () => {
    const { body: key } = await post("/v1/api-keys", { name: "CI", env: "test" });
    const { body: replacement } = await post(`/v1/api-keys/${key.id}/rotate`);
    await post(`/v1/api-keys/${replacement.id}/revoke`);
    await post(`/v1/api-keys/${replacement.id}/revoke`);
    await api.call("POST", "/v1/signing-secrets/rotate", caller.test, undefined, FROM);
    const [rotation, ...ofKeys] = await events();
    const common = { count: 1, by: { kind: "session", id: encodeId("ses", session.id) }, sessionId: null, env: null };
    const source = { network: "192.0.2.0/24", userAgent: FIREFOX, scheduleId: null, provider: null, reason: null };
    expect(ofKeys).toEqual(
      [
        { kind: "api_key_revoked", apiKey: { id: replacement.id, name: "CI", env: "test" } },
        { kind: "api_key_rotated", apiKey: { id: replacement.id, name: "CI", env: "test" } },
        { kind: "api_key_created", apiKey: { id: key.id, name: "CI", env: "test" } },
      ].map((event) => ({
        ...event,
        ...common,
        ...source,
        id: expect.stringMatching(/^evt_/),
        at: expect.any(String),
        lastAt: expect.any(String),
      })),
    );
    expect(rotation).toMatchObject({ kind: "signing_secrets_rotated", env: "test", by: { kind: "api_key" } });
    const stored = JSON.stringify(await api.sql`SELECT * FROM security_events WHERE account_id = ${caller.accountId}`);
    for (const secret of [key.key, replacement.key, session.token, "192.0.2.77"]) expect(stored).not.toContain(secret);
  });

  it("shows nothing of other accounts, and is closed to API keys", async () => {
    const stranger = await api.session((await api.account()).accountId);
    await post("/v1/signing-secrets/rotate");
    expect((await api.call("GET", "/v1/me/events", stranger)).body.items).toEqual([]);
    expect(await api.call("GET", "/v1/me/events", caller.live)).toMatchObject({ status: 403 });
  });

  it("walks through all events page by page, by the links and by the cursor of a page", async () => {
    for (let n = 0; n < 5; n++) await post("/v1/signing-secrets/rotate");
    const all = await events();
    const seen: unknown[] = [];
    let path: string | undefined = "/v1/me/events?limit=2";
    for (let page = 0; path !== undefined && page < 5; page++) {
      const answer: Awaited<ReturnType<typeof api.call>> = await api.call("GET", path, session);
      expect(answer.body.total).toBe(5);
      seen.push(...answer.body.items);
      path = /<https:\/\/api\.example\.com([^>]+)>; rel="next"/.exec(answer.headers.get("link") ?? "")?.[1];
    }
    expect(seen).toEqual(all);
    const { id, at } = all[2];
    expect(new Date(at).getTime()).toBeGreaterThan(0);
    expect(id).toMatch(/^evt_/);
    for (const query of ["?offset=-1", "?limit=0", "?after=x", "?kind=signed_in"])
      expect(await api.call("GET", `/v1/me/events${query}`, session)).toMatchObject({ status: 400 });
  });

  it("shows that an administrator deactivated and reactivated the account, but neither who, nor why, nor from where", async () => {
    const { deactivateAccount } = await import("#server/admin/deactivate.ts");
    const { reactivateAccount } = await import("#server/admin/reactivate.ts");
    const { Admin } = await import("#server/admin/admin.ts");
    const admin = await api.account();
    const ctx = {
      config: api.config,
      tenant: { accountId: admin.accountId, env: "live" as const },
      credential: { kind: "session" as const, id: newId(Date.now()), email: "root@example.com", isAdmin: true },
      query: (work: never) => api.services.database.run(5_000, work),
    };
    const acting = Admin.ofSession(ctx as never, null);
    await deactivateAccount(acting, encodeId("acc", caller.accountId), "a reason");
    await reactivateAccount(acting, encodeId("acc", caller.accountId));
    session = await api.session(caller.accountId);
    const seen = await events();
    expect(seen.map(({ kind, by }: { kind: string; by: unknown }) => [kind, by])).toEqual([
      ["account_reactivated", { kind: "administrator", id: null }],
      ["account_deactivated", { kind: "administrator", id: null }],
    ]);
    expect(JSON.stringify(seen)).not.toMatch(/a reason|root@example/);
  });
});

describe("the security log", () => {
  it("has no row of an act that was rolled back, and no mail is sent about it", async () => {
    const [{ n: before } = {}] = await api.sql`SELECT count(*)::int AS n FROM security_events`;
    await api.services.database
      .run(5_000, ({ db }) =>
        db.transaction(async (tx) => {
          const event = { accountId: caller.accountId, kind: "api_key_created", actor: "session" } as const;
          await recordSecurityEvent(tx, { ...event, ...NOWHERE });
          throw new Error("rolled back");
        }),
      )
      .catch(() => {});
    expect((await api.sql`SELECT count(*)::int AS n FROM security_events`)[0]?.n).toBe(before);
    expect(await mails()).toHaveLength(0);
  });

  it("counts refusals of a credential within an hour in one row, whatever their number and networks", async () => {
    const refused = { accountId: caller.accountId, subjectId: newId(Date.now()), userAgent: null } as const;
    const details = { keyName: "old", env: "live", reason: "revoked" } as const;
    for (const [times, network] of [
      [1, "192.0.2.0/24"],
      [40_000, "198.51.100.0/24"],
      [2_147_483_647, "203.0.113.0/24"],
    ] as const) {
      await api.services.database.run(5_000, ({ db }) =>
        recordRefusedCredential(db, { ...refused, details, network }, times),
      );
    }
    const [event, ...others] = await events();
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      kind: "credential_refused",
      count: 2_147_483_647,
      by: null,
      network: "203.0.113.0/24",
      reason: "revoked",
      apiKey: { id: encodeId("key", refused.subjectId), name: "old", env: "live" },
    });
    expect(new Date(event.lastAt).getTime()).toBeGreaterThanOrEqual(new Date(event.at).getTime());
  });

  it(`keeps the newest ${SECURITY_EVENTS_PER_KIND_MAX} events of a kind, and does not displace those of another kind`, async () => {
    await linkIdentity("github");
    await api.call("DELETE", "/v1/me/identities", session);
    await api.sql`
      INSERT INTO security_events (id, account_id, kind, at, last_at, details)
      SELECT gen_random_uuid(), ${caller.accountId}, 'signing_secrets_rotated', now() - n * interval '1 hour', now(), '{}'
      FROM generate_series(1, ${SECURITY_EVENTS_PER_KIND_MAX + 5}::int) n`;
    await post("/v1/signing-secrets/rotate");
    const rows = await api.sql`
      SELECT kind, count(*)::int AS n, min(at) < now() - interval '299.5 hours' AS is_old, max(at) > now() - interval '1 minute' AS is_new
      FROM security_events WHERE account_id = ${caller.accountId} GROUP BY kind ORDER BY kind`;
    expect(rows.map((row) => ({ ...row }))).toEqual([
      { kind: "identity_removed", n: 1, is_old: false, is_new: true },
      { kind: "signing_secrets_rotated", n: SECURITY_EVENTS_PER_KIND_MAX, is_old: false, is_new: true },
    ]);
  });

  it("records the deletion of an account, and nothing more once it is deleted", async () => {
    await api.call("DELETE", "/v1/me", session, undefined, FROM);
    const late = { accountId: caller.accountId, subjectId: newId(Date.now()), details: {}, ...NOWHERE };
    await api.services.database.run(5_000, ({ db }) => recordRefusedCredential(db, late, 1));
    const rows = await api.sql`SELECT kind, network FROM security_events WHERE account_id = ${caller.accountId}`;
    expect(rows.map((row) => ({ ...row }))).toEqual([{ kind: "account_deleted", network: "192.0.2.0/24" }]);
  });
});

describe("the owner is told by mail", () => {
  it("of a new and of a rotated key, with notices off too, in the transaction of the act and without its value", async () => {
    await api.call("PATCH", "/v1/me", session, { notices: false });
    const { body: key } = await post("/v1/api-keys", { name: "CI", env: "live" });
    const { body: rotated } = await post(`/v1/api-keys/${key.id}/rotate`);
    const [mail, ...others] = await mails();
    expect(others).toEqual([]);
    expect(mail?.content.events.map((event: { kind: string }) => event.kind)).toEqual([
      "api_key_created",
      "api_key_rotated",
    ]);
    expect(mail?.next_try_at).toEqual(mail?.created_at);
    expect(JSON.stringify(mail)).not.toMatch(new RegExp(`${key.key}|${rotated.key}`));
  });

  it("at most every 15 minutes: what happens in between is in one further mail, which lists ten and counts the rest", async () => {
    const make = () => post("/v1/api-keys", { name: "CI", env: "live" });
    await make();
    await api.sql`
      UPDATE notices SET attempts = 1, outcome = 'sent', ended_at = now() WHERE account_id = ${caller.accountId}`;
    await Promise.all(Array.from({ length: 14 }, make));
    const [sent, next, ...others] = await mails();
    expect(others).toEqual([]);
    expect(next?.content.events).toHaveLength(10);
    expect(next?.content.others).toBe(4);
    const pauseMs = next?.next_try_at.getTime() - sent?.created_at.getTime();
    expect(pauseMs).toBeGreaterThanOrEqual(15 * 60_000);
    expect(pauseMs).toBeLessThan(16 * 60_000);
  });
});

describe("/v1/me/identities", () => {
  it("lists the linked identities without the provider's ids, and removes one by its id", async () => {
    const google = await linkIdentity("google", "googles-id-of-ada");
    const gitHub = await linkIdentity("github");
    const { body, text } = await api.call("GET", "/v1/me/identities", session);
    expect(body.items).toEqual([
      { id: google, provider: "google", createdAt: expect.any(String) },
      { id: gitHub, provider: "github", createdAt: expect.any(String) },
    ]);
    expect(text).not.toContain("googles-id-of-ada");
    expect(await api.call("DELETE", `/v1/me/identities/${google}`, session)).toMatchObject({ status: 204 });
    expect(await api.call("DELETE", `/v1/me/identities/${google}`, session)).toMatchObject({ status: 404 });
    expect((await api.call("GET", "/v1/me/identities", session)).body.items).toMatchObject([{ id: gitHub }]);
    expect(await events()).toMatchObject([{ kind: "identity_removed", provider: "google" }]);
  });

  it("removes those of one provider, or all, and answers 204 where there is none", async () => {
    await linkIdentity("google");
    await linkIdentity("google");
    await linkIdentity("github");
    const remove = (query = "") => api.call("DELETE", `/v1/me/identities${query}`, session);
    const left = async () =>
      (await api.call("GET", "/v1/me/identities", session)).body.items.map((one: { provider: string }) => one.provider);
    expect(await remove("?provider=google")).toMatchObject({ status: 204, text: "" });
    expect(await left()).toEqual(["github"]);
    expect(await remove("?provider=gitlab")).toMatchObject({ status: 400 });
    for (const query of ["", ""]) expect(await remove(query)).toMatchObject({ status: 204 });
    expect(await left()).toEqual([]);
  });

  it("removes one by the form of the account page too, and a form that is sent twice says the same", async () => {
    const id = await linkIdentity("github");
    const send = () =>
      removeByForm(
        new Request("http://127.0.0.1/account/identities/remove", {
          method: "POST",
          headers: { cookie: session.cookie, origin: "https://api.example.com" },
          body: new URLSearchParams({ id }),
        }),
        { params: Promise.resolve({}) },
      );
    for (const { status, headers } of [await send(), await send()]) {
      expect([status, headers.get("location")]).toEqual([303, "/account"]);
      expect(headers.get("set-cookie")).toContain("flash=result=unlinked");
    }
    expect((await api.call("GET", "/v1/me/identities", session)).body.items).toEqual([]);
    expect(await events()).toHaveLength(1);
  });

  it("leaves identities of other accounts alone", async () => {
    const own = await linkIdentity("github");
    const stranger = await api.session((await api.account()).accountId);
    expect(await api.call("DELETE", `/v1/me/identities/${own}`, stranger)).toMatchObject({ status: 404 });
    expect(await api.call("DELETE", "/v1/me/identities", stranger)).toMatchObject({ status: 204 });
    expect((await api.call("GET", "/v1/me/identities", session)).body.items).toHaveLength(1);
  });
});
