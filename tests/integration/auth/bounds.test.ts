import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createSession } from "#db/queries/accounts/sessions.ts";
import { hashSessionToken } from "#domain/session-token.ts";
import { type SignInApi, sessionOf, startSignInApi } from "../../helpers/sign-in-api.ts";

const MAX = 3;
let nextId = 9_000;
let signIn: SignInApi;
let email: string;
let accountId: string;
let session: string;

beforeAll(async () => {
  const plan = { requestsPerMinute: 1_000_000, sessionsMax: MAX, identitiesMax: 2 };
  signIn = await startSignInApi({ PLANS: JSON.stringify({ free: plan, indie: { ...plan, sessionsMax: MAX + 2 } }) });
});
afterAll(() => signIn.stop());
beforeEach(async () => {
  await signIn.sql`DELETE FROM sign_in_requests`;
  email = signIn.newEmail();
  session = await signIn.session(email);
  accountId = (await signIn.sql`SELECT id FROM accounts WHERE email = ${email}`)[0]?.id;
});

/** Adds sessions that were used last 1, 2, … hours ago; those from `aliveMax` on have expired. */
const addSessions = (count: number, aliveMax = count) => signIn.sql`
  INSERT INTO sessions (token_hash, account_id, created_at, last_used_at, expires_at)
  SELECT ${accountId}::text || n, ${accountId}, now() - interval '1 day', now() - n * interval '1 hour',
    now() + CASE WHEN n <= ${aliveMax}::integer THEN 1 ELSE -1 END * interval '1 hour'
  FROM generate_series(1, ${count}::integer) n`;

/** The sessions, most recently used first: `new`, or the number of those that `addSessions` made. */
async function sessions() {
  const rows = await signIn.sql`
    SELECT token_hash FROM sessions WHERE account_id = ${accountId} ORDER BY last_used_at DESC`;
  return rows.map(({ token_hash: hash }) => (hash.startsWith(accountId) ? hash.slice(accountId.length) : "new"));
}

async function linkGitHub() {
  signIn.github.user = { id: nextId++, login: "x", name: null, email, isVerified: true };
  await signIn.link(session);
}

/** Signs in with the identity that was linked. */
async function byGitHub() {
  const { back, cookie } = await signIn.goToGitHub();
  return sessionOf(await signIn.open(back, { cookie }));
}

describe("an account with as many identities as its plan allows", () => {
  it("is linked to no further identity, even by many answers at once, and signs in with those it has", async () => {
    const attempts = [];
    for (let n = 0; n < 4; n++) {
      signIn.github.user = { id: nextId++, login: "x", name: null, email, isVerified: true };
      attempts.push(await signIn.goToLink(session));
    }
    const answers = await Promise.all(attempts.map(({ back, cookie }) => signIn.open(back as URL, { cookie })));
    const locations = answers.map(({ headers }) => headers.get("location"));
    const refused = "/account/identities/new?error=too_many_identities";
    expect(locations.toSorted()).toEqual(["/account", "/account", refused, refused]);
    const known = await signIn.sql`SELECT provider_account_id AS id FROM identities WHERE account_id = ${accountId}`;
    expect(known).toHaveLength(2);
    signIn.github.user = { id: Number(known[0]?.id), login: "x", name: null, email, isVerified: true };
    const { back, cookie } = await signIn.goToGitHub();
    expect(sessionOf(await signIn.open(back, { cookie }))).toBeDefined();
  });
});

describe("an account with as many sessions as its plan allows", () => {
  it("gets a new session at each sign-in, which ends the least recently used one", async () => {
    await addSessions(MAX - 1);
    const session = await signIn.session(email);
    expect(await sessions()).toEqual(["new", "new", "1"]);
    expect(await signIn.accountOf(session)).toBe(email);
  });

  it("gets a new session by a sign-in with a provider, too", async () => {
    await linkGitHub();
    await addSessions(MAX - 1);
    expect(await byGitHub()).toBeDefined();
    expect(await sessions()).toEqual(["new", "new", "1"]);
  });

  it("gets a new session at the command line, too", async () => {
    await addSessions(MAX - 1);
    const { database, config } = signIn.api.services;
    const wanted = { accountId, userAgent: null };
    const { token } = await database.run(5_000, ({ db }) => createSession(db, wanted, config.plans));
    expect(await sessions()).toEqual(["new", "new", "1"]);
    expect(await signIn.sql`SELECT FROM sessions WHERE token_hash = ${hashSessionToken(token)}`).toHaveLength(1);
  });

  it("never has more sessions, however many sign-ins happen at once", async () => {
    await linkGitHub();
    await addSessions(MAX - 1);
    const { database, config } = signIn.api.services;
    const links = [await signIn.askForLink(email), await signIn.askForLink(email), await signIn.askForLink(email)];
    await Promise.all([
      ...links.map(({ link, cookie }) => signIn.open(link, { cookie })),
      ...Array.from({ length: 8 }, () =>
        database.run(10_000, ({ db }) => createSession(db, { accountId, userAgent: null }, config.plans)),
      ),
      byGitHub(),
    ]);
    expect(await sessions()).toEqual(["new", "new", "new"]);
  });

  it("loses expired sessions first, and those beyond a bound that was lowered", async () => {
    await addSessions(2, 1);
    await signIn.session(email);
    expect(await sessions()).toEqual(["new", "new", "1"]);
    await signIn.sql`DELETE FROM sessions WHERE account_id = ${accountId}`;
    await addSessions(9);
    await signIn.session(email);
    expect(await sessions()).toHaveLength(MAX);
  });

  it("may have the sessions of its current plan, and ends none of other accounts", async () => {
    const other = signIn.newEmail();
    const theirs = await signIn.session(other);
    await signIn.sql`UPDATE accounts SET plan = 'indie' WHERE id = ${accountId}`;
    await addSessions(MAX - 1);
    await signIn.session(email);
    expect(await sessions()).toHaveLength(MAX + 1);
    expect(await signIn.accountOf(theirs)).toBe(other);
  });
});
