import { createSecretKey, randomBytes } from "node:crypto";
import type { Config } from "#config.ts";
import { RecurrenceInput } from "#contract/inputs/recurrence-input.ts";
import { DatabaseUnavailable } from "#db/client.ts";
import type { OrmDatabase } from "#db/orm.ts";
import { spreadShareMs } from "#domain/recurrence.ts";
import { preciseNow } from "#scripts/lab/clock.ts";
import type { Ctx, Query } from "#server/context.ts";
import { pauseRecurrence } from "#server/recurrences/pause.ts";
import { putRecurrence } from "#server/recurrences/put.ts";
import { resumeRecurrence } from "#server/recurrences/resume.ts";
import { pause } from "../helpers/time.ts";
import type { OrdinaryBehaviour } from "./behaviour.ts";
import { hashOf } from "./client.ts";
import type { RecurrenceCall, RecurrenceEntry } from "./evidence.ts";
import { originAt, type Ports } from "./origins.ts";
import type { RecurrenceChange, RecurrencePlan } from "./recurrence-load.ts";

const DEADLINE_MS = 5_000;
const MINUTE_MS = 60_000;
/** A change that waits for an occurrence waits no longer than this. */
const WAIT_MS_MAX = 20_000;
const PAYLOAD_BYTES = 64;

/**
 * The owner of recurrences of every minute. Makes the calls of one recurrence one after the other, each again until it is
 * answered, and records them. A call whose answer was lost has happened or not; the next one says the same.
 */
export function createRecurrenceOwner(wanted: {
  config: Config;
  database: OrmDatabase;
  accounts: { id: string }[];
  ports: Ports;
}) {
  const { config, database, accounts, ports } = wanted;
  const ledger: RecurrenceEntry[] = [];
  const ctxOf = (accountId: string): Ctx => {
    const query: Query = (work) => database.run(DEADLINE_MS, ({ db, sql }) => work({ db, sql }, () => {}));
    return {
      ...{ config, tenant: { accountId, env: "live" }, plan: "indie", limits: config.plans.indie, isCached: false },
      credential: { kind: "key", id: accountId, env: "live" },
      requestHashKey: createSecretKey(Buffer.alloc(32)),
      source: () => ({ network: null, userAgent: null }),
      onRefusedTarget() {},
      query,
      read: query,
    };
  };

  const inputOf = ({ catchUp, overlap }: RecurrencePlan, behaviour: OrdinaryBehaviour, n: number) => {
    const payload = randomBytes(PAYLOAD_BYTES / 2).toString("hex");
    const targetUrl = `${originAt(behaviour === "ok" ? "well" : "unwell", ports)}/${behaviour}/${n}/recurrence`;
    return RecurrenceInput.parse({
      ...{ cron: "* * * * *", spreadMs: MINUTE_MS, catchUp, overlap, targetUrl, payload },
    });
  };

  /** Asks until there is an answer, and notes it. */
  const call = async <T>(
    entry: RecurrenceEntry,
    asked: Pick<RecurrenceCall, "kind" | "bodyHash">,
    ask: () => Promise<T>,
  ) => {
    const askedAtMs = preciseNow();
    for (let unknown = 0; ; unknown++) {
      try {
        const answer = await ask();
        entry.calls.push({ ...asked, askedAtMs, answeredAtMs: preciseNow(), unknown });
        return answer;
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable)) throw error;
        await pause(100);
      }
    }
  };

  const put = async (entry: RecurrenceEntry, plan: RecurrencePlan, behaviour: OrdinaryBehaviour, n: number) => {
    const input = inputOf(plan, behaviour, n);
    const bodyHash = hashOf(input.payload ?? "");
    const { row } = await call(entry, { kind: "put", bodyHash }, () =>
      putRecurrence(ctxOf(entry.accountId), entry.key, input, { isDry: false }),
    );
    Object.assign(entry, { id: row.id, shareMs: spreadShareMs(row.id, row.spreadMs) });
  };

  const change = async (
    entry: RecurrenceEntry,
    plan: RecurrencePlan,
    { kind, behaviour }: RecurrenceChange,
    n: number,
  ) => {
    const ctx = ctxOf(entry.accountId);
    if (kind === "put") await put(entry, plan, behaviour, n);
    else if (kind === "pause") await call(entry, { kind }, () => pauseRecurrence(ctx, entry.key, {}));
    else await call(entry, { kind }, () => resumeRecurrence(ctx, entry.key));
  };

  const run = async (plan: RecurrencePlan, n: number, untilMs: number) => {
    const { id: accountId } = accounts[plan.account] as (typeof accounts)[number];
    const entry: RecurrenceEntry = { ...{ id: "", key: `rule-${n}`, accountId, shareMs: 0 }, calls: [] };
    ledger.push(entry);
    await put(entry, plan, plan.behaviour, n);
    for (const [index, one] of plan.changes.entries()) {
      await pause(one.afterMs);
      if (one.beforeMs !== null) {
        const toNextMs = MINUTE_MS - ((preciseNow() - entry.shareMs) % MINUTE_MS);
        if (toNextMs < WAIT_MS_MAX) await pause(Math.max(0, toNextMs - one.beforeMs));
      }
      if (preciseNow() > untilMs) break;
      await change(entry, plan, one, n + (index + 1) * 1_000);
    }
    await pause(Math.max(0, untilMs - preciseNow()));
    await call(entry, { kind: "pause" }, () => pauseRecurrence(ctxOf(accountId), entry.key, {}));
  };

  return {
    /** Every recurrence with the calls that were answered. */
    ledger,
    /** Puts and changes the recurrence of a plan until `untilMs` (epoch ms), and pauses it then. */
    run,
  };
}
