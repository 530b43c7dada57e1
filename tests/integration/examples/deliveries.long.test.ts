// Guards: examples/**, sdk/src/**
// Needs: languages, runtimes
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectOrm, type OrmDatabase } from "#db/orm.ts";
import { readSigningSecrets, rotateSigningSecrets } from "#db/queries/accounts/signing-secrets.ts";
import { encodeId } from "#domain/ids.ts";
import { buildPackage } from "#scripts/packages/build-package.ts";
import { freePort } from "#scripts/ports.ts";
import { signDelivery } from "../../../sdk/src/receive.ts";
import type { TestAccount } from "../../helpers/accounts.ts";
import { createDispatchHarness, type DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { EXAMPLES, missingFor, type RunningExample, startExample, typeProblemsOf } from "./receivers.ts";

/** Headers that no service sends, as an attacker may: bytes beyond ASCII, no numbers, nothing at all. */
const HOSTILE: [string, Record<string, string>][] = [
  ["an id beyond ASCII", { "webhook-id": "\xe9\xff" }],
  ["an empty id", { "webhook-id": "" }],
  ["a dot in its id", { "webhook-id": "sch_1.2" }],
  ...["", "now", "1e9", "-1", "\xb2\xb3", "9".repeat(400), "0x10", "1 000"].map(
    (time): [string, Record<string, string>] => [
      `the timestamp ${JSON.stringify(time.slice(0, 9))}`,
      { "webhook-timestamp": time },
    ],
  ),
  ...["", ",", "v1", "v1,", "v1,\xe9", "\xff v1,\xfe", `v1,${"A".repeat(4_000)}`, " ".repeat(100)].map(
    (signature): [string, Record<string, string>] => [
      `the signature ${JSON.stringify(signature.slice(0, 9))}`,
      { "webhook-signature": signature },
    ],
  ),
];

/** Posts a body. Unlike `fetch` it sends header values byte by byte, whatever they are. Returns the status. */
async function postRaw(url: string, headers: Record<string, string>, body: string): Promise<number | undefined> {
  const all = { ...headers, "Content-Length": Buffer.byteLength(body) };
  // A connection for each: some receivers answer before they have read the body, and close.
  const sent = request(url, { method: "POST", headers: all, agent: false });
  sent.end(body);
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  answer.resume();
  return answer.statusCode;
}

let harness: DispatchHarness;
let orm: OrmDatabase;
const ports = new Map<string, number>();

beforeAll(async () => {
  await buildPackage("sdk");
  for (const { name } of EXAMPLES) ports.set(name, await freePort());
  const origins = [...ports.values()].map((port) => `http://127.0.0.1:${port}`);
  harness = await createDispatchHarness({ DELIVERY_ALLOW: origins.join(",") });
  orm = connectOrm({ url: harness.databaseUrl, name: "examples", connectionsMax: 1 });
  await harness.dispatcher();
});
afterAll(async () => {
  await orm?.close();
  await harness?.close();
});

// docs/receivers.md shows them, to the letter (tests/unit/docs/receivers.test.ts).
describe.each(EXAMPLES)("the example $name", (example) => {
  const missing = missingFor(example);
  if (missing) {
    it.skip(`not run: ${missing} is missing`, () => {});
    return;
  }

  let account: TestAccount;
  let secrets: { current: string; next: string };
  let running: RunningExample;
  let target: string;

  const tenant = () => ({ accountId: account.id, env: "live" as const });
  const inOrm = <T>(work: Parameters<typeof orm.run<T>>[1]) => orm.run(10_000, work);

  beforeAll(async () => {
    account = await harness.account();
    secrets = await inOrm(({ db }) => readSigningSecrets(db, tenant(), harness.config.keyRing));
    const port = ports.get(example.name) as number;
    target = `http://127.0.0.1:${port}/hook`;
    running = await startExample(example, port, secrets);
  });
  afterAll(() => running?.stop());

  /** Delivers a schedule of an account through the dispatcher. Returns what came of its first attempt. */
  async function deliver(order: string, from = account) {
    const id = await harness.schedule(from, target, new Date(Date.now() + 200), { payload: JSON.stringify({ order }) });
    const schedule = await waitFor(`the attempt for ${order} is recorded`, async () => {
      const row = await harness.read(id);
      return ["succeeded", "failed", "dead"].includes(row.status) && row;
    });
    const [attempt] = await harness.attempts(id);
    const waitMs = (schedule.next_attempt_at as Date | null)?.getTime() ?? Number.NaN;
    return {
      id: encodeId("sch", id),
      status: schedule.status,
      statusCode: attempt?.status_code as number | null,
      waitMs: waitMs - attempt?.attempted_at.getTime(),
    };
  }

  /** Sends a request of its own, signed with `secret`. */
  async function post(order: string, secret: string, scheduleId?: string) {
    const body = JSON.stringify({ order });
    const headers = await signDelivery({ secret, body, scheduleId, attempt: 2 });
    return (await fetch(target, { method: "POST", headers, body })).status;
  }

  const hasReminded = (...orders: string[]) =>
    waitFor(`it has reminded of ${orders}`, () => orders.every((order) => running.reminded().includes(order)));

  if (example.types) {
    it("compiles", async () => {
      expect(await typeProblemsOf(example)).toBe("");
    });
  }

  it("takes a delivery, and runs nothing twice when it comes again", async () => {
    const { id, ...delivered } = await deliver("ord_1");
    expect(delivered).toMatchObject({ status: "succeeded", statusCode: 200 });
    expect(await post("ord_1", secrets.current, id)).toBe(200);
    expect(await post("after", secrets.current)).toBe(200);
    await hasReminded("after");
    expect(running.reminded()).toEqual(["ord_1", "after"]);
  });

  it("refuses what another account signed, and a body that was changed", async () => {
    expect(await deliver("forged", await harness.account())).toMatchObject({ status: "failed", statusCode: 401 });
    const headers = await signDelivery({ secret: secrets.current, body: "{}" });
    const body = JSON.stringify({ order: "forged" });
    expect((await fetch(target, { method: "POST", headers, body })).status).toBe(401);
    expect((await fetch(target, { method: "POST", body })).status).toBe(401);
    expect(await post("later", secrets.current)).toBe(200);
    await hasReminded("later");
    expect(running.reminded()).not.toContain("forged");
  });

  it.each(HOSTILE)("answers 401 to a forged request with %s", async (_, forged) => {
    const headers = { ...(await signDelivery({ secret: secrets.current, body: "{}" })), ...forged };
    expect(await postRaw(target, headers, '{"order":"forged"}')).toBe(401);
  });

  it("accepts the signature of a payload that begins with a byte order mark", async () => {
    const body = '\ufeff{"order":"cancelled"}';
    const headers = await signDelivery({ secret: secrets.current, body });
    expect(await postRaw(target, headers, body)).not.toBe(401);
  });

  it("asks for a later attempt, and takes that one anew", async () => {
    const { id, waitMs, ...delivered } = await deliver("unpaid");
    expect(delivered).toMatchObject({ status: "failed", statusCode: 503 });
    expect(waitMs).toBeGreaterThanOrEqual(60_000);
    expect(await post("ord_2", secrets.current, id)).toBe(200);
    await hasReminded("ord_2");
  });

  it("asks for no further attempt", async () => {
    expect(await deliver("cancelled")).toMatchObject({ status: "dead", statusCode: 410 });
  });

  it("takes the former and the next secret after a rotation", async () => {
    await inOrm(({ db }) => rotateSigningSecrets(db, tenant(), harness.config.keyRing));
    expect(await deliver("ord_3")).toMatchObject({ status: "succeeded", statusCode: 200 });
    expect(await post("ord_4", secrets.current)).toBe(200);
    expect(await post("ord_5", secrets.next)).toBe(200);
    await hasReminded("ord_3", "ord_4", "ord_5");
  });
});
