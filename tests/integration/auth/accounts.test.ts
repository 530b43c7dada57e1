import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type SignInApi, sessionOf, startSignInApi } from "../../helpers/sign-in-api.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { call } from "../api/api.ts";

let signIn: SignInApi;

const location = ({ headers }: { headers: Headers }) => headers.get("location");

describe("whether an e-mail address has an account", () => {
  beforeAll(async () => {
    signIn = await startSignInApi({ SIGNUP: "closed" });
  });
  afterAll(() => signIn.stop());
  beforeEach(() => signIn.sql`DELETE FROM sign_in_requests`);

  it("cannot be learned by requesting a link: known, unknown and deactivated addresses get the same answer, and nothing is mailed to a stranger", async () => {
    const { sql, api } = signIn;
    const emails = [signIn.newEmail(), signIn.newEmail(), signIn.newEmail()];
    for (const [n, email] of emails.slice(0, 2).entries()) {
      const { accountId } = await api.account();
      await sql`UPDATE accounts SET email = ${email}, status = ${n ? "deactivated" : "active"} WHERE id = ${accountId}`;
    }
    const shapes = [];
    for (const email of emails.toReversed()) {
      const answer = await signIn.start({ email });
      const names = [...answer.headers.keys()].toSorted();
      const cookie = answer.headers.getSetCookie()[0]?.replace(/=\d+\.[\w-]{43};/, "=…;");
      shapes.push({ status: answer.status, text: answer.text, names, cookie });
    }
    expect(shapes[1]).toEqual(shapes[0]);
    expect(shapes[2]).toEqual(shapes[0]);
    await waitFor("both owners have a mail", () =>
      emails.slice(0, 2).every((email) => signIn.linksTo(email).length === 1),
    );
    expect(signIn.linksTo(emails[2] as string)).toEqual([]);
    expect(await sql`SELECT 1 FROM sign_in_tokens WHERE email = ${emails[2] as string}`).toHaveLength(0);
  });

  it("cannot be learned from how long the answer takes, nor from a mail service that is slow or fails", async () => {
    const email = signIn.newEmail();
    const { accountId } = await signIn.api.account();
    await signIn.sql`UPDATE accounts SET email = ${email} WHERE id = ${accountId}`;
    for (const behaviour of ["hang", { status: 500 }] as const) {
      signIn.resend.behave(behaviour);
      const calls = signIn.resend.calls();
      const startMs = performance.now();
      expect(await signIn.start({ email })).toMatchObject({ status: 202 });
      expect(performance.now() - startMs).toBeLessThan(5_000);
      await waitFor("the mail service is called", () => signIn.resend.calls() > calls);
    }
    signIn.resend.behave("accept");
  });

  it("is not looked up when a link is requested", async () => {
    const email = signIn.newEmail();
    const { accountId } = await signIn.api.account();
    await signIn.sql`UPDATE accounts SET email = ${email} WHERE id = ${accountId}`;
    const block = signIn.sql.begin(async (tx) => {
      await tx`LOCK TABLE accounts IN ACCESS EXCLUSIVE MODE`;
      return signIn.start({ email });
    });
    expect(await block).toMatchObject({ status: 202 });
  });
});

