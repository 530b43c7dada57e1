import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { encodeId } from "#domain/ids.ts";
import { SOCKET_ADDRESS_HEADER, socketAddressValue } from "#server/http/socket-address.ts";
import { type SignInApi, sessionOf, startSignInApi } from "../../helpers/sign-in-api.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { call } from "../api/api.ts";

const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0";
const FROM = { [SOCKET_ADDRESS_HEADER]: socketAddressValue("192.0.2.77"), "user-agent": FIREFOX };

let signIn: SignInApi;
let nextId = 5_000;

beforeAll(async () => {
  signIn = await startSignInApi();
});
afterAll(() => signIn.stop());

/** Signs a person in by a link, or with GitHub. Returns the cookie of the new session. */
async function byLink(email: string, cookies = ""): Promise<string> {
  const { link, cookie } = await signIn.askForLink(email);
  const answer = await signIn.open(link, { cookie: [cookies, cookie].filter(Boolean).join("; "), ...FROM });
  return `sw_session=${sessionOf(answer)}`;
}

async function byGitHub(email: string, id = nextId++): Promise<string> {
  signIn.github.user = { id, login: "x", name: "X", email, isVerified: true };
  const went = await signIn.goToGitHub();
  return `sw_session=${sessionOf(await signIn.open(went.back, { cookie: went.cookie, ...FROM }))}`;
}

const events = async (cookie: string) => (await call("GET", "/v1/me/events", { cookie })).body.items;
const kinds = async (cookie: string) => (await events(cookie)).map(({ kind }: { kind: string }) => kind);
const accountIdOf = async (email: string) =>
  (await signIn.sql`SELECT id FROM accounts WHERE email = ${email}`)[0]?.id as string;
const mails = (email: string) => signIn.sql`
  SELECT n.content FROM notices n JOIN accounts a ON a.id = n.account_id WHERE a.email = ${email} AND n.kind = 'security'`;

describe("a sign-in", () => {
  it("by a mailed link is in the security log with its session, network and browser, and causes no further mail", async () => {
    const email = signIn.newEmail();
    const cookie = await byLink(email);
    const { body } = await call("GET", "/v1/me/sessions", { cookie });
    expect(await events(cookie)).toMatchObject([
      {
        kind: "signed_in",
        provider: null,
        sessionId: body.items[0].id,
        by: { kind: "sign_in", id: null },
        network: "192.0.2.0/24",
        userAgent: FIREFOX,
      },
    ]);
    expect(await mails(email)).toHaveLength(0);
  });

  it("with a provider for the first time links an identity, as the owner can later, which the log shows and the owner is mailed", async () => {
    const email = signIn.newEmail();
    const id = nextId++;
    await byGitHub(email, id);
    const cookie = await byGitHub(email, id);
    expect(await kinds(cookie)).toEqual(["signed_in", "signed_in", "identity_linked"]);
    expect((await events(cookie))[2]).toMatchObject({ provider: "github", network: "192.0.2.0/24" });
    const [mail, ...others] = await mails(email);
    expect(others).toEqual([]);
    expect(mail?.content).toMatchObject({
      events: [{ kind: "identity_linked", details: { provider: "github" }, network: "192.0.2.0/24" }],
      others: 0,
    });
    expect(JSON.stringify(await events(cookie))).not.toContain(String(id));
  });

  it("with a removed identity does not link it anew; its owner can from inside a session, and is mailed again", async () => {
    const email = signIn.newEmail();
    const id = nextId++;
    const cookie = await byGitHub(email, id);
    expect(await mails(email)).toHaveLength(1);
    await call("DELETE", "/v1/me/identities", { cookie });
    expect(await call("GET", "/v1/me", { cookie })).toMatchObject({ status: 200 });
    expect(await byGitHub(email, id)).toBe("sw_session=undefined");
    await signIn.link(cookie.slice("sw_session=".length), FROM);
    expect(await kinds(cookie)).toEqual(["identity_linked", "identity_removed", "signed_in", "identity_linked"]);
    const [mail] = await mails(email);
    expect(mail?.content.events).toHaveLength(2);
  });

  it("that fails leaves neither an event nor a mail", async () => {
    const email = signIn.newEmail();
    await byLink(email);
    signIn.github.user = { id: nextId++, login: "x", name: "X", email, isVerified: false };
    const went = await signIn.goToGitHub();
    expect(sessionOf(await signIn.open(went.back, { cookie: went.cookie }))).toBeUndefined();
    const rows = await signIn.sql`
      SELECT e.kind FROM security_events e JOIN accounts a ON a.id = e.account_id WHERE a.email = ${email}`;
    expect(rows.map(({ kind }) => kind)).toEqual(["signed_in"]);
    expect(await mails(email)).toHaveLength(0);
  });
});

