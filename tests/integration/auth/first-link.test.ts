import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createApiKey } from "#db/queries/accounts/api-keys.ts";
import { verifyEmail } from "#db/queries/accounts/verify-email.ts";
import { ENVIRONMENTS } from "#domain/environment.ts";
import { type FakeGoogle, startFakeGoogle } from "../../helpers/fake-google.ts";
import { type SignInApi, sessionOf, startSignInApi } from "../../helpers/sign-in-api.ts";
import { call } from "../api/api.ts";

let google: FakeGoogle;
let signIn: SignInApi;
let nextId = 20_000;

beforeAll(async () => {
  google = await startFakeGoogle();
  signIn = await startSignInApi({
    ADMIN_EMAILS: "root@example.com",
    AUTH_GOOGLE_ID: google.id,
    AUTH_GOOGLE_SECRET: google.secret,
    AUTH_GOOGLE_ISSUER: google.issuer,
  });
  google.register(`${signIn.api.config.baseUrl}/v1/auth/oauth/google/callback`);
});
afterAll(async () => {
  await signIn?.stop();
  await google?.stop();
});
beforeEach(() => signIn.sql`DELETE FROM sign_in_requests`);

const accountIdOf = async (email: string) =>
  (await signIn.sql`SELECT id FROM accounts WHERE email = ${email}`)[0]?.id as string;
const me = (cookie: string) => call("GET", "/v1/me", { cookie });
const keyStatus = async (key: string) => (await call("GET", "/v1/usage", key)).status;
const secretsOf = async (cookie: string, env: string) =>
  (await call("GET", `/v1/signing-secrets?env=${env}`, { cookie })).body as { current: string; next: string };

async function byGitHub(email: string, id: number) {
  signIn.github.user = { id, login: "x", name: "X", email, isVerified: true };
  const { back, cookie } = await signIn.goToGitHub();
  return signIn.open(back, { cookie });
}

/** Somebody makes an account at GitHub by an address that GitHub verified once, and a key of each environment. */
async function openedAtGitHub(email = signIn.newEmail()) {
  const id = nextId++;
  const cookie = `sw_session=${sessionOf(await byGitHub(email, id))}`;
  const keys: string[] = [];
  for (const env of ENVIRONMENTS) {
    keys.push((await call("POST", "/v1/api-keys", { cookie }, { name: `by the first, ${env}`, env })).body.key);
  }
  return { email, id, cookie, keys };
}

