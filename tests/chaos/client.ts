import { createHash, randomBytes } from "node:crypto";
import type { Config } from "#config.ts";
import { DatabaseUnavailable } from "#db/client.ts";
import { connectOrm } from "#db/orm.ts";
import { createSchedule } from "#db/queries/create-schedule.ts";
import { cancelOpenSchedule, updateScheduled } from "#db/queries/schedules.ts";
import type { Tenant } from "#db/queries/tenant.ts";
import { scheduleAad } from "#domain/associated-data.ts";
import { seal } from "#domain/cipher.ts";
import { newId } from "#domain/ids.ts";
import { packRequest } from "#domain/sealed-request.ts";
import { preciseNow } from "./clock.ts";
import type { ChangeEntry, ClientEntry } from "./evidence.ts";
import type { Change, Creation } from "./plan.ts";

export type Client = ReturnType<typeof createClient>;

const DEADLINE_MS = 5_000;
const LIMITS = { limit: 1_000_000, graceLimit: 1_000_000 };
const NO_HASH = Buffer.alloc(32);

/**
 * The caller of the service: creates, cancels and moves schedules as planned, through the service's own statements, and
 * writes down what it was told and when. What was not acknowledged is counted, and may exist or not.
 */
export function createClient(wanted: {
  config: Config;
  accounts: { id: string; earlyFire: boolean }[];
  /** Where targets are that are well, and where those that are not. */
  origins: { well: string; unwell: string };
}) {
  const { config, accounts, origins } = wanted;
  const ledger: ClientEntry[] = [];
  const underWay = new Set<Promise<void>>();
  const timers = new Set<NodeJS.Timeout>();
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  const counts = { unknown: 0, refused: 0 };
  let places = 0;
  const database = connectOrm({ url: config.databaseUrl, name: "chaos-client", connectionsMax: 16 });

  const later = (delayMs: number, work: () => Promise<void>) => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      const done = work().catch(failed.reject);
      underWay.add(done);
      void done.finally(() => underWay.delete(done));
    }, delayMs);
    timers.add(timer);
  };

  const create = async ({ account, behaviour, leadMs, payloadBytes, changes }: Creation) => {
    const { id: accountId, earlyFire } = accounts[account] as (typeof accounts)[number];
    const tenant: Tenant = { accountId, env: "live" };
    const id = newId(Date.now());
    const fireAtMs = Math.ceil(preciseNow() + leadMs);
    const payload = randomBytes(Math.ceil(payloadBytes / 2)).toString("hex");
    const packed = packRequest({ headers: [], payload });
    const sealed = packed && seal(config.keyRing, packed, scheduleAad(id));
    const origin = behaviour === "ok" ? origins.well : origins.unwell;
    const wanted = {
      ...{ id, fireAtMs, origin, sealed, method: "POST", payloadSizeBytes: payload.length },
      targetUrl: `${origin}/${behaviour}/${places++}`,
      ...{ earlyFire: null, idempotencyKey: null, requestHash: NO_HASH, replayOf: null, verdict: null },
    };
    let outcome: string;
    try {
      const creation = await database.run(DEADLINE_MS, ({ sql }) =>
        createSchedule(sql, tenant, { ...LIMITS, earlyFire }, wanted),
      );
      outcome = creation.outcome;
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      counts.unknown++;
      return;
    }
    if (outcome !== "created") {
      counts.refused++;
      return;
    }
    const bodyHash = createHash("sha256").update(payload).digest("hex");
    const entry: ClientEntry = { id, fireAtMs, acknowledgedAtMs: preciseNow(), behaviour, bodyHash, changes: [] };
    ledger.push(entry);
    // One after the other: what a caller asks for next, it asks for knowing the last answer.
    let previous = Promise.resolve();
    for (const change of changes) {
      later(Math.max(0, fireAtMs - change.beforeMs - preciseNow()), () => {
        previous = previous.then(() => carryOut(entry, tenant, change));
        return previous;
      });
    }
  };

  const carryOut = async (entry: ClientEntry, tenant: Tenant, change: Change) => {
    const fireAtMs = change.kind === "reschedule" ? Math.ceil(entry.fireAtMs + change.moveMs) : null;
    const askedAtMs = preciseNow();
    let answer: ChangeEntry["answer"];
    try {
      const row = await database.run(DEADLINE_MS, ({ db }) =>
        fireAtMs === null
          ? cancelOpenSchedule(db, tenant, entry.id)
          : updateScheduled(db, tenant, entry.id, { fireAtMs, earlyFire: undefined }),
      );
      answer = row ? "done" : "refused";
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      answer = "unknown";
    }
    entry.changes.push({ kind: change.kind, fireAtMs, askedAtMs, answeredAtMs: preciseNow(), answer });
  };

  return {
    /** Everything that was acknowledged. */
    ledger,
    /** Creates whose answer was lost, and that came too late for their instant. */
    counts,
    /** Rejects on a mistake of this program. */
    failed: failed.promise,
    /** Carries out the plan from now on. */
    start(creations: readonly Creation[]) {
      for (const creation of creations) later(creation.atMs, () => create(creation));
    },
    /** Waits until everything planned was asked for and answered. */
    async finish() {
      while (timers.size + underWay.size > 0) await new Promise((resolve) => setTimeout(resolve, 50));
    },
    async close() {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
      await database.close();
    },
  };
}
