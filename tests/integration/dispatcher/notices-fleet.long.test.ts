// Guards: dispatcher/notices/**, mail/**
import { once } from "node:events";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { type Receiver, startReceiver } from "#scripts/lab/receiver.ts";
import { createDispatchHarness, type DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { type FakeResend, startFakeResend } from "../../helpers/fake-resend.ts";
import { waitFor } from "../../helpers/wait-for.ts";

let receiver: Receiver;
let resend: FakeResend;
let harness: DispatchHarness;

beforeAll(async () => {
  receiver = await startReceiver({ tls: false });
});
afterAll(() => receiver.close());
beforeEach(async () => {
  resend = await startFakeResend();
  harness = await createDispatchHarness({
    DELIVERY_ALLOW: receiver.origin,
    RESEND_API_KEY: resend.apiKey,
    RESEND_BASE_URL: resend.baseUrl,
    MAIL_FROM: "Stopwatch <notices@example.com>",
  });
});
afterEach(async () => {
  await harness.close();
  await resend.close();
});

/** Makes due what waits for its time: groups of deaths, and notices under a lease or to be retried. */
async function bringForward() {
  await harness.sql`UPDATE death_groups SET due_at = now() WHERE due_at IS NOT NULL`;
  await harness.sql`UPDATE notices SET next_try_at = now() WHERE outcome IS NULL`;
}

async function useQuota(account: { id: string }) {
  await harness.sql`
    INSERT INTO usage (account_id, env, period, scheduled)
    VALUES (${account.id}, 'live', to_char(now() AT TIME ZONE 'utc', 'YYYYMM'), 1700)`;
}

it("the dispatcher that sees a schedule die mails its owner", async () => {
  receiver.respond((_request, response) =>
    response.writeHead(410).end("gone for good: order-77 of https://a.example/\nmore"),
  );
  await harness.dispatcher();
  const account = await harness.account();
  const id = await harness.schedule(account, `${receiver.origin}/path`, new Date(Date.now() + 200), {
    payload: "secret",
  });
  await waitFor("it dies", async () => (await harness.read(id)).status === "dead");
  await waitFor("it is in a group", async () => {
    const [group] =
      await harness.sql`SELECT due_at - (waiting->>'sinceMs')::float8 / 1000 * interval '1 second' AS since FROM death_groups`;
    return group !== undefined;
  });
  expect(resend.accepted).toEqual([]);
  await bringForward();
  await waitFor("the mail is sent", () => resend.accepted.length > 0);
  const [mail] = resend.accepted;
  expect(mail).toMatchObject({ to: `${account.id}@example.com`, subject: "A schedule died" });
  expect(mail?.text).toContain(`- ${new URL(receiver.origin).host} · 410 gone for good: … of … · 1 dead · due `);
  expect(JSON.stringify(mail)).not.toMatch(/secret|order-77|a\.example|\/path/);
  await waitFor(
    "that is recorded",
    async () => (await harness.sql`SELECT FROM notices WHERE outcome = 'sent'`).length === 1,
  );
});

it("when a dispatcher is killed between sending and recording a notice, the next one repeats it with its key, so that one mail arrives", async () => {
  resend.behave("hang after accepting");
  const account = await harness.account({ plan: "free" });
  const first = await harness.process();
  const killed = once(first, "exit");
  await useQuota(account);
  await waitFor("the mail is taken", () => resend.accepted.length === 1);
  first.kill("SIGKILL");
  await killed;
  resend.behave("accept");
  await bringForward();
  const second = await harness.process();
  const ended = once(second, "exit");
  try {
    await waitFor("the mail is repeated", () => resend.calls() === 2);
    await waitFor(
      "that is recorded",
      async () => (await harness.sql`SELECT FROM notices WHERE outcome = 'sent'`).length === 1,
    );
    expect(resend.accepted).toHaveLength(1);
  } finally {
    second.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
  }
});

it("deliveries and the shutdown of a dispatcher proceed while the mail provider does not answer", async () => {
  resend.behave("hang");
  receiver.respond((_request, response) => response.end("ok"));
  const dispatcher = await harness.dispatcher();
  const account = await harness.account({ plan: "free" });
  await useQuota(account);
  await waitFor("a mail is under way", () => resend.calls() === 1);
  const ids = await Promise.all(
    Array.from({ length: 20 }, () => harness.schedule(account, `${receiver.origin}/`, new Date(Date.now() + 2_000))),
  );
  for (const id of ids) await waitFor("it is delivered", async () => (await harness.read(id)).status === "succeeded");
  expect(resend.accepted).toEqual([]);
  await dispatcher.stop();
  expect(await harness.sql`SELECT FROM notices WHERE outcome IS NULL`).toHaveLength(1);
});