describe("the end of a session is in the security log", () => {
  it("of a sign-out, of all others at once, of one by its id, and of the session that a new sign-in replaces", async () => {
    const email = signIn.newEmail();
    const [one, two, three] = [await byLink(email), await byLink(email), await byLink(email)];
    await call("POST", "/v1/auth/logout", { cookie: one }, undefined, FROM);
    await call("POST", "/v1/auth/logout", { cookie: one }, undefined, FROM);
    await byLink(email);
    await call("DELETE", "/v1/me/sessions", { cookie: two });
    await call("DELETE", "/v1/me/sessions", { cookie: two });
    const { id } = await signIn.api.session(await accountIdOf(email));
    await call("DELETE", `/v1/me/sessions/${encodeId("ses", id)}`, { cookie: two });
    const last = await byLink(email, two);
    const ended = (await events(last)).filter(({ kind }: { kind: string }) => kind === "session_ended");
    expect(ended).toMatchObject([
      { count: 1, by: { kind: "sign_in" }, network: "192.0.2.0/24" },
      { count: 1, by: { kind: "session" }, sessionId: encodeId("ses", id) },
      { count: 2, by: { kind: "session" }, sessionId: null },
      { count: 1, by: { kind: "session" }, sessionId: expect.stringMatching(/^ses_/), userAgent: FIREFOX },
    ]);
    expect(three).not.toBe(two);
  });
});

describe("a refused credential is in the security log of its account", () => {
  it("for a revoked key and for a key of a deactivated account, by name and reason, and not for a key that never existed", async () => {
    const { api } = signIn;
    const caller = await api.account();
    const session = await api.session(caller.accountId);
    const { id } = (await call("GET", "/v1/me", caller.test)).body.apiKey;
    await call("POST", `/v1/api-keys/${id}/revoke`, session);
    expect(await call("GET", "/v1/usage", caller.test, undefined, FROM)).toMatchObject({ status: 401 });
    expect(await call("GET", "/v1/usage", `${caller.live.slice(0, -1)}!`)).toMatchObject({ status: 401 });
    await signIn.sql`UPDATE accounts SET status = 'deactivated' WHERE id = ${caller.accountId}`;
    expect(await call("GET", "/v1/usage", caller.live, undefined, FROM)).toMatchObject({ status: 401 });
    await signIn.sql`UPDATE accounts SET status = 'active' WHERE id = ${caller.accountId}`;
    const refused = await waitFor("both refusals are written", async () => {
      const found = (await events(session.cookie)).filter(
        ({ kind }: { kind: string }) => kind === "credential_refused",
      );
      return found.length === 2 && found;
    });
    const [{ id: liveKey } = {}] = await signIn.sql`
      SELECT id FROM api_keys WHERE account_id = ${caller.accountId} AND env = 'live'`;
    expect(refused).toMatchObject([
      { reason: "deactivated", apiKey: { id: encodeId("key", liveKey), env: "live" }, by: null, count: 1 },
      { reason: "revoked", apiKey: { id, name: "k", env: "test" }, network: "192.0.2.0/24", userAgent: FIREFOX },
    ]);
  });

  it("for an expired session, once, and not for one that is ended", async () => {
    const { api } = signIn;
    const caller = await api.account();
    const [session, expired] = [
      await api.session(caller.accountId),
      await api.session(caller.accountId, { ageDays: 8 }),
    ];
    expect(await call("GET", "/v1/me", expired, undefined, FROM)).toMatchObject({ status: 401 });
    expect(await call("GET", "/v1/me", { cookie: `${expired.cookie}; ${session.cookie}` })).toMatchObject({
      status: 200,
    });
    const refused = await waitFor("the refusal is written", async () => {
      const found = await events(session.cookie);
      return found.length > 0 && found;
    });
    expect(refused).toMatchObject([
      {
        kind: "credential_refused",
        reason: "expired",
        sessionId: encodeId("ses", expired.id),
        apiKey: null,
        network: "192.0.2.0/24",
        count: 1,
      },
    ]);
  });
});
