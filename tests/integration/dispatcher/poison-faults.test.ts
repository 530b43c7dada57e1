import { describe, expect, it } from "vitest";
import { parseKeyRing } from "#domain/cipher.ts";
import { packRequest, sealRequest } from "#domain/sealed-request.ts";
import type { Receiver } from "#scripts/lab/receiver.ts";
import type { DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { inMs } from "../../helpers/time.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { withDispatchHarness } from "../../helpers/with-dispatch-harness.ts";

let receiver: Receiver;
let harness: DispatchHarness;

withDispatchHarness({ hasDispatcher: true, keepsReceived: true }, (made) => {
  ({ receiver, harness } = made);
});

const header = (name: string, value: string) => packRequest({ headers: [[name, value]], payload: "x" }) as Buffer;
const CANNOT_BE_SENT = /^the (stored request cannot be sent|request failed)$/;
const destination = (account: { id: string }, id: string) =>
  ({ accountId: account.id, env: "live", id, method: "POST", targetUrl: `${receiver.origin}/` }) as const;
const sentTo = (path: string) => receiver.requests.filter((request) => request.path === path).length;
const strange = parseKeyRing(`k9:${Buffer.alloc(32, 9).toString("base64")}`);

describe.concurrent("a stored request", () => {
  it.each([
    ["with a line break in a header's value", header("X-Bad", "a\r\nHost: evil"), CANNOT_BE_SENT],
    ["with a header's name that is no token", header("X Bad\n", "a"), CANNOT_BE_SENT],
    ["with Transfer-Encoding", header("Transfer-Encoding", "chunked"), CANNOT_BE_SENT],
    ["with a Content-Length that is not its own", header("Content-Length", "500"), CANNOT_BE_SENT],
    ["with Expect", header("Expect", "100-continue"), CANNOT_BE_SENT],
    ["with Upgrade", header("Upgrade", "websocket"), CANNOT_BE_SENT],
    ["that unpacks to nonsense", Buffer.from("ffffffff00", "hex"), "the stored request cannot be read"],
    ["that is empty", Buffer.alloc(0), "the stored request cannot be read"],
    ["whose headers are not a list", Buffer.concat([Buffer.from([0, 0, 0, 2]), Buffer.from("17")]), /cannot be read/],
  ] as const)("%s is never sent, and dies after its attempts with a clear text", async (_title, packed, text) => {
    receiver.requests.length = 0;
    const account = await harness.account({ settings: { retry_attempts: 1 } });
    const id = await harness.schedule(account, `${receiver.origin}/`, inMs(1_000), { payload: "x" });
    const sealed = sealRequest(harness.config.keyRing, packed, destination(account, id));
    await harness.sql`UPDATE schedule_requests SET sealed = ${sealed} WHERE schedule_id = ${id}`;
    await waitFor("it is dead", async () => (await harness.read(id)).status === "dead");
    const attempts = await harness.attempts(id);
    expect(attempts).toMatchObject([{ outcome: "unreachable" }, { outcome: "unreachable" }]);
    for (const attempt of attempts) expect(attempt.error_text).toMatch(text);
    expect(sentTo("/")).toBe(0);
  });

  it("that was encrypted with a lost key or for another schedule dies with a clear text", async () => {
    receiver.requests.length = 0;
    const account = await harness.account({ settings: { retry_attempts: 0 } });
    const packed = header("X-Secret", "value");
    const sealedBy = { strange: strange, own: harness.config.keyRing };
    for (const [key, ring] of Object.entries(sealedBy)) {
      const id = await harness.schedule(account, `${receiver.origin}/`, inMs(1_000), { payload: "x" });
      const other = key === "own" ? "00000000-0000-7000-8000-000000000000" : id;
      const sealed = sealRequest(ring, packed, destination(account, other));
      await harness.sql`UPDATE schedule_requests SET sealed = ${sealed} WHERE schedule_id = ${id}`;
      await waitFor("it is dead", async () => (await harness.read(id)).status === "dead");
      expect(await harness.attempts(id)).toMatchObject([{ error_text: "the stored request cannot be decrypted" }]);
    }
    expect(sentTo("/")).toBe(0);
  });

  it("of an account whose signing secret cannot be decrypted dies with a clear text, and others are delivered", async () => {
    const account = await harness.account({ settings: { retry_attempts: 0 } });
    await harness.sql`UPDATE signing_secrets SET current = '\\x00' WHERE account_id = ${account.id}`;
    const poisoned = await harness.schedule(account, `${receiver.origin}/`, inMs(1_000), { payload: "x" });
    const healthy = await harness.schedule(await harness.account(), `${receiver.origin}/beside-a-secret`, inMs(1_000));
    await waitFor("the others are delivered", async () => (await harness.read(healthy)).status === "succeeded");
    await waitFor("it is dead", async () => (await harness.read(poisoned)).status === "dead");
    expect(await harness.attempts(poisoned)).toMatchObject([{ error_text: "the stored request cannot be decrypted" }]);
    expect([sentTo("/beside-a-secret"), sentTo("/")]).toEqual([1, 0]);
  });

  it("whose target is not a URL is recorded as a failure and stops no other delivery", async () => {
    receiver.requests.length = 0;
    const account = await harness.account({ settings: { retry_attempts: 0 } });
    const poisoned = await harness.schedule(account, `${receiver.origin}/`, inMs(1_000), { payload: "x" });
    await harness.sql`UPDATE schedule_requests SET target_url = 'nonsense' WHERE schedule_id = ${poisoned}`;
    const healthy = await harness.schedule(account, `${receiver.origin}/beside-an-address`, inMs(1_100));
    await waitFor("the others are delivered", async () => (await harness.read(healthy)).status === "succeeded");
    await waitFor("it is dead", async () => (await harness.read(poisoned)).status === "dead");
    expect(await harness.attempts(poisoned)).toMatchObject([{ error_text: "the stored request cannot be read" }]);
    expect([sentTo("/beside-an-address"), sentTo("/")]).toEqual([1, 0]);
  });
});
