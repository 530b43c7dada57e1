import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ENCRYPTION_KEYS } from "#tests/helpers/encryption-keys.ts";
import { sendRaw } from "#tests/helpers/raw-request.ts";
import { startWebProcess, type WebProcess } from "#tests/helpers/web-process.ts";
import { type Api, FUTURE, startApi, TARGET } from "./api.ts";

let api: Api;
let web: WebProcess;

beforeAll(async () => {
  api = await startApi();
  web = await startWebProcess({ DATABASE_URL: api.config.databaseUrl, ENCRYPTION_KEYS, BASE_URL: api.config.baseUrl });
});
afterAll(async () => {
  await web?.stop();
  await api.stop();
});

async function post(key: string, path: string, body: unknown, ...keys: string[]) {
  const json = body === undefined ? "" : JSON.stringify(body);
  const lines = [
    ...["Host: x", "Connection: close", `Authorization: Bearer ${key}`, "Content-Type: application/json"],
    ...[`Content-Length: ${json.length}`, ...keys.map((one) => `Idempotency-Key: ${one}`)],
  ];
  const { status, text } = await sendRaw(web.port, `POST ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${json}`);
  return { status, body: JSON.parse(text) };
}

// A create is answered without Next.js, a replay by it.
describe("an Idempotency-Key that comes twice", () => {
  it("counts once when both are equal, in a create, a replay and a rotation", async () => {
    const { live } = await api.account();
    const schedule = { targetUrl: TARGET, fireAt: FUTURE };
    const created = await post(live, "/v1/schedules", { ...schedule, idempotencyKey: "k" }, "k", "k");
    expect(created).toMatchObject({ status: 201, body: { replayed: false } });
    expect(await post(live, "/v1/schedules", schedule, "k")).toMatchObject({ status: 200, body: { mismatch: false } });
    const replay = `/v1/schedules/${created.body.id}/replay`;
    const copy = await post(live, replay, undefined, "again", "again", "again");
    expect(copy.status).toBe(201);
    expect(await post(live, replay, undefined, "again")).toMatchObject({ status: 200, body: { id: copy.body.id } });
    const rotated = await post(live, "/v1/signing-secrets/rotate", undefined, "r", "r");
    const again = await post(live, "/v1/signing-secrets/rotate", undefined, "r");
    expect(again).toMatchObject({ status: 200, body: { next: rotated.body.next, replayed: true } });
  });

  it("is VALIDATION when they differ, and nothing is stored", async () => {
    const { live, accountId } = await api.account();
    for (const keys of [
      ["k", "l"],
      ["k", ""],
      ["k", "k, k"],
      ["k", "k", "l"],
    ]) {
      const answer = await post(live, "/v1/schedules", { targetUrl: TARGET, fireAt: FUTURE }, ...keys);
      expect(answer).toMatchObject({ status: 400, body: { error: { code: "VALIDATION" } } });
      expect(answer.body.error.details[0].path).toBe("Idempotency-Key");
    }
    expect(await api.sql`SELECT FROM schedules WHERE account_id = ${accountId}`).toHaveLength(0);
  });
});
