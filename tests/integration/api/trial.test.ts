import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GET as readOutcome } from "#app/(public)/try/[id]/outcome/route.ts";
import { POST as start } from "#app/(public)/try/start/route.ts";
import { POST as receive } from "#app/try/receiver/route.ts";
import { hasAnyAccount } from "#db/queries/accounts/find.ts";
import { countAccounts, listAccounts } from "#db/queries/accounts/list.ts";
import { parseEmailAddress, TRIAL_EMAIL } from "#domain/email-address.ts";
import { decodeId } from "#domain/ids.ts";
import { generateSigningSecret, loadSigningSecret, signRequest } from "#domain/signing.ts";
import { type Receiver, startReceiver } from "#scripts/lab/receiver.ts";
import { readLastBeat } from "#server/health/beat.ts";
import { SOCKET_ADDRESS_HEADER, socketAddressValue } from "#server/http/socket-address.ts";
import { createDispatchHarness, type DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { type Api, startApi } from "./api.ts";

let folder: string;
let receiver: Receiver;
let api: Api;
let harness: DispatchHarness;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "stopwatch-trial-"));
  receiver = await startReceiver();
  // As a proxy in front of the web process does.
  receiver.respond(async ({ headers, body }, response) => {
    const answer = await receive(received(headers as Record<string, string>, body), NO_PARAMS);
    response.writeHead(answer.status).end(await answer.text());
  });
  const caFile = join(folder, "ca.pem");
  await writeFile(caFile, receiver.ca);
  const delivery = { DELIVERY_ALLOW: receiver.origin, DELIVERY_CA_FILE: caFile };
  api = await startApi({ BASE_URL: receiver.origin, ...delivery });
  harness = await createDispatchHarness(delivery, api.database);
  await harness.dispatcher();
  await waitFor("the dispatcher beats", async () => (await readLastBeat()).isAlive);
});
afterAll(async () => {
  await harness.close();
  await api.stop();
  await receiver.close();
  await rm(folder, { recursive: true });
});

const NO_PARAMS = { params: Promise.resolve({}) };

const received = (headers: Record<string, string>, body: Buffer | string) =>
  new Request(`${receiver.origin}/try/receiver`, { method: "POST", headers, body: body.toString() });

/** Presses the button in a network. */
function press(address: string, key = crypto.randomUUID()): Promise<Response> {
  const headers = {
    [SOCKET_ADDRESS_HEADER]: socketAddressValue(address),
    "content-type": "application/x-www-form-urlencoded",
    origin: receiver.origin,
  };
  return start(new Request(`${receiver.origin}/try/start`, { method: "POST", headers, body: `key=${key}` }), NO_PARAMS);
}

const pathOf = (answer: Response) => answer.headers.get("location") ?? "";

async function outcomeOf(path: string): Promise<{ status: number; body: unknown }> {
  const answer = await readOutcome(new Request(`${receiver.origin}${path}/outcome`), {
    params: Promise.resolve({ id: path.slice("/try/".length) }),
  });
  return { status: answer.status, body: await answer.json() };
}

/** As if so much time had passed since the trials until now. */
const age = (seconds: number) =>
  api.sql`UPDATE sign_in_requests SET asked_at = asked_at - ${seconds}::integer * interval '1 second'`;