describe("SIGNUP", () => {
  let started: SignInApi | undefined;
  afterEach(async () => {
    await started?.stop();
    started = undefined;
  });

  const start = async (settings: Record<string, string>) => {
    started = await startSignInApi(settings);
    return started;
  };
  const byLink = async (api: SignInApi, email: string) => {
    const { link, cookie } = await api.askForLink(email);
    const answer = await api.open(link, { cookie });
    return sessionOf(answer) ? "signed in" : location(answer);
  };
  const byGitHub = async (api: SignInApi, email: string) => {
    api.github.user = { id: Math.floor(Math.random() * 1e9), login: "x", name: null, email, isVerified: true };
    const { back, cookie } = await api.goToGitHub();
    const answer = await api.open(back, { cookie });
    return sessionOf(answer) ? "signed in" : location(answer);
  };
  const CLOSED = "/login?error=signup_closed";

  it("set to open gives everybody an account on DEFAULT_PLAN, with signing secrets and a verified address", async () => {
    const api = await start({ SIGNUP: "open", DEFAULT_PLAN: "indie" });
    const email = api.newEmail();
    expect([await byLink(api, email), await byGitHub(api, api.newEmail())]).toEqual(["signed in", "signed in"]);
    const [row] = await api.sql`SELECT id, plan, email_verified_at FROM accounts WHERE email = ${email}`;
    expect(row).toMatchObject({ plan: "indie", email_verified_at: expect.any(Date) });
    expect(await api.sql`SELECT env FROM signing_secrets WHERE account_id = ${row?.id}`).toHaveLength(2);
  });

  it("set to closed gives nobody an account, not even an operator, and lets people who have one sign in", async () => {
    const api = await start({ SIGNUP: "closed", ADMIN_EMAILS: "root@example.com" });
    expect(await api.start({ email: "root@example.com" })).toMatchObject({ status: 202 });
    expect(await byGitHub(api, "root@example.com")).toBe(CLOSED);
    expect(await api.count("accounts")).toBe(0);
    const { accountId } = await api.api.account();
    await api.sql`UPDATE accounts SET email = 'ada@example.com' WHERE id = ${accountId}`;
    expect([await byLink(api, "ada@example.com"), await byGitHub(api, "ada@example.com")]).toEqual([
      "signed in",
      "/login?error=link_needed",
    ]);
    expect(await api.count("accounts")).toBe(1);
  });

  it("set to closed mails a link once the operator has created the account, and none before", async () => {
    const api = await start({ SIGNUP: "closed" });
    expect(await api.start({ email: "ada@example.com" })).toMatchObject({ status: 202 });
    await api.lookedUp();
    const { accountId } = await api.api.account();
    await api.sql`UPDATE accounts SET email = 'ada@example.com' WHERE id = ${accountId}`;
    expect(await byLink(api, "ada@example.com")).toBe("signed in");
    expect(api.linksTo("ada@example.com")).toHaveLength(1);
  });

  it("set to closed refuses a link that was mailed while everybody could sign up, and leaves it valid for later", async () => {
    const api = await start({ SIGNUP: "" });
    const links = [await api.askForLink(api.newEmail()), await api.askForLink("ada@example.com")] as const;
    expect(sessionOf(await api.open(links[0].link, { cookie: links[0].cookie }))).toBeDefined();
    const { link, cookie } = links[1];
    expect(location(await api.open(link, { cookie }))).toBe(CLOSED);
    const { accountId } = await api.api.account();
    await api.sql`UPDATE accounts SET email = 'ada@example.com' WHERE id = ${accountId}`;
    expect(sessionOf(await api.open(link, { cookie }))).toBeDefined();
    expect(location(await api.open(link, { cookie }))).toBe("/login?error=link_invalid");
  });

  it("set to invited gives an account to operators and to nobody else", async () => {
    const api = await start({ SIGNUP: "invited", ADMIN_EMAILS: "root@example.com" });
    const stranger = api.newEmail();
    expect(await api.start({ email: stranger })).toMatchObject({ status: 202 });
    expect(await byGitHub(api, stranger)).toBe(CLOSED);
    expect(await byLink(api, "root@example.com")).toBe("signed in");
    await api.lookedUp();
    expect(api.linksTo(stranger)).toEqual([]);
    expect(await api.count("accounts")).toBe(1);
  });

  it("omitted on a public address gives an account to one of many people who come first at once, and is closed afterwards", async () => {
    const api = await start({ SIGNUP: "" });
    const links = await Promise.all(Array.from({ length: 6 }, () => api.askForLink(api.newEmail())));
    const answers = await Promise.all(links.map(({ link, cookie }) => api.open(link, { cookie })));
    expect(answers.filter((answer) => sessionOf(answer))).toHaveLength(1);
    expect(answers.filter((answer) => location(answer) === CLOSED)).toHaveLength(5);
    expect(await api.count("accounts")).toBe(1);
    await api.sql`UPDATE accounts SET status = 'deleted', deleted_at = now()`;
    const stranger = api.newEmail();
    expect(await api.start({ email: stranger })).toMatchObject({ status: 202 });
    expect(await byGitHub(api, stranger)).toBe(CLOSED);
    await api.lookedUp();
    expect(api.linksTo(stranger)).toEqual([]);
  });

  it("does not decide who is an operator: people who sign in with an address in ADMIN_EMAILS are", async () => {
    const api = await start({ ADMIN_EMAILS: "root@example.com" });
    const isAdmin = async (email: string) =>
      (await call("GET", "/v1/me", { cookie: `sw_session=${await api.session(email)}` })).body.isAdmin;
    expect([await isAdmin("Root@Example.com"), await isAdmin(api.newEmail())]).toEqual([true, false]);
  });
});

