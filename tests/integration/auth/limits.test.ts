import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { SOCKET_ADDRESS_HEADER, socketAddressValue } from "#server/http/socket-address.ts";
import { randomAddress, type SignInApi, startSignInApi } from "../../helpers/sign-in-api.ts";
import { waitFor } from "../../helpers/wait-for.ts";

let signIn: SignInApi;

beforeAll(async () => {
  signIn = await startSignInApi({ TRUSTED_PROXIES: "10.0.0.1" });
});
afterAll(() => signIn.stop());
beforeEach(() => signIn.sql`DELETE FROM sign_in_requests`);

/** Sends this many requests, six at a time, and returns how many are answered with 202. The others must be 429. */
async function allowed(n: number, one: (nth: number) => { email: string; headers: Record<string, string> }) {
  const statuses: number[] = [];
  let next = 0;
  const worker = async () => {
    while (next < n) {
      const { email, headers } = one(next++);
      statuses.push((await signIn.start({ email }, headers)).status);
    }
  };
  await Promise.all(Array.from({ length: 6 }, worker));
  const sent = statuses.filter((status) => status === 202).length;
  expect(statuses.filter((status) => status === 429)).toHaveLength(n - sent);
  return sent;
}

const from = (address: string, forwardedFor?: string) => ({
  [SOCKET_ADDRESS_HEADER]: socketAddressValue(address),
  ...(forwardedFor !== undefined && { "x-forwarded-for": forwardedFor }),
});

describe("magic links", () => {
  it("are refused over a limit without waiting for the lock of that limit or for the table of requests", async () => {
    const email = signIn.newEmail();
    const ask = () => signIn.start({ email }, from(randomAddress()));
    expect(await allowed(5, () => ({ email, headers: from(randomAddress()) }))).toBe(5);
    const [row] = await signIn.sql`SELECT key FROM sign_in_requests GROUP BY key HAVING count(*) = 5`;
    // A process remembers for a second by this clock that a limit is reached.
    const clock = vi.spyOn(performance, "now").mockReturnValue(performance.now());
    const refused = signIn.sql.begin(async (tx) => {
      await tx`SELECT pg_advisory_xact_lock(hashtextextended(${row?.key}, 0))`;
      const answers = await Promise.all(Array.from({ length: 20 }, ask));
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 429));
      await tx`LOCK TABLE sign_in_requests IN ACCESS EXCLUSIVE MODE`;
      expect(await ask()).toMatchObject({ status: 429 });
      expect((await ask()).headers.get("retry-after")).toMatch(/^3[0-9]{3}$/);
    });
    await refused.finally(() => clock.mockRestore());
  });

  it("are sent to one address at most five times an hour, to all callers and letter cases together, also concurrently", async () => {
    const email = signIn.newEmail();
    const spellings = [email, email.toUpperCase(), ` ${email}`];
    const one = (nth: number) => ({ email: spellings[nth % 3] as string, headers: from(randomAddress()) });
    expect(await allowed(12, one)).toBe(5);
    const refused = await signIn.start({ email });
    expect(refused).toMatchObject({ status: 429, body: { error: { code: "RATE_LIMITED" } } });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(3_000);
    expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(3_600);
    expect(signIn.linksTo(email)).toHaveLength(5);
  });

  it("are refused in the same way whether or not there is an account", async () => {
    const [known, unknown] = [signIn.newEmail(), signIn.newEmail()];
    await signIn.session(known);
    await signIn.sql`DELETE FROM sign_in_requests`;
    const answers = [];
    for (const email of [known, unknown]) {
      expect(await allowed(5, () => ({ email, headers: from(randomAddress()) }))).toBe(5);
      const { status, body } = await signIn.start({ email });
      answers.push({ status, body });
    }
    expect(answers[0]).toEqual(answers[1]);
  });

  it("may be requested again once the first of them is an hour old, not before and not all at once", async () => {
    const email = signIn.newEmail();
    await allowed(5, () => ({ email, headers: from(randomAddress()) }));
    const [row] =
      await signIn.sql`SELECT key FROM sign_in_requests WHERE key <> 'installation' GROUP BY key HAVING count(*) = 5`;
    const age = (minutes: number) => signIn.sql`
      UPDATE sign_in_requests SET asked_at = now() - ${minutes}::integer * interval '1 minute'
      WHERE ctid = (SELECT ctid FROM sign_in_requests WHERE key = ${row?.key} ORDER BY asked_at LIMIT 1)`;
    const ask = (n: number) => allowed(n, () => ({ email, headers: from(randomAddress()) }));
    await age(59);
    expect(await ask(4)).toBe(0);
    await age(61);
    let sent = 0;
    await waitFor("a link is sent again", async () => {
      sent += await ask(4);
      return sent > 0;
    });
    expect(sent + (await ask(4))).toBe(1);
  });

  it("may be requested at most twenty times an hour from one address, whatever its headers claim", async () => {
    const address = randomAddress();
    const one = (nth: number) => ({ email: signIn.newEmail(), headers: from(address, `198.51.100.${nth}`) });
    expect(await allowed(26, one)).toBe(20);
    expect(await allowed(1, () => ({ email: signIn.newEmail(), headers: from(randomAddress()) }))).toBe(1);
  });

  it("are counted by the caller that a trusted proxy names, and by the last address that is not the caller's own claim", async () => {
    const callers = (nth: number) => ({
      email: signIn.newEmail(),
      headers: from("10.0.0.1", `1.2.3.${nth}, 198.51.100.${nth % 2}`),
    });
    expect(await allowed(46, callers)).toBe(40);
  });

  it("are counted by the /64 of an IPv6 address, since one caller has all of it", async () => {
    const one = (nth: number) => ({ email: signIn.newEmail(), headers: from(`2001:db8:1:2::${nth.toString(16)}`) });
    expect(await allowed(24, one)).toBe(20);
  });
});

