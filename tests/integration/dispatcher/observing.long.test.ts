// Guards: dispatcher/observability/**
// Needs: promtool
import { spawn } from "node:child_process";
import { openSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import pino from "pino";
import { describe, expect, it } from "vitest";
import { processEnv } from "#config.ts";
import { endHold, holdForOperator } from "#db/queries/fleet/holds.ts";
import { startDispatcher } from "#dispatcher/dispatcher.ts";
import { encodeId } from "#domain/ids.ts";
import type { Receiver } from "#scripts/lab/receiver.ts";
import { freePort } from "#scripts/ports.ts";
import type { DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { ENCRYPTION_KEYS } from "../../helpers/encryption-keys.ts";
import { hasPromtool, lintMetrics } from "../../helpers/promtool.ts";
import { stopAudited } from "../../helpers/stop-audited.ts";
import { inMs } from "../../helpers/time.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { withDispatchHarness } from "../../helpers/with-dispatch-harness.ts";

let receiver: Receiver;
let harness: DispatchHarness;

withDispatchHarness({ isPerTest: true }, (made) => {
  ({ receiver, harness } = made);
});

describe("a dispatcher process", () => {
  it("reports to Prometheus what it sent, how late, in what batches, and what it holds", async () => {
    const port = await freePort();
    const child = await harness.process({ env: { DISPATCHER_PORT: String(port) } });
    try {
      const account = await harness.account();
      for (let n = 0; n < 30; n++) await harness.schedule(account, `${receiver.origin}/`, inMs(1_500));
      await harness.schedule(account, "https://127.0.0.1:1/", inMs(500));
      // It fires now: it is sent, and counts in no figure of lateness.
      await harness.schedule(account, `${receiver.origin}/`, null);
      await waitFor("all are recorded", async () => {
        const [row] = await harness.sql`SELECT count(*)::int AS n FROM attempts`;
        return row?.n === 32;
      });
      const read = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      const text = await waitFor("all are counted", async () => {
        const found = await read();
        return /^stopwatch_record_batch_rows_sum 32$/m.test(found) && found;
      });
      // On a slow machine an instant may have passed before its schedule is stored, which then fires now.
      const [late] = await harness.sql`
        SELECT count(*)::int AS n, count(*) FILTER (WHERE late_ms <= 1000)::int AS "withinSecond"
        FROM attempts a JOIN schedules s ON s.id = a.schedule_id
        WHERE a.outcome = 'delivered' AND s.fire_at <> s.created_at`;
      expect(late?.n).toBeGreaterThan(0);
      expect(text).toMatch(new RegExp(`^stopwatch_lateness_seconds_count ${late?.n}$`, "m"));
      expect(text).toMatch(new RegExp(`^stopwatch_lateness_seconds_bucket\\{le="1"\\} ${late?.withinSecond}$`, "m"));
      expect(text).toMatch(/^stopwatch_lateness_seconds_sum \d+(\.\d+)?$/m);
      expect(text).toMatch(/^stopwatch_claim_batch_rows_sum 32$/m);
      expect(text).toMatch(/^stopwatch_attempts_total\{outcome="delivered"\} 31$/m);
      expect(text).toMatch(/^stopwatch_attempts_total\{outcome="blocked"\} 1$/m);
      expect(text).toMatch(/^stopwatch_shards_owned 64$/m);
      expect(text).toMatch(/^stopwatch_in_flight 0$/m);
      expect(text).toMatch(/^stopwatch_clock_skew_seconds -?\d/m);
      expect(text).not.toMatch(/^stopwatch_database_errors_total\{kind="\w+"\} [1-9]/m);
      expect(text).toMatch(/^process_resident_memory_bytes \d/m);
      if (hasPromtool) expect(lintMetrics(text)).toBe("");
      expect(await (await fetch(`http://127.0.0.1:${port}/readyz`)).json()).toEqual({ status: "ok" });
      const health = await fetch(`http://127.0.0.1:${port}/healthz`);
      expect(health.headers.get("x-content-type-options")).toBe("nosniff");
      expect(await health.json()).toMatchObject({ status: "ok", owned: 64, unrecorded: 0 });
      // A health check with a parameter against caches.
      expect((await fetch(`http://127.0.0.1:${port}/healthz?_=1767225600`)).status).toBe(200);
      expect((await fetch(`http://127.0.0.1:${port}/metrics?_=1767225600&x`)).status).toBe(200);
      expect((await fetch(`http://127.0.0.1:${port}/other`)).status).toBe(404);
    } finally {
      child.kill("SIGKILL");
    }
  });

  it("says in /healthz, in /metrics and in one line of its log why it sends nothing, and when it goes on", async () => {
    const port = await freePort();
    const hold = await holdForOperator(harness.sql);
    const child = spawn(process.execPath, ["dispatcher/main.ts"], {
      env: {
        PATH: processEnv().PATH,
        NODE_ENV: "test",
        LOG_LEVEL: "info",
        DISPATCHER_PORT: String(port),
        DATABASE_URL: harness.databaseUrl,
        ENCRYPTION_KEYS,
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const lines: { level: string; msg: string }[] = [];
    createInterface(child.stdout).on("line", (line) => lines.push(JSON.parse(line)));
    const read = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text();
    try {
      const reason = 'Nothing is sent: an operator holds this database. Run "npm run reconcile" and choose.';
      await waitFor("it says so", () => lines.some(({ msg }) => msg === reason));
      const health = await waitFor("it is held", async () => {
        const found = JSON.parse(await read("/healthz"));
        return found.status === "held" && found;
      });
      expect(health).toMatchObject({ reason, owned: 0, held: 1 });
      const ready = await fetch(`http://127.0.0.1:${port}/readyz`);
      expect([ready.status, await ready.json()]).toEqual([503, { status: "unavailable", reason }]);
      expect(await read("/metrics")).toMatch(/^stopwatch_held 1$/m);
      await endHold(harness.sql, hold.id, { choice: "send_all" });
      await waitFor("it goes on", async () => JSON.parse(await read("/healthz")).owned === 64);
      expect(await read("/metrics")).toMatch(/^stopwatch_held 0$/m);
      await waitFor("it says so", () => lines.some(({ msg }) => msg === "the hold has ended"));
      expect(lines.filter(({ msg }) => msg === reason)).toHaveLength(1);
      expect(lines.map(({ msg }) => msg)).not.toContain("delivering");
    } finally {
      child.kill("SIGKILL");
    }
  });

  it.runIf(process.platform === "linux").each<[string, () => number | "pipe", (stdout: Readable | null) => void]>([
    ["whose disk is full", () => openSync("/dev/full", "w"), () => {}],
    ["whose reader is gone", () => "pipe", (stdout) => stdout?.destroy()],
    ["that nobody reads any more", () => "pipe", () => {}],
  ])("keeps delivering with a log %s", async (_, stdout, begin) => {
    const child = spawn(process.execPath, ["dispatcher/main.ts"], {
      env: {
        PATH: processEnv().PATH,
        NODE_ENV: "test",
        LOG_LEVEL: "trace",
        DISPATCHER_PORT: "0",
        DATABASE_URL: harness.databaseUrl,
        DELIVERY_ALLOW: receiver.origin,
        ENCRYPTION_KEYS,
      },
      stdio: ["ignore", stdout(), "inherit"],
    });
    begin(child.stdout);
    try {
      // More than a pipe holds.
      const account = await harness.account();
      for (let n = 0; n < 300; n++) await harness.schedule(account, `${receiver.origin}/${"x".repeat(300)}`, inMs(500));
      await waitFor("all arrive", () => receiver.requests.length === 300, 30_000);
    } finally {
      child.kill("SIGKILL");
    }
  });
});

describe("the log of a dispatcher", () => {
  async function loggedAttempts(level: string, work: () => Promise<unknown>) {
    const lines: Record<string, unknown>[] = [];
    const log = pino({ level }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const dispatcher = await startDispatcher(harness.config, { log, version: "0.0.0" });
    try {
      await work();
    } finally {
      await stopAudited(dispatcher);
    }
    return lines.filter(({ msg }) => msg === "attempt");
  }

  it("has one line per attempt, with all that explains it and the target without its query", async () => {
    const account = await harness.account();
    receiver.respond((request, response) => response.writeHead(request.path.startsWith("/bad") ? 500 : 204).end("no"));
    const good = await harness.schedule(account, `${receiver.origin}/good/1?token=secret`, inMs(800));
    const bad = await harness.schedule(account, `${receiver.origin}/bad`, inMs(800), { method: "PUT" });
    const nobody = await harness.schedule(account, "https://127.0.0.1:1/x", inMs(800));
    const attempts = await loggedAttempts("info", () =>
      waitFor("each has its first attempt, and one its second", async () => {
        const [row] = await harness.sql`SELECT count(*)::int AS n FROM attempts`;
        return row?.n >= 4;
      }),
    );
    const of = (id: string, attempt: number) =>
      attempts.find((line) => line.scheduleId === encodeId("sch", id) && line.attempt === attempt);
    expect(of(good, 1)).toMatchObject({
      level: 30,
      accountId: account.id,
      env: "live",
      outcome: "delivered",
      status: 204,
      method: "POST",
      target: `${receiver.origin}/good/1`,
      waitMs: 0,
    });
    for (const name of ["lateMs", "claimMs", "connectMs", "firstByteMs", "totalMs"]) {
      expect(of(good, 1)?.[name]).toBeGreaterThanOrEqual(0);
    }
    expect(of(bad, 1)).toMatchObject({ outcome: "rejected", status: 500, method: "PUT" });
    expect(of(bad, 2)).toMatchObject({ outcome: "rejected", status: 500, attempt: 2 });
    expect(of(nobody, 1)).toMatchObject({
      outcome: "blocked",
      error: expect.any(String),
      firstByteMs: null,
      totalMs: 0,
    });
  });

  it("has a line about an attempt that was lost with its dispatcher", async () => {
    const account = await harness.account();
    const id = await harness.schedule(account, `${receiver.origin}/`, inMs(60_000));
    await harness.sql`
      UPDATE schedules SET status = 'firing', attempts = 1, version = version + 1,
        claimed_at = now() - interval '40 s', claim_deadline = now() - interval '5 s' WHERE id = ${id}`;
    const attempts = await loggedAttempts("info", () =>
      waitFor("it is repeated", () => receiver.requests.length === 1, 40_000),
    );
    expect(attempts[0]).toMatchObject({ scheduleId: encodeId("sch", id), attempt: 1, outcome: "interrupted" });
  });

  it("has no line about attempts at the level warn", async () => {
    const account = await harness.account();
    await harness.schedule(account, `${receiver.origin}/`, inMs(500));
    expect(await loggedAttempts("warn", () => waitFor("it arrives", () => receiver.requests.length === 1))).toEqual([]);
  });
});