describe("a deactivated account", () => {
  beforeAll(async () => {
    signIn = await startSignInApi();
  });
  afterAll(() => signIn.stop());

  const deactivate = (email: string) => signIn.sql`UPDATE accounts SET status = 'deactivated' WHERE email = ${email}`;

  it("is locked out of every way in: session, link, GitHub by identity and GitHub by address", async () => {
    const email = signIn.newEmail();
    signIn.github.user = { id: 77, login: "x", name: null, email, isVerified: true };
    const first = await signIn.goToGitHub();
    const session = sessionOf(await signIn.open(first.back, { cookie: first.cookie }));
    const early = await signIn.askForLink(email);
    await deactivate(email);
    expect(await signIn.accountOf(session)).toBeUndefined();
    const before = await signIn.count("sessions");
    const DEACTIVATED = "/login?error=account_deactivated";
    expect(location(await signIn.open(early.link, { cookie: early.cookie }))).toBe(DEACTIVATED);
    const late = await signIn.askForLink(email);
    expect(location(await signIn.open(late.link, { cookie: late.cookie }))).toBe(DEACTIVATED);
    for (const id of [77, 78]) {
      signIn.github.user = { id, login: "x", name: null, email, isVerified: true };
      const { back, cookie } = await signIn.goToGitHub();
      expect(location(await signIn.open(back, { cookie }))).toBe(DEACTIVATED);
    }
    expect(await signIn.count("sessions")).toBe(before);
  });

  it("leaves its address and its identities to a new account once it is deleted", async () => {
    const email = signIn.newEmail();
    signIn.github.user = { id: 88, login: "x", name: null, email, isVerified: true };
    const sessionByGitHub = async () => {
      const { back, cookie } = await signIn.goToGitHub();
      return sessionOf(await signIn.open(back, { cookie }));
    };
    const idOf = async (session: string | undefined) =>
      (await call("GET", "/v1/me", { cookie: `sw_session=${session}` })).body.user?.id;
    const session = await sessionByGitHub();
    const first = await idOf(session);
    await call("DELETE", "/v1/me", { cookie: `sw_session=${session}` });
    expect(await signIn.sql`SELECT 1 FROM identities WHERE provider_account_id = '88'`).toHaveLength(0);
    const second = await idOf(await sessionByGitHub());
    expect(second).toMatch(/^acc_/);
    expect(second).not.toBe(first);
    // An account that was deleted while the identity was being linked to it.
    await signIn.sql`UPDATE accounts SET status = 'deleted', deleted_at = now() WHERE email = ${email}`;
    const third = await idOf(await sessionByGitHub());
    expect(third).toMatch(/^acc_/);
    expect(third).not.toBe(second);
  });
});
