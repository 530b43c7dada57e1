import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { secretAad } from "#domain/associated-data.ts";
import { open } from "#domain/cipher.ts";
import { ROTATION_KEYS_MAX } from "#domain/rotation-keys.ts";
import { type Api, startApi, type TestCaller } from "./api.ts";

let api: Api;
let caller: TestCaller;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());
beforeEach(async () => {
  caller = await api.account();
});

const SECRET = expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/);
const read = async (key: string) => (await api.call("GET", "/v1/signing-secrets", key)).body;
const rotate = (credential: string | { cookie: string }, query = "") =>
  api.call("POST", `/v1/signing-secrets/rotate${query}`, credential);

const rotateOnce = (key: string, credential: string | { cookie: string } = caller.live) =>
  api.call("POST", "/v1/signing-secrets/rotate", credential, undefined, { "idempotency-key": key });
const kept = async () =>
  (await api.sql`SELECT count(*)::int AS n FROM secret_rotations WHERE account_id = ${caller.accountId}`)[0]?.n;
const events = async () => {
  const { body } = await api.call("GET", "/v1/me/events", await api.session(caller.accountId));
  return body.items.filter(({ kind }: { kind: string }) => kind === "signing_secrets_rotated").length;
};

async function stored(env: "live" | "test") {
  const [row] = await api.sql`
    SELECT current, next, former, extract(epoch FROM former_until - now())::float8 AS former_s FROM signing_secrets
    WHERE account_id = ${caller.accountId} AND env = ${env}`;
  const plain = (sealed: Buffer | null) =>
    sealed && open(api.config.keyRing, sealed, secretAad(caller.accountId, env)).toString();
  return { current: plain(row?.current), next: plain(row?.next), former: plain(row?.former), formerS: row?.former_s };
}

describe("GET /v1/signing-secrets 200", () => {
  it("returns a pair per environment, the same at each read, encrypted in the database", async () => {
    const live = await read(caller.live);
    const test = await read(caller.test);
    expect(live).toEqual({ current: SECRET, next: SECRET, rotated_at: null });
    expect(new Set([live.current, live.next, test.current, test.next]).size).toBe(4);
    expect(await read(caller.live)).toEqual(live);
    const rows = await api.sql`SELECT encode(current, 'escape') AS text FROM signing_secrets`;
    expect(rows.filter(({ text }) => text.includes("whsec_"))).toEqual([]);
  });

  it("creates the pair once, also for several first reads at the same time", async () => {
    await api.sql`DELETE FROM signing_secrets WHERE account_id = ${caller.accountId}`;
    const reads = await Promise.all(Array.from({ length: 20 }, () => read(caller.live)));
    expect(new Set(reads.map(({ current, next }) => current + next)).size).toBe(1);
  });
});

describe("POST /v1/signing-secrets/rotate 200", () => {
  it("makes next the current secret, creates a new next, and lets the former one sign for another 24 hours", async () => {
    const before = await read(caller.live);
    const { status, body } = await rotate(caller.live);
    expect(status).toBe(200);
    const { replayed, ...pair } = body;
    expect(replayed).toBe(false);
    expect(pair).toEqual({ current: before.next, next: SECRET, rotated_at: expect.stringMatching(/Z$/) });
    expect([before.current, before.next]).not.toContain(body.next);
    expect(Math.abs(Date.parse(body.rotated_at) - Date.now())).toBeLessThan(60_000);
    expect(await read(caller.live)).toEqual(pair);
    const row = await stored("live");
    expect(row).toMatchObject({ current: body.current, next: body.next, former: before.current });
    expect(Math.abs(row.formerS - 86_400)).toBeLessThan(60);
  });

  it("accepts either credential, and changes one environment alone", async () => {
    const session = await api.session(caller.accountId);
    const [live, test] = [await read(caller.live), await read(caller.test)];
    expect((await rotate(session, "?env=test")).body.current).toBe(test.next);
    expect(await read(caller.live)).toEqual(live);
    expect((await rotate(session)).body.current).toBe(live.next);
    expect((await rotate(caller.test)).body.current).not.toBe(test.next);
  });

  it("counts each of ten concurrent rotations: each promotes the secret that the one before it created", async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => rotate(caller.live)));
    const pairs = answers.map(({ body }) => body as { current: string; next: string });
    expect(new Set(pairs.map(({ next }) => next)).size).toBe(10);
    const { current, next } = await read(caller.live);
    expect(pairs.filter((pair) => !pairs.some((later) => later.current === pair.next))).toEqual([
      expect.objectContaining({ current, next }),
    ]);
  });

  it("creates the pair first when there is none", async () => {
    await api.sql`DELETE FROM signing_secrets WHERE account_id = ${caller.accountId}`;
    expect((await rotate(caller.live)).body).toMatchObject({ current: SECRET, next: SECRET });
  });
});

