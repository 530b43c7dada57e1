import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { connectOrm, type OrmDatabase } from "#db/orm.ts";
import { readUnsubscribeKey } from "#db/queries/fleet/instance-secrets.ts";
import { collectSecurityNotice } from "#db/queries/notices/collect-security-notice.ts";
import { claimNotice } from "#db/queries/notices/send.ts";
import { readUnsubscribeToken } from "#domain/unsubscribe-token.ts";
import { createDispatchHarness, type DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { type FakeResend, startFakeResend } from "../../helpers/fake-resend.ts";
import { createNoticeHarness } from "../../helpers/notices.ts";
import { runJob } from "../../helpers/retention-jobs.ts";

const GONE = { url: "https://hooks.example.com/a?token=secret" };
const HOUR = 60;
const BASE_URL = "https://stopwatch.example.com";

let harness: DispatchHarness;
let resend: FakeResend;
let fleet: ReturnType<typeof createNoticeHarness>;

beforeAll(async () => {
  harness = await createDispatchHarness({});
});
afterAll(() => harness.close());
beforeEach(async () => {
  await harness.sql`TRUNCATE dead_schedules, death_groups, notices, usage`;
  resend = await startFakeResend();
  fleet = createNoticeHarness(harness, resend);
  return async () => {
    await fleet.close();
    await resend.close();
  };
});

describe("a notice of dead schedules", () => {
  it("is sent once, two minutes after the first death, with the deaths by target, answer and time due, as the overview has them", async () => {
    const account = await harness.account();
    const unreachable = { outcome: "unreachable", errorText: "no answer within 30 s" } as const;
    await fleet.die(account, [
      GONE,
      { ...GONE, ...unreachable },
      { ...GONE, ...unreachable },
      {
        url: "https://example.com/",
        statusCode: 500,
        errorText: "settlement window closed: ask ana@example.com\nand more",
      },
    ]);
    await fleet.after(1);
    expect(resend.accepted).toEqual([]);
    await fleet.after(1.1);
    await fleet.after(10);
    const [mail, ...others] = fleet.mails(account);
    expect(others).toEqual([]);
    expect(mail?.subject).toBe("4 schedules died");
    expect(mail?.text).toMatch(/^- hooks\.example\.com · no answer within 30 s · 2 dead · due [\d:–]+ UTC$/m);
    expect(mail?.text).toMatch(/^- hooks\.example\.com · 410 Gone · 1 dead · due \d\d:\d\d UTC$/m);
    expect(mail?.text).toMatch(/^- example\.com · 500 settlement window closed: ask … · 1 dead · due \d\d:\d\d UTC$/m);
    expect(mail?.text).toContain("GET /v1/schedules?status=dead lists them");
    expect(JSON.stringify(mail)).not.toMatch(/token=secret|ana@|and more/);
  });

  it("is followed by one after 15 minutes and one after 30 more, however many schedules die", async () => {
    const account = await harness.account();
    const sentAfter: number[] = [];
    for (let minute = 0; minute <= 60; minute++) {
      await fleet.die(account, [GONE]);
      await fleet.after(1);
      if (fleet.mails(account).length > sentAfter.length) sentAfter.push(minute);
    }
    expect(sentAfter.map((minute, at) => minute - (sentAfter[at - 1] ?? minute))).toEqual([0, 15, 30]);
    await fleet.after(24 * HOUR);
    expect(fleet.mails(account).reduce((n, { subject }) => n + (Number.parseInt(subject, 10) || 1), 0)).toBe(61);
  });

  it("counts neither schedules of the test environment nor one that has turned out not to be dead", async () => {
    const account = await harness.account();
    const [revived] = await fleet.die(account, [GONE, { ...GONE, env: "test" }]);
    await harness.sql`UPDATE schedules SET status = 'succeeded' WHERE id = ${String(revived)}`;
    await fleet.after(1);
    await fleet.after(5);
    expect(resend.accepted).toEqual([]);
  });

  it("shows a target's name as text, never as HTML", async () => {
    const account = await harness.account();
    const unreachable = { outcome: "unreachable", errorText: '<img src=x onerror="alert(1)">&\'' } as const;
    await fleet.die(account, [{ ...GONE, ...unreachable }]);
    await fleet.after(0);
    await fleet.after(3);
    expect(fleet.mails(account)[0]?.html).not.toContain("<img");
    expect(fleet.mails(account)[0]?.html).toContain("&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&amp;&#39;");
  });
});

describe("a notice about the quota", () => {
  it("is sent once at 80 %, at 100 % and where new schedules are refused, and again in the next month", async () => {
    const account = await harness.account({ plan: "free" });
    for (const scheduled of [1_599, 1_600, 1_700, 1_999, 2_000, 2_001, 2_199, 2_200, 2_200]) {
      await fleet.used(account, scheduled);
      await fleet.after(1);
      await fleet.after(1);
    }
    expect(fleet.mails(account).map(({ text }) => /^[\d,]+ of 2,000 schedules/.exec(text)?.[0])).toEqual([
      "1,600 of 2,000 schedules",
      "2,000 of 2,000 schedules",
      "2,200 of 2,000 schedules",
    ]);
    fleet.advance(31 * 86_400_000);
    await fleet.used(account, 1_600);
    await fleet.after(1);
    expect(fleet.mails(account)).toHaveLength(4);
  });

  it("is a single one when several levels are passed at once", async () => {
    const account = await harness.account({ plan: "free" });
    await fleet.used(account, 2_100);
    for (let round = 0; round < 3; round++) await fleet.after(1);
    expect(fleet.mails(account).map(({ subject }) => subject)).toEqual([expect.stringContaining("The quota of")]);
  });

  it("counts live schedules against the current plan", async () => {
    const account = await harness.account({ plan: "indie" });
    await fleet.used(account, 60_000);
    await harness.sql`UPDATE usage SET env = 'test'`;
    await fleet.used(account, 3_000);
    await fleet.after(1);
    expect(resend.accepted).toEqual([]);
    await harness.sql`UPDATE accounts SET plan = 'free' WHERE id = ${account.id}`;
    await fleet.after(1);
    expect(fleet.mails(account).map(({ subject }) => subject)).toEqual([
      expect.stringContaining("New schedules are refused"),
    ]);
  });

  it("that is not yet sent is replaced by one of a higher level", async () => {
    const account = await harness.account({ plan: "free" });
    resend.behave({ status: 429, name: "rate_limit_exceeded" });
    await fleet.used(account, 1_600);
    await fleet.after(1);
    await fleet.used(account, 2_000);
    resend.behave("accept");
    await fleet.after(30);
    await fleet.after(30);
    expect(fleet.mails(account).map(({ subject }) => subject)).toEqual([expect.stringContaining("The quota of")]);
  });
});

describe("notices are sent to", () => {
  it("no account about what happened while its notices were off, also once they are on again", async () => {
    const account = await harness.account({ plan: "free" });
    await harness.sql`UPDATE accounts SET notices = false WHERE id = ${account.id}`;
    await fleet.die(account, [GONE]);
    await fleet.used(account, 2_200);
    await fleet.after(0);
    await harness.sql`DELETE FROM usage`;
    await harness.sql`UPDATE accounts SET notices = true WHERE id = ${account.id}`;
    await fleet.after(5);
    expect(resend.accepted).toEqual([]);
  });

  it("no account about deaths that waited when its notices were switched off, also once they are on again", async () => {
    const account = await harness.account();
    await fleet.die(account, [GONE]);
    await fleet.after(0);
    await harness.sql`UPDATE accounts SET notices = false WHERE id = ${account.id}`;
    fleet.advance(5 * 60_000);
    await fleet.one.notices.runOnce();
    await harness.sql`UPDATE accounts SET notices = true WHERE id = ${account.id}`;
    await fleet.after(5);
    expect(resend.accepted).toEqual([]);
  });

  it.each([
    ["switched off", "notices = false"],
    ["deactivated", "status = 'deactivated'"],
    ["deleted", "status = 'deleted', deleted_at = now()"],
  ])("no account that was %s, at whichever stage the notice is", async (_, change) => {
    const [grouped, made] = [await harness.account(), await harness.account()];
    await fleet.die(made, [GONE]);
    await fleet.after(0);
    fleet.advance(3 * 60_000);
    await fleet.one.notices.runOnce();
    await fleet.die(grouped, [GONE]);
    await fleet.one.notices.runOnce();
    await harness.sql`UPDATE accounts SET ${harness.sql.unsafe(change)} WHERE id IN (${grouped.id}, ${made.id})`;
    for (let round = 0; round < 3; round++) await fleet.after(20);
    expect(resend.accepted).toEqual([]);
    expect(await harness.sql`SELECT FROM notices UNION ALL SELECT FROM death_groups`).toHaveLength(0);
  });

  it("no account that was erased, of which nothing is left", async () => {
    const account = await harness.account({ plan: "free" });
    await fleet.die(account, [GONE]);
    await fleet.used(account, 2_200);
    await fleet.after(0);
    await fleet.after(5);
    expect(fleet.mails(account)).toHaveLength(2);
    await harness.sql`UPDATE accounts SET status = 'deleted', deleted_at = now() WHERE id = ${account.id}`;
    await runJob(harness.sql as never, "deleted accounts");
    expect(await harness.sql`SELECT FROM notices UNION ALL SELECT FROM death_groups`).toHaveLength(0);
  });

  it("every account with a link that turns off its notices alone, and with the header fields for one click", async () => {
    const account = await harness.account({ plan: "free" });
    await fleet.used(account, 1_600);
    await fleet.after(1);
    const [mail] = fleet.mails(account);
    const url = new RegExp(`^<(${BASE_URL}/v1/notices/unsubscribe\\?token=([\\w-]+))>$`);
    const [, , token] = url.exec(mail?.headers?.["List-Unsubscribe"] ?? "") ?? [];
    expect(mail?.headers?.["List-Unsubscribe-Post"]).toBe("List-Unsubscribe=One-Click");
    expect(mail?.text).toContain(`Turn notices off: ${BASE_URL}/unsubscribe?token=${token}`);
    const key = await readUnsubscribeKey(harness.sql as never, harness.config.keyRing);
    expect(readUnsubscribeToken(key, String(token))).toBe(account.id);
  });
});

describe("a security notice", () => {
  const key = { kind: "api_key_created", details: { keyName: "CI <b>", env: "live" } } as const;
  let orm: OrmDatabase;
  beforeAll(() => {
    orm = connectOrm({ url: harness.databaseUrl, name: "web", connectionsMax: 1 });
  });
  afterAll(() => orm.close());
  /** Tells the owner, and moves the notice to the time of the fleet's clock. */
  const tell = async ({ id }: { id: string }) => {
    await orm.run(5_000, ({ db }) =>
      collectSecurityNotice(db, id, { ...key, network: "203.0.113.0/24", userAgent: null }),
    );
    const now = new Date(fleet.clock.now());
    await harness.sql`
      UPDATE notices SET created_at = ${now}, next_try_at = greatest(next_try_at, ${now})
      WHERE account_id = ${id} AND attempts = 0`;
  };

  it("is sent to an owner who wants no notices, without a link that turns it off", async () => {
    const account = await harness.account();
    await harness.sql`UPDATE accounts SET notices = false WHERE id = ${account.id}`;
    await tell(account);
    await fleet.after(1);
    await fleet.after(60);
    const [mail, ...others] = fleet.mails(account);
    expect(others).toEqual([]);
    expect(mail?.subject).toBe("A new live API key");
    expect(mail?.text).toContain("The live API key “CI <b>” was created.");
    expect(mail?.text).toContain("from 203.0.113.0/24");
    expect(mail?.text).toContain(`${BASE_URL}/account`);
    expect(JSON.stringify(mail)).not.toMatch(/unsubscribe/i);
    expect(await outcomes()).toEqual(["sent"]);
  });

  it("is not lost while the mail provider is down, and what happens meanwhile is in a further one", async () => {
    const account = await harness.account();
    resend.behave({ status: 503, name: "application_error" });
    await tell(account);
    await fleet.after(1);
    await tell(account);
    await tell(account);
    await fleet.after(1);
    expect(fleet.mails(account)).toEqual([]);
    resend.behave("accept");
    await fleet.after(30);
    await fleet.after(30);
    expect(fleet.mails(account).map(({ subject }) => subject)).toEqual([
      "A new live API key",
      "2 changes to who can use your account",
    ]);
  });

  it("is not sent to an account that was deactivated or deleted before", async () => {
    for (const change of ["status = 'deactivated'", "status = 'deleted', deleted_at = now()"]) {
      const account = await harness.account();
      await tell(account);
      await harness.sql`UPDATE accounts SET ${harness.sql.unsafe(change)} WHERE id = ${account.id}`;
    }
    await fleet.after(1);
    expect(resend.accepted).toEqual([]);
    expect(await harness.sql`SELECT FROM notices`).toHaveLength(0);
  });
});

describe("a notice is sent once", () => {
  it("by two dispatchers that make and send notices at the same time", async () => {
    const accounts = await Promise.all(Array.from({ length: 12 }, () => harness.account({ plan: "free" })));
    for (const account of accounts) {
      await fleet.die(account, [GONE, GONE]);
      await fleet.used(account, 2_000);
    }
    const both = [fleet.one, fleet.stages()];
    for (const minutes of [0, 3, 1, 1])
      await Promise.all(both.map((stages, at) => fleet.after(at === 0 ? minutes : 0, stages)));
    for (const account of accounts) {
      expect(
        fleet
          .mails(account)
          .map(({ subject }) => subject)
          .toSorted(),
      ).toEqual(["2 schedules died", expect.stringContaining("The quota of")]);
    }
    expect(resend.calls()).toBe(24);
  });

  it("when the provider's answer is lost, by a repeat with the same key and words", async () => {
    const account = await harness.account({ plan: "free" });
    await fleet.used(account, 1_600);
    resend.behave("drop after accepting");
    await fleet.after(0);
    resend.behave("accept");
    await fleet.after(5);
    await fleet.after(60);
    expect(resend.calls()).toBe(2);
    expect(fleet.mails(account)).toHaveLength(1);
    expect(await outcomes()).toEqual(["sent"]);
  });

  it("by the dispatcher that has taken it, until its lease ends", async () => {
    const account = await harness.account({ plan: "free" });
    await fleet.used(account, 1_600);
    await fleet.one.notices.runOnce();
    await fleet.database.run(5_000, ({ sql }) => claimNotice(sql, { nowMs: fleet.clock.now(), leaseMs: 60_000 }));
    await fleet.after(0.5);
    expect(resend.calls()).toBe(0);
    await fleet.after(1);
    expect(fleet.mails(account)).toHaveLength(1);
  });

  it("even when another version writes the repeat in other words, since the provider knows the key", async () => {
    const account = await harness.account({ plan: "free" });
    await fleet.used(account, 1_600);
    resend.behave("drop after accepting");
    await fleet.after(0);
    resend.behave("accept");
    await fleet.after(5, fleet.stages({ baseUrl: "https://moved.example.com" }));
    expect(fleet.mails(account)).toHaveLength(1);
    expect(await outcomes()).toEqual(["sent"]);
  });

  it("even when notices are switched off and on while it is in doubt", async () => {
    const account = await harness.account({ plan: "free" });
    await fleet.used(account, 1_600);
    resend.behave("drop after accepting");
    await fleet.after(0);
    resend.behave("accept");
    await harness.sql`UPDATE accounts SET notices = false WHERE id = ${account.id}`;
    await fleet.after(5);
    await harness.sql`UPDATE accounts SET notices = true WHERE id = ${account.id}`;
    await fleet.after(5);
    expect(fleet.mails(account)).toHaveLength(1);
    expect(await outcomes()).toEqual(["given up"]);
  });

  it("and is given up instead of sent again once the provider may have forgotten the key", async () => {
    const account = await harness.account({ plan: "free" });
    await fleet.used(account, 1_600);
    resend.behave("drop after accepting");
    await fleet.after(0);
    resend.behave("accept");
    resend.forgetKeys();
    await fleet.after(24 * HOUR);
    expect(fleet.mails(account)).toHaveLength(1);
    expect(await outcomes()).toEqual(["given up"]);
    expect(fleet.lines).toContainEqual(expect.objectContaining({ level: "error", msg: "a notice was given up" }));
  });
});

describe("a mail provider that fails", () => {
  it.each([
    ["answers 500", { status: 500 }],
    ["answers 429", { status: 429, name: "rate_limit_exceeded", headers: { "Retry-After": "60" } }],
    ["refuses connections", "drop before accepting"],
  ] as const)("for hours and %s causes no lost and no repeated notice", async (_, behaviour) => {
    const account = await harness.account({ plan: "free" });
    resend.behave(behaviour);
    await fleet.used(account, 1_600);
    await fleet.die(account, [GONE]);
    for (let minute = 0; minute < 6 * HOUR; minute += 10) {
      if (minute % HOUR === 0) await fleet.die(account, [GONE]);
      await fleet.after(10);
    }
    expect(resend.accepted).toEqual([]);
    expect(resend.calls()).toBeLessThan(2 * (8 + 6 * 4));
    expect(fleet.figures).toMatchObject({ sent: 0, failed: resend.calls(), waiting: 2 });

    resend.behave("accept");
    for (const minutes of [20, 20, 30, 60]) await fleet.after(minutes);
    // The deaths during the outage are in two mails: the one that waited, and one with all the others.
    expect(
      fleet
        .mails(account)
        .map(({ subject }) => subject)
        .toSorted(),
    ).toEqual([
      expect.stringMatching(/^2 schedules died$/),
      expect.stringMatching(/^5 schedules died$/),
      expect.stringContaining("80 % of"),
    ]);
  });

  it("is called again after its Retry-After, and not before", async () => {
    const [one, other] = [await harness.account({ plan: "free" }), await harness.account({ plan: "free" })];
    resend.behave({ status: 429, name: "rate_limit_exceeded", headers: { "Retry-After": "600" } });
    await fleet.used(one, 1_600);
    await fleet.used(other, 1_600);
    await fleet.after(0);
    expect(resend.calls()).toBe(1);
    resend.behave("accept");
    await fleet.after(9);
    expect(resend.calls()).toBe(1);
    await fleet.after(1.1);
    expect(resend.accepted).toHaveLength(2);
  });

  it("is logged with its answer, and without the addressee", async () => {
    const account = await harness.account({ plan: "free" });
    resend.behave({ status: 422, name: "validation_error", message: `no mail for ${account.id}@example.com` });
    await fleet.used(account, 1_600);
    await fleet.after(0);
    const cause = "the mail provider answered 422 (validation_error): no mail for …@example.com";
    expect(fleet.lines).toContainEqual(expect.objectContaining({ level: "warn", cause }));
  });

  it("and refuses for three days is not called any more", async () => {
    const account = await harness.account({ plan: "free" });
    resend.behave({ status: 403, name: "invalid_api_key" });
    await fleet.used(account, 1_600);
    await fleet.after(0);
    await fleet.after(71 * HOUR);
    expect(await outcomes()).toEqual([null]);
    await fleet.after(2 * HOUR);
    expect(await outcomes()).toEqual(["given up"]);
  });
});

describe("an unexpected error", () => {
  it("in sending notices is logged once a minute, leaves the notice in doubt, and does not end the dispatcher", async () => {
    const account = await harness.account({ plan: "free" });
    await fleet.used(account, 1_600);
    const broken = fleet.stages({ mailer: { send: async () => Promise.reject(new TypeError("a mistake")) } });
    for (let round = 0; round < 10; round++) await fleet.after(0.2, broken);
    expect(fleet.lines.map(({ msg }) => msg)).toEqual(["a notice could not be sent", "a notice could not be sent"]);
    await fleet.after(2);
    expect(fleet.mails(account)).toHaveLength(1);
  });

  it("in making notices is logged once a minute, and does not end the dispatcher", async () => {
    const run = async () => Promise.reject(new TypeError("a mistake"));
    const broken = fleet.stages({ database: { run, close: async () => {} } });
    for (let round = 0; round < 10; round++) {
      fleet.advance(12_000);
      await broken.notices.runOnce();
    }
    expect(fleet.lines.map(({ msg }) => msg)).toEqual(["notices could not be made", "notices could not be made"]);
  });
});

async function outcomes(): Promise<(string | null)[]> {
  return (await harness.sql`SELECT outcome FROM notices`).map((row) => row.outcome);
}
