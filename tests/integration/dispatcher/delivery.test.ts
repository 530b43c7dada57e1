// Final: its verdict is about what was sent, and when.

import { createHmac } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { encodeId } from "#domain/ids.ts";
import { parseTargetPolicy, validateTarget } from "#domain/target-url.ts";
import { ATTEMPT_DEADLINE_MS, CONNECT_DEADLINE_MS } from "#domain/timing.ts";
import { type Receiver, startReceiver } from "#scripts/lab/receiver.ts";
import { createDispatchHarness, type DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { expectOnTime } from "../../helpers/on-time.ts";
import { inMs } from "../../helpers/time.ts";
import { waitFor } from "../../helpers/wait-for.ts";

let receiver: Receiver;
let harness: DispatchHarness;
let folder: string;

beforeAll(async () => {
  receiver = await startReceiver();
  folder = await mkdtemp(join(tmpdir(), "stopwatch-ca-"));
  const caFile = join(folder, "ca.pem");
  await writeFile(caFile, receiver.ca);
  harness = await createDispatchHarness({
    DELIVERY_ALLOW: `localhost:${receiver.port},localhost:1`,
    DELIVERY_CA_FILE: caFile,
  });
  await harness.dispatcher();
});
afterAll(async () => {
  await harness.close();
  await receiver.close();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  receiver.requests.length = 0;
  receiver.respond((_request, response) => response.end("ok"));
});

const toStatus = (id: string, status: string, deadlineMs?: number) =>
  waitFor(
    `${id} becomes ${status}`,
    async () => (await harness.read(id)).status === status && harness.read(id),
    deadlineMs,
  );

describe("a delivered request", () => {
  it("has the caller's method, path, query, headers and body bytes, and both signatures", async () => {
    const account = await harness.account();
    const payload = 'text \0 with é and 😀\r\n{"a":1}';
    const id = await harness.schedule(account, `${receiver.origin}/hook/%2f/x?y=1&z=%20`, inMs(400), {
      method: "PUT",
      payload,
      headers: [
        ["Content-Type", "text/plain"],
        ["X-Tenant", "a b"],
      ],
    });
    await toStatus(id, "succeeded");

    const [request] = receiver.requests;
    expect(request).toMatchObject({ method: "PUT", path: "/hook/%2f/x?y=1&z=%20", body: Buffer.from(payload) });
    const headers = request?.headers as Record<string, string>;
    expect(headers).toMatchObject({
      "content-type": "text/plain",
      "x-tenant": "a b",
      "user-agent": "Stopwatch/0.0.0",
      "webhook-id": encodeId("sch", id),
      "x-service-schedule-id": encodeId("sch", id),
      "x-service-attempt": "1",
      "content-length": String(Buffer.byteLength(payload)),
    });
    expect(headers["accept-encoding"]).toBeUndefined();
    const signedAt = new Date(Number(headers["webhook-timestamp"]) * 1_000);
    expect(headers["webhook-signature"]).toBe(
      new Webhook(account.secrets.live).sign(encodeId("sch", id), signedAt, payload),
    );
    const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(headers["x-service-signature"] ?? "") ?? [];
    expect(v1).toBe(createHmac("sha256", account.secrets.live).update(`${t}.`).update(payload).digest("hex"));
  });

  it("has the path and query that its schedule shows, also when they end in a question mark", async () => {
    const account = await harness.account();
    const paths = ["/shown?", "/?", "/shown??", "/shown?a=1&", "/shown/?#left-out"];
    const targets = paths.map((path) => `${receiver.origin}${path}`);
    const shown = targets.map((url) => url.replace(/#.*/, ""));
    const stored = targets.map((url) => {
      const target = validateTarget(url, parseTargetPolicy(`localhost:${receiver.port}`, ""));
      return target.ok ? target.url : "";
    });
    expect(stored).toEqual(shown);
    for (const url of stored) await harness.schedule(account, url, null);
    await waitFor("all arrive", () => receiver.requests.length === paths.length);
    expect(receiver.requests.map(({ path }) => `${receiver.origin}${path}`).sort()).toEqual(shown.toSorted());
  });

  it.each(["GET", "POST", "PUT", "PATCH", "DELETE"])("%s without a payload has no body", async (method) => {
    const account = await harness.account();
    const id = await harness.schedule(account, `${receiver.origin}/${method}`, inMs(300), { method });
    await toStatus(id, "succeeded");
    expect(receiver.requests).toMatchObject([{ method, body: Buffer.alloc(0) }]);
  });

  it("is signed with the secrets of its own environment", async () => {
    const account = await harness.account();
    const id = await harness.schedule(account, `${receiver.origin}/`, inMs(300), { env: "test", payload: "{}" });
    await toStatus(id, "succeeded");
    const headers = receiver.requests[0]?.headers as Record<string, string>;
    new Webhook(account.secrets.test).verify("{}", headers);
    expect(() => new Webhook(account.secrets.live).verify("{}", headers)).toThrow();
  });

  it("is recorded once, with its timing", async () => {
    const account = await harness.account();
    const id = await harness.schedule(account, `${receiver.origin}/`, inMs(300));
    const row = await toStatus(id, "succeeded");
    expect(row).toMatchObject({ attempts: 1, next_attempt_at: null, claimed_by: null });
    const attempts = await harness.attempts(id);
    expect(attempts).toHaveLength(1);
    expect(attempts[0]).toMatchObject({
      attempt: 1,
      outcome: "delivered",
      status_code: 200,
      error_text: "",
      wait_ms: 0,
    });
    expect(attempts[0]?.late_ms).toBeGreaterThanOrEqual(0);
    expect(attempts[0]?.first_byte_ms).toBeGreaterThan(0);
  });
});

describe("a failed attempt", () => {
  it("is retried after each backoff until the answer is 2xx", async () => {
    const account = await harness.account();
    receiver.respond((_request, response) => {
      response.statusCode = receiver.requests.length < 3 ? 500 : 200;
      response.end("sorry");
    });
    const id = await harness.schedule(account, `${receiver.origin}/flaky`, inMs(200), { payload: "x" });
    await toStatus(id, "succeeded");
    const attempts = await harness.attempts(id);
    expect(attempts.map((a) => [a.attempt, a.status_code, a.error_text])).toEqual([
      [1, 500, "sorry"],
      [2, 500, "sorry"],
      [3, 200, ""],
    ]);
    const [first, second, third] = receiver.requests.map((request) => request.arrivedAtMs) as [number, number, number];
    expect(second - first).toBeGreaterThanOrEqual(1_000);
    expect(third - second).toBeGreaterThanOrEqual(2_000);
    expect(receiver.requests.map(({ headers }) => headers["x-service-attempt"])).toEqual(["1", "2", "3"]);
    expect(new Set(receiver.requests.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  });

  it("with 410 makes the schedule dead at once", async () => {
    receiver.respond((_request, response) => response.writeHead(410).end());
    const id = await harness.schedule(await harness.account(), `${receiver.origin}/`, inMs(200));
    expect(await toStatus(id, "dead")).toMatchObject({ attempts: 1 });
  });

  it("with a redirect is not redirected", async () => {
    const account = await harness.account({ settings: { retry_attempts: 0 } });
    receiver.respond((_request, response) => response.writeHead(302, { location: `${receiver.origin}/other` }).end());
    const id = await harness.schedule(account, `${receiver.origin}/`, inMs(200));
    await toStatus(id, "dead");
    expect(receiver.requests.map(({ path }) => path)).toEqual(["/"]);
    expect(await harness.attempts(id)).toMatchObject([{ outcome: "rejected", status_code: 302 }]);
  });

  it("because no server listens is recorded without a status code and without the address, and retried", async () => {
    const account = await harness.account({ settings: { retry_attempts: 1 } });
    const id = await harness.schedule(account, "https://localhost:1/", inMs(300));
    const row = await toStatus(id, "dead");
    expect(row).toMatchObject({ attempts: 2 });
    for (const attempt of await harness.attempts(id)) {
      expect(attempt).toMatchObject({ outcome: "unreachable", status_code: null, latency_ms: 0 });
      expect(attempt.error_text).toBe("connection: ECONNREFUSED");
      expect(attempt.late_ms).toBeGreaterThanOrEqual(0);
    }
  });

  it("because the connection closes without an answer is one request, which is never silently repeated", async () => {
    const account = await harness.account({ settings: { retry_attempts: 0 } });
    receiver.respond((_request, _response, socket) => socket.destroy());
    const id = await harness.schedule(account, `${receiver.origin}/`, inMs(200));
    await toStatus(id, "dead");
    expect(receiver.requests).toHaveLength(1);
    expect(await harness.attempts(id)).toMatchObject([{ outcome: "unreachable", status_code: null }]);
  });

  it("whose answer repeats the payload is stored without it, and with the error around it", async () => {
    const account = await harness.account({ settings: { retry_attempts: 0 } });
    const payload = JSON.stringify({ canary: "a-long-canary-of-more-than-thirty-two-characters" });
    receiver.respond((request, response) => response.writeHead(500).end(`cannot store ${request.body}: disk full`));
    const id = await harness.schedule(account, `${receiver.origin}/`, inMs(200), { payload });
    await toStatus(id, "dead");
    const { error_text } = (await harness.attempts(id))[0] ?? {};
    expect(error_text).toBe("cannot store [response repeated the request]: disk full");
  });

  it("whose answer repeats a header value or the payload in base64 is stored without the answer's text", async () => {
    const account = await harness.account({ settings: { retry_attempts: 0 } });
    receiver.respond(({ headers, body }, response) => {
      const repeated = headers["x-token"] ?? body;
      response.writeHead(500).end(`you sent: ${Buffer.from(String(repeated)).toString("base64")}`);
    });
    const headers: [string, string][] = [["X-Token", "tok_51H8x2eZvKYlo2C"]];
    for (const sent of [{ headers }, { payload: JSON.stringify({ card: "4242 4242 4242 4242" }) }]) {
      const id = await harness.schedule(account, `${receiver.origin}/`, inMs(200), sent);
      await toStatus(id, "dead");
      expect((await harness.attempts(id))[0]?.error_text).toBe("[response repeated the request]");
    }
  });

  it("whose answer has only white space and short or public values in common with the request is stored whole", async () => {
    const account = await harness.account({ settings: { retry_attempts: 0 } });
    const text = `{\n${" ".repeat(32)}"error": "the production database cannot read application/json"\n}`;
    receiver.respond((_request, response) => response.writeHead(500).end(text));
    const payload = `{\n${" ".repeat(32)}"order": 1\n}`;
    const headers: [string, string][] = [
      ["X-Env", "prod"],
      ["Content-Type", "application/json"],
    ];
    const id = await harness.schedule(account, `${receiver.origin}/`, inMs(200), { payload, headers });
    await toStatus(id, "dead");
    expect((await harness.attempts(id))[0]?.error_text).toBe(text);
  });

  it("whose answer declares its charset is stored in the letters that it meant", async () => {
    const account = await harness.account({ settings: { retry_attempts: 0 } });
    receiver.respond((_request, response) => {
      response.writeHead(500, { "Content-Type": 'text/plain; Charset="ISO-8859-1"' });
      response.end(Buffer.from("ung\xfcltig", "latin1"));
    });
    const id = await harness.schedule(account, `${receiver.origin}/`, inMs(200));
    await toStatus(id, "dead");
    expect((await harness.attempts(id))[0]?.error_text).toBe("ungültig");
  });

  it("whose answer is not clean text is recorded, too", async () => {
    const account = await harness.account({ settings: { retry_attempts: 0 } });
    receiver.respond((_request, response) =>
      response.writeHead(500).end(Buffer.from([0, 0xff, 0xfe, 0xed, 0xa0, 0x80, 0x22, 0x5c])),
    );
    const id = await harness.schedule(account, `${receiver.origin}/`, inMs(200));
    await toStatus(id, "dead");
    expect((await harness.attempts(id))[0]?.error_text).toContain("\uFFFD");
  });

  it("does not follow from 2xx with a body that never ends", async () => {
    receiver.respond((_request, response) => {
      response.writeHead(200);
      response.write("drip");
    });
    const id = await harness.schedule(await harness.account(), `${receiver.origin}/`, inMs(200));
    await toStatus(id, "succeeded", 5_000);
  });

  it("of a request that cannot be decrypted is recorded as that, and stops no other delivery", async () => {
    const account = await harness.account({ settings: { retry_attempts: 0 } });
    const poisoned = await harness.schedule(account, `${receiver.origin}/`, inMs(400), { payload: "x" });
    await harness.sql`UPDATE schedule_requests SET sealed = '\\x0102' WHERE schedule_id = ${poisoned}`;
    const healthy = await harness.schedule(account, `${receiver.origin}/healthy`, inMs(400));
    await toStatus(healthy, "succeeded");
    await toStatus(poisoned, "dead");
    expect(await harness.attempts(poisoned)).toMatchObject([{ error_text: "the stored request cannot be decrypted" }]);
  });
});

describe("a target that stops listening", () => {
  it("costs each of its schedules one attempt at its due time, no more and none later", async () => {
    const leaving = await startReceiver({ tls: false });
    const left = new Promise<void>((resolve) => {
      leaving.respond((_request, response) => {
        response.end("ok");
        if (leaving.requests.length === 10) resolve(leaving.close());
      });
    });
    const fleet = await createDispatchHarness({ DELIVERY_ALLOW: leaving.origin });
    try {
      await fleet.dispatcher();
      const account = await fleet.account({ settings: { retry_backoff_ms: 60_000 } });
      const ids = [];
      for (let n = 0; n < 100; n++) ids.push(await fleet.schedule(account, `${leaving.origin}/`, inMs(1_000 + 20 * n)));
      await left;
      await waitFor("every schedule has had its attempt", async () => {
        const [row] =
          await fleet.sql`SELECT count(*)::int AS n FROM schedules WHERE attempts = 1 AND status <> 'firing'`;
        return row?.n === ids.length;
      });
      const rows = await fleet.sql`SELECT outcome, error_text, late_ms FROM attempts WHERE outcome <> 'delivered'`;
      expect(rows.length).toBeGreaterThan(50);
      for (const row of rows) expectOnTime(row.late_ms, CONNECT_DEADLINE_MS / 2);
    } finally {
      await fleet.close();
    }
  });
});

describe("a hanging target", () => {
  it("delays neither other accounts nor its own account's other targets", async () => {
    const plain = await startReceiver({ tls: false });
    const elsewhere = `http://127.0.0.1:${plain.port}`;
    const fleet = await createDispatchHarness({ DELIVERY_ALLOW: `${plain.origin},${elsewhere}` });
    try {
      await fleet.dispatcher();
      const [mine, theirs] = [await fleet.account(), await fleet.account()];
      plain.respond((request, response) => {
        if (!request.path.startsWith("/hang")) response.end("ok");
      });
      for (let n = 0; n < 300; n++) await fleet.schedule(mine, `${plain.origin}/hang`, inMs(1_500));
      for (const account of [mine, theirs]) {
        const id = await fleet.schedule(account, `${elsewhere}/`, inMs(2_500));
        const row = await waitFor("it is delivered", async () => {
          const read = await fleet.read(id);
          return read.status === "succeeded" && read;
        });
        expectOnTime(Number(row.offset_ms), ATTEMPT_DEADLINE_MS / 6);
      }
    } finally {
      await plain.close();
      await fleet.close();
    }
  });
});