describe("a trial", () => {
  it("leaves 5 s after the press, is taken by the receiver, and its page learns how late it was", async () => {
    const pressedAtMs = Date.now();
    const answer = await press("192.0.2.1");
    expect(answer.status).toBe(303);
    expect(pathOf(answer)).toMatch(/^\/try\/sch_[0-9a-z]{26}$/);
    expect(await outcomeOf(pathOf(answer))).toEqual({ status: 200, body: { done: false, offset_ms: null } });
    await waitFor(
      "the trial has ended",
      async () => ((await outcomeOf(pathOf(answer))).body as { done: boolean }).done,
      15_000,
    );
    const [sent] = receiver.requests;
    expect(sent?.body.toString()).toBe('{"trial":true}');
    expect((sent?.arrivedAtMs ?? 0) - pressedAtMs).toBeGreaterThanOrEqual(5_000);
    const id = decodeId("sch", pathOf(answer).slice("/try/".length)) as string;
    const row = await harness.read(id);
    expect(row).toMatchObject({ status: "succeeded", env: "test", attempts: 1 });
    expect(await outcomeOf(pathOf(answer))).toEqual({
      status: 200,
      body: { done: true, offset_ms: Number(row.offset_ms) },
    });
    const [counted] = await api.sql`SELECT count(*)::int AS n FROM shard_punctuality`;
    expect(counted?.n).toBe(0);
  });

  it("that is sent twice by one form is one trial", async () => {
    // In some of these networks the second press comes when the first one is counted, but not stored yet.
    for (let network = 0; network < 8; network++) {
      const [address, key] = [`192.0.2.${20 + network}`, crypto.randomUUID()];
      const answers = await Promise.all([press(address, key), press(address, key), press(address, key)]);
      expect(answers.map(({ status }) => status)).toEqual([303, 303, 303]);
      expect(new Set(answers.map(pathOf)).size).toBe(1);
    }
  });

  it("is one at a time and five an hour for each IPv4 address and IPv6 /64, which do not limit each other", async () => {
    const own = (nth: number) => press(`2001:db8:0:7::${nth}`);
    expect((await own(1)).status).toBe(303);
    const second = await own(2);
    expect(second.status).toBe(429);
    expect(Number(second.headers.get("retry-after"))).toBeLessThanOrEqual(8);
    await age(9);
    // A process remembers for a second that a limit was reached.
    await waitFor("the next one may begin", async () => (await own(2)).status === 303);
    for (let nth = 3; nth <= 5; nth++) {
      await age(9);
      expect((await own(nth)).status).toBe(303);
    }
    const over = await own(6);
    expect(over.status).toBe(429);
    expect(Number(over.headers.get("retry-after"))).toBeGreaterThan(3_000);
    expect(await over.text()).toContain("A network may have one trial at a time, and 5 an hour.");
    expect((await press("2001:db8:0:8::1")).status).toBe(303);
    expect((await press("192.0.2.3")).status).toBe(303);
  });

  it("shows no schedule of anybody else", async () => {
    const { test } = await api.account();
    const id = await api.create(test, { targetUrl: `${receiver.origin}/hook` });
    for (const path of [`/try/${id}`, "/try/sch_00000000000000000000000000", "/try/nonsense"]) {
      expect((await outcomeOf(path)).status).toBe(404);
    }
  });
});

describe("the receiver of trials", () => {
  const signed = (secret: string, seconds = Math.floor(Date.now() / 1_000)) =>
    received(
      signRequest({
        keys: [loadSigningSecret(secret)],
        scheduleId: "sch_1",
        timestampSeconds: seconds,
        body: Buffer.from("{}"),
      }),
      "{}",
    );

  it("takes what the trials' account signed within five minutes, and nothing else", async () => {
    const { current } = await (async () => {
      const { readSigningSecrets } = await import("#db/queries/accounts/signing-secrets.ts");
      const [owner] = await api.sql`SELECT id FROM accounts WHERE email = ${TRIAL_EMAIL}`;
      return api.services.database.run(5_000, ({ db }) =>
        readSigningSecrets(db, { accountId: owner?.id, env: "test" }, api.config.keyRing),
      );
    })();
    const statusOf = async (request: Request) => (await receive(request, NO_PARAMS)).status;
    const now = Math.floor(Date.now() / 1_000);
    expect(await statusOf(signed(current))).toBe(204);
    expect(await statusOf(signed(current, now - 400))).toBe(401);
    expect(await statusOf(signed(generateSigningSecret()))).toBe(401);
    expect(await statusOf(received({}, "{}"))).toBe(401);
    const other = signed(current);
    expect(await statusOf(new Request(other, { body: "{ }" }))).toBe(401);
  });
});

describe("the account of trials", () => {
  it("is nobody's: no sign-in, no person in the counts, no first account, no notices, no retries", async () => {
    expect(parseEmailAddress(TRIAL_EMAIL.toUpperCase())).toBeNull();
    await api.sql`DELETE FROM accounts WHERE email <> ${TRIAL_EMAIL}`;
    const [row] = await api.sql`
      SELECT a.notices, r.retry_attempts AS retries, (SELECT count(*)::int FROM api_keys WHERE account_id = a.id) AS keys
      FROM accounts a JOIN relay_settings r ON r.account_id = a.id`;
    expect(row).toEqual({ notices: false, retries: 0, keys: 0 });
    const read = await api.services.database.run(5_000, async ({ db }) => ({
      any: await hasAnyAccount(db),
      listed: (await listAccounts(db, { limit: 10 })).length,
      counted: await countAccounts(db, {}, 10),
    }));
    expect(read).toEqual({ any: false, listed: 0, counted: 0 });
  });
});
