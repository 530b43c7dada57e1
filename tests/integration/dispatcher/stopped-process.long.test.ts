// Guards: dispatcher/**
// Final: its verdict is about what was sent, and how often.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { encodeId } from "#domain/ids.ts";
import type { Receiver } from "#scripts/lab/receiver.ts";
import type { DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { inMs, pause } from "../../helpers/time.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { withDispatchHarness } from "../../helpers/with-dispatch-harness.ts";

let receiver: Receiver;
let harness: DispatchHarness;
let account: Awaited<ReturnType<DispatchHarness["account"]>>;

withDispatchHarness({}, (made) => {
  ({ receiver, harness } = made);
});
beforeEach(async () => {
  account = await harness.account();
});
afterEach(() => harness.endProcesses());

const spread = (n: number, path: string, fromMs: number, overMs: number) =>
  Promise.all(
    Array.from({ length: n }, (_, nth) =>
      harness.schedule(account, `${receiver.origin}${path}`, inMs(fromMs + (overMs * nth) / n)),
    ),
  );
const requestsOf = (id: string) =>
  receiver.requests.filter(({ headers }) => headers["webhook-id"] === encodeId("sch", id));
const countOf = async (status: string) => {
  const [row] = await harness.sql`
    SELECT count(*)::int AS n FROM schedules WHERE account_id = ${account.id} AND status = ${status}`;
  return row?.n as number;
};

async function expectSentOnce(ids: string[]) {
  for (const id of ids) {
    expect(requestsOf(id)).toHaveLength(1);
    expect(await harness.attempts(id)).toMatchObject([{ attempt: 1, outcome: "delivered", status_code: 200 }]);
  }
}

describe("a stopped process", () => {
  it("that continues before its leases have ended is late, and sends everything once", async () => {
    const process = await harness.process();
    receiver.respond((_request, response) => setTimeout(() => response.end("ok"), 300));
    const ids = await spread(40, "/", 500, 4_000);
    await waitFor("it is at work", () => receiver.requests.length >= 5);
    process.kill("SIGSTOP");
    await pause(2_000);
    process.kill("SIGCONT");
    await waitFor("all are delivered", async () => (await countOf("succeeded")) === 40, 15_000);
    await expectSentOnce(ids);
    const early = await harness.sql`SELECT FROM schedules WHERE account_id = ${account.id} AND offset_ms < 0`;
    expect(early).toHaveLength(0);
  });

  it("that continues after its leases have ended sends none of their schedules, and overwrites no record of its successor", async () => {
    const process = await harness.process();
    receiver.respond((request, response) => {
      if (request.path !== "/wire" || request.headers["x-service-attempt"] !== "1") return response.end("ok");
      setTimeout(() => response.writeHead(500).end("too late"), 1_000);
    });
    const wire = await spread(10, "/wire", 300, 100);
    // The stopped process knows these, and would send them all when it continues.
    const known = await spread(20, "/known", 2_500, 1_000);
    const later = await spread(20, "/later", 4_000, 20_000);
    await waitFor("ten are on the wire", () => receiver.requests.length === 10);
    process.kill("SIGSTOP");
    await harness.sql`UPDATE schedules SET claim_deadline = now() WHERE status = 'firing'`;
    const successor = await harness.dispatcher();
    await waitFor("what was due is delivered", () => receiver.requests.length >= 40, 20_000);
    await waitFor(
      "what was on the wire is repeated",
      async () => wire.every((id) => requestsOf(id).length === 2),
      30_000,
    );
    await waitFor("and recorded", async () => (await countOf("succeeded")) >= 30);
    process.kill("SIGCONT");
    await waitFor("all are delivered", async () => (await countOf("succeeded")) === 50, 30_000);
    await waitFor("they share the shards", () => successor.figures().owned === 32, 20_000);
    await expectSentOnce([...known, ...later]);
    for (const id of wire) {
      expect(await harness.attempts(id)).toMatchObject([
        { attempt: 1, outcome: "interrupted", status_code: null },
        { attempt: 2, outcome: "delivered", status_code: 200 },
      ]);
      expect(await harness.read(id)).toMatchObject({ status: "succeeded", attempts: 2 });
    }
    expect(receiver.requests).toHaveLength(60);
    await successor.stop();
  });
});

describe("a process without free file descriptors", () => {
  it("delivers everything, and counts no attempt against a target because of that", async () => {
    const child = await harness.process({ filesMax: 64 });
    receiver.respond((_request, response) => setTimeout(() => response.end("ok"), 1_000));
    const ids = await spread(50, "/", 1_500, 100);
    await waitFor("all are delivered", async () => (await countOf("succeeded")) === 50, 30_000);
    await expectSentOnce(ids);
    expect(child.exitCode).toBeNull();
  });
});

describe("dispatchers that are started and stopped every half second", () => {
  it("send everything once and leave no schedule claimed", async () => {
    const ids = await spread(50, "/", 500, 6_000);
    for (let n = 0; n < 12; n++) {
      const dispatcher = await harness.dispatcher();
      await pause(300);
      await dispatcher.stop();
    }
    expect(await countOf("firing")).toBe(0);
    const last = await harness.dispatcher();
    await waitFor("all are delivered", async () => (await countOf("succeeded")) === 50, 15_000);
    await expectSentOnce(ids);
    await last.stop();
  });
});