describe("POST /v1/signing-secrets/rotate with an Idempotency-Key", () => {
  it("rotates once: a repeat answers as the first call did, also after other rotations and by another credential", async () => {
    const first = await rotateOnce("deploy 7");
    expect(first).toMatchObject({ status: 200, body: { replayed: false } });
    expect(first.headers.has("idempotent-replayed")).toBe(false);
    for (const between of [async () => {}, () => rotate(caller.live), () => rotateOnce("deploy 8")]) {
      await between();
      const now = await read(caller.live);
      for (const again of [
        await rotateOnce("deploy 7"),
        await rotateOnce("deploy 7", await api.session(caller.accountId)),
      ]) {
        expect(again).toMatchObject({ status: 200, body: { ...first.body, replayed: true } });
        expect(again.headers.get("idempotent-replayed")).toBe("true");
      }
      expect(await read(caller.live)).toEqual(now);
    }
    expect(await events()).toBe(3);
  });

  it("rotates once for concurrent calls with one key, and once for each of concurrent keys", async () => {
    const before = await read(caller.live);
    const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => rotateOnce(`key ${n % 3}`)));
    expect(answers.filter(({ status, body }) => status === 200 && !body.replayed)).toHaveLength(3);
    for (const n of [0, 1, 2]) {
      const ofKey = answers
        .filter((_, at) => at % 3 === n)
        .map(({ body: { replayed, ...pair } }) => JSON.stringify(pair));
      expect(new Set(ofKey).size).toBe(1);
    }
    expect(new Set(answers.map(({ body }) => body.next)).size).toBe(3);
    expect((await read(caller.live)).current).not.toBe(before.next);
    expect(await events()).toBe(3);
  });

  it("means another rotation in another environment or account", async () => {
    const [first, test, other] = [await rotateOnce("k"), await rotateOnce("k", caller.test), await api.account()];
    expect(test.body).toMatchObject({ replayed: false });
    expect(test.body.current).not.toBe(first.body.current);
    expect((await rotateOnce("k", other.live)).body).toMatchObject({ replayed: false });
  });

  it("rotates again once 24 hours are over", async () => {
    const first = await rotateOnce("k");
    const age = (hours: number) => api.sql`
      UPDATE secret_rotations SET rotated_at = now() - ${hours}::float8 * interval '1 hour' WHERE account_id = ${caller.accountId}`;
    await age(23.9);
    expect((await rotateOnce("k")).body).toMatchObject({ current: first.body.current, replayed: true });
    await age(24);
    expect((await rotateOnce("k")).body).toMatchObject({ current: first.body.next, replayed: false });
    expect(await kept()).toBe(1);
  });

  it("keeps a bounded number of keys: beyond it new ones are 429, known ones and rotations without a key are not", async () => {
    await rotateOnce("first");
    await api.sql`
      INSERT INTO secret_rotations SELECT account_id, env, 'k' || n, sealed, rotated_at + n * interval '1 second'
      FROM secret_rotations, generate_series(1, ${ROTATION_KEYS_MAX - 1}) n WHERE account_id = ${caller.accountId}`;
    const now = await read(caller.live);
    const refused = await rotateOnce("one more");
    expect(refused).toMatchObject({ status: 429, body: { error: { code: "RATE_LIMITED" } } });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(86_000);
    expect(await read(caller.live)).toEqual(now);
    expect(await kept()).toBe(ROTATION_KEYS_MAX);
    expect((await rotateOnce("first")).body.replayed).toBe(true);
    expect((await rotateOnce("one more", caller.test)).status).toBe(200);
    expect((await rotate(caller.live)).status).toBe(200);
    await api.sql`
      UPDATE secret_rotations SET rotated_at = now() - interval '25 hours'
      WHERE account_id = ${caller.accountId} AND env = 'live' AND idempotency_key = 'first'`;
    expect((await rotateOnce("one more")).body.replayed).toBe(false);
  });

  it("refuses a malformed key and rotates nothing", async () => {
    const before = await read(caller.live);
    for (const key of ["", "k".repeat(256), "\u00e9"]) {
      const answer = await rotateOnce(key);
      expect(answer).toMatchObject({ status: 400, body: { error: { code: "VALIDATION" } } });
      expect(answer.body.error.details[0].path).toBe("Idempotency-Key");
    }
    expect((await rotateOnce("k".repeat(255))).status).toBe(200);
    expect((await read(caller.live)).current).toBe(before.next);
  });

  it("keeps no secret in plain text", async () => {
    await rotateOnce("k");
    const rows = await api.sql`SELECT encode(sealed, 'escape') AS text FROM secret_rotations`;
    expect(rows.filter(({ text }) => text.includes("whsec_"))).toEqual([]);
  });

  it("changes nothing when the answer cannot be stored for repeats", async () => {
    const before = await read(caller.live);
    await api.sql`ALTER TABLE secret_rotations ADD CONSTRAINT none CHECK (idempotency_key <> 'refused')`;
    expect((await rotateOnce("refused")).status).toBe(500);
    await api.sql`ALTER TABLE secret_rotations DROP CONSTRAINT none`;
    expect(await read(caller.live)).toEqual(before);
    expect(await events()).toBe(0);
  });
});
