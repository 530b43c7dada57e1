import type { Logger } from "pino";
import { connect, type Database } from "#db/client.ts";
import { SESSION } from "#dispatcher/databases.ts";
import { NoticeSender } from "#dispatcher/notices/notice-sender.ts";
import { Notices } from "#dispatcher/notices/notices.ts";
import { errorLine } from "#domain/error-line.ts";
import type { Mailer } from "#mail/mail.ts";
import { createMailer } from "#mail/mailer.ts";
import type { DispatchHarness } from "./dispatch-harness.ts";
import type { FakeResend } from "./fake-resend.ts";
import { setUsage } from "./usage.ts";

const MINUTE_MS = 60_000;

/**
 * The notices of a fleet on `dispatch`, sent to `resend`, with a clock that only `advance` moves. `stages` creates the
 * stages of one more dispatcher.
 */
export function createNoticeHarness(dispatch: DispatchHarness, resend: FakeResend) {
  const database = connect({ url: dispatch.databaseUrl, name: "notices", connectionsMax: 4, session: SESSION });
  // In the middle of a month, so that no month ends within a test.
  const today = new Date();
  const startMs = Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 1, 10);
  const clock = { shiftMs: startMs - today.getTime(), now: () => Date.now() + clock.shiftMs };
  const lines: { level: string; msg: string; [field: string]: unknown }[] = [];
  const log = Object.fromEntries(
    ["info", "warn", "error"].map((level) => [
      level,
      (fields: object, msg: string) => lines.push({ level, msg, ...fields }),
    ]),
  ) as unknown as Logger;
  const figures = { sent: 0, failed: 0, waiting: 0 };
  const metrics = {
    noticeSent: () => void figures.sent++,
    noticeFailed: () => void figures.failed++,
    noticesWaiting(n: number) {
      figures.waiting = n;
    },
  };

  const stages = ({ baseUrl = "https://stopwatch.example.com", ...other }: Partial<Stage> = {}) => {
    const { keyRing, plans } = dispatch.config;
    const mailer = createMailer(resend.settings, { onWritten: () => {} });
    const deps = {
      database,
      keyRing,
      plans,
      baseUrl,
      mailer,
      shards: { holds: () => true },
      clock,
      log,
      metrics,
      ...other,
    };
    return { notices: new Notices(deps), sender: new NoticeSender(deps) };
  };
  const one = stages();

  return {
    stages,
    one,
    lines,
    figures,
    clock,
    database,
    advance(ms: number) {
      clock.shiftMs += ms;
    },
    /** Makes notices once, `minutes` later, and sends all that can be sent then. */
    async after(minutes: number, { notices, sender } = one): Promise<void> {
      clock.shiftMs += minutes * MINUTE_MS;
      await notices.runOnce();
      while (await sender.runOnce());
    },
    /** Schedules of the account that die now, by the statement that records deaths. */
    async die(account: { id: string }, deaths: Dead[]): Promise<string[]> {
      const ids: string[] = [];
      for (const { url, statusCode = 410, outcome, errorText = "", env = "live" } of deaths) {
        const id = await dispatch.schedule(account as never, url, new Date(Date.now() + 60 * MINUTE_MS), { env });
        const at = new Date();
        await dispatch.sql`
          INSERT INTO attempts (schedule_id, attempt, attempted_at, account_id, env, outcome, status_code, latency_ms, error_text)
          VALUES (${id}, 1, ${at}, ${account.id}, ${env}, ${outcome ?? "rejected"}, ${outcome ? null : statusCode}, 1, ${errorText})`;
        await dispatch.sql`
          UPDATE schedules SET status = 'dead', next_attempt_at = NULL, attempts = 1, last_attempt_at = ${at}, ended_at = now(),
            last_status_code = ${outcome ? null : statusCode}, last_error = ${errorLine(errorText)}
          WHERE id = ${id}`;
        await dispatch.sql`UPDATE dead_schedules SET died_at = ${new Date(clock.now())} WHERE schedule_id = ${id}`;
        ids.push(id);
      }
      return ids;
    },
    /** Sets how many live schedules the account created in the current month of the clock. */
    async used(account: { id: string }, scheduled: number): Promise<void> {
      const period = new Date(clock.now()).toISOString().slice(0, 7).replace("-", "");
      await setUsage(dispatch.sql, account.id, scheduled, { period });
    },
    /** The mails that an account received. */
    mails: (account: { id: string }) => resend.accepted.filter(({ to }) => to === `${account.id}@example.com`),
    close: () => database.close(),
  };
}

type Stage = { baseUrl: string; database: Database; mailer: Mailer };

type Dead = {
  url: string;
  statusCode?: number;
  outcome?: "unreachable" | "blocked" | "interrupted";
  errorText?: string;
  env?: "live" | "test";
};