describe("SIGN_IN_MAILS_PER_HOUR", () => {
  const MAX = 8;
  let bounded: SignInApi | undefined;
  afterEach(async () => {
    await bounded?.stop();
    bounded = undefined;
  });
  const startBounded = async (settings: Record<string, string>) => {
    bounded = await startSignInApi({ SIGN_IN_MAILS_PER_HOUR: String(MAX), ...settings });
    return bounded;
  };
  const REFUSED = { status: 429, body: { error: { code: "RATE_LIMITED" } } };

  it("bounds exactly how many mails an open installation sends to all addresses, for all callers together", async () => {
    const api = await startBounded({ SIGNUP: "open" });
    const answers = await Promise.all(Array.from({ length: 20 }, () => api.start({ email: api.newEmail() })));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(MAX);
    expect(api.resend.accepted).toHaveLength(MAX);
    const refused = await api.start({ email: api.newEmail() });
    expect(refused).toMatchObject(REFUSED);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(3_000);
    await api.sql`UPDATE sign_in_requests SET asked_at = now() - interval '61 minutes'`;
    await waitFor("mails are sent again", async () => (await api.start({ email: api.newEmail() })).status === 202);
  });

  it("counts mails and not requests where strangers are mailed nothing, so that strangers cannot use it up", async () => {
    const api = await startBounded({ SIGNUP: "closed" });
    const emails = await Promise.all(
      Array.from({ length: 2 }, async () => {
        const { accountId } = await api.api.account();
        const email = api.newEmail();
        await api.sql`UPDATE accounts SET email = ${email} WHERE id = ${accountId}`;
        return email;
      }),
    );
    for (let nth = 0; nth < 2 * MAX; nth++) {
      expect(await api.start({ email: api.newEmail() })).toMatchObject({ status: 202 });
    }
    for (let nth = 0; nth < MAX; nth++) await api.askForLink(emails[nth % 2] as string);
    expect(api.resend.accepted).toHaveLength(MAX);
    for (const email of [...emails, api.newEmail()]) expect(await api.start({ email })).toMatchObject(REFUSED);
    expect(api.resend.accepted).toHaveLength(MAX);
  });
});