describe("an account that was made at a provider that does not vouch for the address", () => {
  it("is not verified, whatever is done with it, until a mailed link is redeemed", async () => {
    const { email, id, cookie } = await openedAtGitHub();
    expect((await me(cookie)).body).toMatchObject({ user: { email, emailVerified: false }, isAdmin: false });
    expect((await me(`sw_session=${sessionOf(await byGitHub(email, id))}`)).body.user.emailVerified).toBe(false);
    const session = await signIn.session(email);
    expect((await me(`sw_session=${session}`)).body.user.emailVerified).toBe(true);
  });

  it("is the mailbox owner's alone from the first link on: sessions, keys and identities from before end, and the secrets that were read are replaced", async () => {
    const { email, id, cookie, keys } = await openedAtGitHub();
    const known = await Promise.all(ENVIRONMENTS.map((env) => secretsOf(cookie, env)));
    expect(await Promise.all(keys.map(keyStatus))).toEqual([200, 200]);
    const owner = `sw_session=${await signIn.session(email)}`;
    expect(await accountIdOf(email)).toBeDefined();
    expect((await me(cookie)).status).toBe(401);
    expect(await Promise.all(keys.map(keyStatus))).toEqual([401, 401]);
    const again = await byGitHub(email, id);
    expect([again.headers.get("location"), sessionOf(again)]).toEqual(["/login?error=link_needed", undefined]);
    const now = await Promise.all(ENVIRONMENTS.map((env) => secretsOf(owner, env)));
    for (const { current, next } of known) {
      for (const pair of now) expect([pair.current, pair.next]).not.toEqual(expect.arrayContaining([current]));
      for (const pair of now) expect([pair.current, pair.next]).not.toEqual(expect.arrayContaining([next]));
    }
  });

  it("says in its security log what the first link ended", async () => {
    const { email } = await openedAtGitHub();
    const owner = `sw_session=${await signIn.session(email)}`;
    const { items } = (await call("GET", "/v1/me/events", { cookie: owner })).body;
    const ended = items.filter(({ by }: { by: { kind: string } }) => by?.kind === "sign_in");
    expect(ended.map(({ kind }: { kind: string }) => kind)).toEqual(
      expect.arrayContaining([
        ...["identity_removed", "session_ended", "api_key_revoked", "api_key_revoked"],
        ...["signing_secrets_rotated", "signing_secrets_rotated"],
      ]),
    );
    expect(ended).toContainEqual(
      expect.objectContaining({
        kind: "api_key_revoked",
        apiKey: expect.objectContaining({ name: "by the first, live" }),
      }),
    );
  });

  it("is so too when whoever made it has removed the identity before", async () => {
    const { email, cookie, keys } = await openedAtGitHub();
    await call("DELETE", "/v1/me/identities", { cookie });
    await signIn.session(email);
    expect([(await me(cookie)).status, ...(await Promise.all(keys.map(keyStatus)))]).toEqual([401, 401, 401]);
  });

  it("keeps nothing that is made while the first link is redeemed: keys, sessions and identities", async () => {
    const { email, id, cookie } = await openedAtGitHub();
    const accountId = await accountIdOf(email);
    const { link, cookie: browser } = await signIn.askForLink(email);
    const went = await Promise.all(
      [0, 1, 2].map(async () => {
        signIn.github.user = { id, login: "x", name: "X", email, isVerified: true };
        return signIn.goToGitHub();
      }),
    );
    const [answer] = await Promise.all([
      signIn.open(link, { cookie: browser }),
      ...Array.from({ length: 12 }, (_, n) => call("POST", "/v1/api-keys", { cookie }, { name: `k${n}`, env: "test" })),
      ...went.map((one) => signIn.open(one.back, { cookie: one.cookie })),
    ]);
    expect(sessionOf(answer)).toBeDefined();
    const [left] = await signIn.sql`
      SELECT (SELECT count(*)::integer FROM sessions WHERE account_id = ${accountId}) AS sessions,
        (SELECT count(*)::integer FROM identities WHERE account_id = ${accountId}) AS identities,
        (SELECT count(*)::integer FROM api_keys WHERE account_id = ${accountId} AND revoked_at IS NULL) AS keys`;
    expect(left).toEqual({ sessions: 1, identities: 0, keys: 0 });
  });

  it("loses nothing by a second link, and nothing that its owner made", async () => {
    const { email } = await openedAtGitHub();
    const first = await signIn.session(email);
    const cookie = `sw_session=${first}`;
    const { key } = (await call("POST", "/v1/api-keys", { cookie }, { name: "mine", env: "live" })).body;
    signIn.github.user = { id: nextId++, login: "x", name: "X", email, isVerified: true };
    expect((await signIn.link(first)).headers.get("location")).toBe("/account");
    await signIn.session(email);
    expect([(await me(cookie)).status, await keyStatus(key)]).toEqual([200, 200]);
    expect((await call("GET", "/v1/me/identities", { cookie })).body.items).toHaveLength(1);
  });

  it("is ended by an operator who verifies the address, too", async () => {
    const { email, cookie, keys } = await openedAtGitHub();
    const { database, config } = signIn.api.services;
    const id = await accountIdOf(email);
    const by = { actor: "operator", network: null, userAgent: null, keyRing: config.keyRing } as const;
    await database.run(5_000, ({ db }) => verifyEmail(db, id, by));
    expect([(await me(cookie)).status, ...(await Promise.all(keys.map(keyStatus)))]).toEqual([401, 401, 401]);
  });

  it("is made by no address of an administrator", async () => {
    const answer = await byGitHub("root@example.com", nextId++);
    expect([answer.headers.get("location"), sessionOf(answer)]).toEqual(["/login?error=link_needed", undefined]);
  });
});

describe("the first link ends nothing", () => {
  it("of an account that an operator made", async () => {
    const { accountId } = await signIn.api.account();
    const email = signIn.newEmail();
    await signIn.sql`UPDATE accounts SET email = ${email}, email_verified_at = NULL WHERE id = ${accountId}`;
    const { database, config } = signIn.api.services;
    const { key } = await database.run(5_000, ({ db }) =>
      createApiKey(db, { accountId, env: "live", name: "deploy" }, config.plans.free),
    );
    await signIn.session(email);
    expect(await keyStatus(key)).toBe(200);
  });
});

describe("an account that was made at Google", () => {
  it.each([
    ["by an address that Google keeps is verified, and the first link ends nothing", { hd: "example.com" }, true],
    ["by any other address is not verified, and the first link ends what was there", {}, false],
  ])("%s", async (_, claims, isVouched) => {
    const email = signIn.newEmail();
    google.user = { sub: crypto.randomUUID(), email, isVerified: true, name: "G", ...claims };
    const cookie = `sw_session=${sessionOf(await signIn.throughGoogle())}`;
    expect((await me(cookie)).body.user).toMatchObject({ email, emailVerified: isVouched });
    await signIn.session(email);
    expect((await me(cookie)).status).toBe(isVouched ? 200 : 401);
  });
});
