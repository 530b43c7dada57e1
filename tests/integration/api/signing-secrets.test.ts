import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { secretAad } from "#domain/associated-data.ts";
import { open } from "#domain/cipher.ts";
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
    expect(body).toEqual({ current: before.next, next: SECRET, rotated_at: expect.stringMatching(/Z$/) });
    expect([before.current, before.next]).not.toContain(body.next);
    expect(Math.abs(Date.parse(body.rotated_at) - Date.now())).toBeLessThan(60_000);
    expect(await read(caller.live)).toEqual(body);
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
