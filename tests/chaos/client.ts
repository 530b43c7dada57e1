import { createHash, randomBytes } from "node:crypto";
import type { Config } from "#config.ts";
import { DatabaseUnavailable, type Sql } from "#db/client.ts";
import { connectOrm } from "#db/orm.ts";
import { pgArray } from "#db/pg-array.ts";
import type { Tenant } from "#db/queries/accounts/tenant.ts";
import { cancelOpenSchedule } from "#db/queries/schedules/cancel.ts";
import { createSchedule, type NewSchedule } from "#db/queries/schedules/create.ts";
import { createSchedules } from "#db/queries/schedules/create-bulk.ts";
import { putSchedule } from "#db/queries/schedules/put.ts";
import { updateScheduled } from "#db/queries/schedules/reschedule.ts";
import { newId } from "#domain/ids.ts";
import { packRequest, sealRequest } from "#domain/sealed-request.ts";
import { preciseNow } from "#scripts/lab/clock.ts";
import { pause } from "../helpers/time.ts";
import type { Order } from "./adversaries/adversary.ts";
import type { Behaviour } from "./behaviour.ts";
import type { ChangeEntry, ClientEntry } from "./evidence.ts";
import { originAt, type Place, type Ports } from "./origins.ts";
import type { Change, Creation } from "./plan.ts";

export type Client = ReturnType<typeof createClient>;

const DEADLINE_MS = 5_000;
const LIMITS = { limit: 1_000_000, graceLimit: 1_000_000 };
const SMALL_BYTES = 64;
const NO_HASH = Buffer.alloc(32);

export const hashOf = (payload: string): string => createHash("sha256").update(payload).digest("hex");

/** Replaces the request of a schedule that is `scheduled`. */
const putInPlace = (sql: Sql, tenant: Tenant, schedule: NewSchedule) =>
  putSchedule(sql, tenant, { ...LIMITS, earlyFire: false }, { ...schedule, ...keyed(schedule), maxDelayMs: null });

/** In this program the key of a schedule is its id. */
const keyed = ({ id }: NewSchedule) => ({ holder: id, idempotencyKey: id });

type Draw = { fireAtMs: number; behaviour: Behaviour; place: Place; group: string; payloadBytes: number };

/**
 * The caller of the service. It creates, cancels and reschedules as planned, through the service's own statements, and
 * records every answer with its time. Creates without an acknowledgement are only counted; those schedules may exist or
 * not.
 */
export function createClient(wanted: {
  config: Config;
  accounts: { id: string; earlyFire: boolean }[];
  /** The ports of the receiver and the hostile peers. */
  ports: Ports;
}) {
  const { config, accounts, ports } = wanted;
  const ledger: ClientEntry[] = [];
  const inFlight = new Set<Promise<void>>();
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
      inFlight.add(done);
      void done.finally(() => inFlight.delete(done));
    }, delayMs);
    timers.add(timer);
  };

  const drawSchedule = (
    { accountId, env }: Tenant,
    { fireAtMs, behaviour, place, group, payloadBytes }: Draw,
    id = newId(Date.now()),
  ) => {
    const payload = randomBytes(Math.ceil(payloadBytes / 2)).toString("hex");
    const packed = packRequest({ headers: [], payload });
    const origin = originAt(place, ports);
    const targetUrl = `${origin}/${behaviour}/${places++}/${group}`;
    const sealed = packed && sealRequest(config.keyRing, packed, { accountId, env, id, method: "POST", targetUrl });
    const schedule: NewSchedule = {
      id,
      fireTime: { atMs: fireAtMs },
      origin,
      sealed,
      method: "POST",
      payloadSizeBytes: payload.length,
      targetUrl,
      earlyFire: null,
      idempotencyKey: group === "ordinary" ? id : null,
      requestHash: NO_HASH,
      replayOf: null,
      rejection: null,
      delivery: null,
    };
    return { schedule, fireAtMs, payload, behaviour };
  };

  const note = (drawn: ReturnType<typeof drawSchedule>, accountId: string, group: string): ClientEntry => {
    const { schedule, fireAtMs, payload, behaviour } = drawn;
    const entry: ClientEntry = {
      id: schedule.id,
      accountId,
      group,
      origin: schedule.origin,
      fireAtMs,
      acknowledgedAtMs: preciseNow(),
      behaviour,
      changes: [],
      bodyHash: hashOf(payload),
    };
    ledger.push(entry);
    return entry;
  };

  const create = async ({ account, behaviour, leadMs, payloadBytes, changes }: Creation) => {
    const { id: accountId, earlyFire } = accounts[account] as (typeof accounts)[number];
    const tenant: Tenant = { accountId, env: "live" };
    const fireAtMs = Math.ceil(preciseNow() + leadMs);
    const place = behaviour === "ok" ? "well" : "unwell";
    const draw: Draw = { fireAtMs, behaviour, place, group: "ordinary", payloadBytes };
    const drawn = drawSchedule(tenant, draw);
    let outcome: string;
    try {
      const creation = await database.run(DEADLINE_MS, ({ sql }) =>
        createSchedule(sql, tenant, { ...LIMITS, earlyFire }, drawn.schedule),
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
    const entry = note(drawn, accountId, "ordinary");
    // Changes of one schedule run one after the other, since a caller makes the next one knowing the last answer.
    let previous = Promise.resolve();
    for (const change of changes) {
      later(Math.max(0, fireAtMs - change.beforeMs - preciseNow()), () => {
        previous = previous.then(() => carryOut(entry, tenant, draw, change));
        return previous;
      });
    }
  };

  const createMany = async (group: string, accountId: string, fromMs: number, orders: readonly Order[]) => {
    const tenant: Tenant = { accountId, env: "live" };
    const drawn = orders.map(({ dueAtMs, behaviour, place }) =>
      drawSchedule(tenant, {
        fireAtMs: Math.ceil(fromMs + dueAtMs),
        behaviour,
        place,
        group,
        payloadBytes: SMALL_BYTES,
      }),
    );
    const schedules = drawn.map(({ schedule }) => schedule);
    try {
      const outcomes = await database.run(DEADLINE_MS, ({ sql }) =>
        createSchedules(sql, tenant, { ...LIMITS, earlyFire: false }, schedules, () => {}),
      );
      if (typeof outcomes === "string") counts.refused += orders.length;
      else {
        for (const [n, { outcome }] of outcomes.entries()) {
          if (outcome === "created") note(drawn[n] as (typeof drawn)[number], accountId, group);
          else counts.refused++;
        }
      }
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      counts.unknown += orders.length;
    }
  };

  const setActive = async (accountIds: readonly string[], active: boolean) => {
    const status = active ? "active" : "deactivated";
    for (;;) {
      try {
        await database.run(
          DEADLINE_MS,
          ({ sql }) => sql`
            UPDATE accounts SET status = ${status} WHERE id = ANY(${pgArray(accountIds)}::text::uuid[])`,
        );
        return;
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable)) throw error;
        await pause(200);
      }
    }
  };

  const carryOut = async (entry: ClientEntry, tenant: Tenant, drawn: Draw, change: Change) => {
    const fireAtMs = change.kind === "cancel" ? null : Math.ceil(entry.fireAtMs + change.moveMs);
    const askedAtMs = preciseNow();
    const bytes = { ...drawn, fireAtMs: fireAtMs ?? 0, payloadBytes: SMALL_BYTES };
    const put = change.kind === "put" ? drawSchedule(tenant, bytes, entry.id) : undefined;
    const bodyHash = put && hashOf(put.payload);
    let answer: ChangeEntry["answer"];
    try {
      const isDone = await database.run(DEADLINE_MS, async ({ db, sql }) => {
        if (put) return (await putInPlace(sql, tenant, put.schedule)).outcome === "changed";
        if (fireAtMs === null) return (await cancelOpenSchedule(db, tenant, entry.id)) !== undefined;
        const change = { fireTime: { atMs: fireAtMs }, earlyFire: undefined };
        return (await updateScheduled(db, tenant, entry.id, change)) !== undefined;
      });
      answer = isDone ? "done" : "refused";
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      answer = "unknown";
    }
    const asked = { kind: change.kind, fireAtMs, askedAtMs, ...(bodyHash && { bodyHash }) };
    entry.changes.push({ ...asked, answeredAtMs: preciseNow(), answer });
  };

  return {
    /** Its connections. */
    database,
    /** All acknowledged schedules. */
    ledger,
    /** Creates whose answer was lost, and creates that were refused because their instant had passed. */
    counts,
    /** Rejects when this program itself fails. */
    failed: failed.promise,
    /** Carries out the plan, starting now. */
    start(creations: readonly Creation[]) {
      for (const creation of creations) later(creation.atMs, () => create(creation));
    },
    /** Runs `work` in `delayMs`, and counts it as in progress until it is done. */
    later,
    /** Creates schedules of one account in one call, each due `dueAtMs` after `fromMs`. */
    createMany,
    /** Deactivates or reactivates accounts. Tries again until the database answers. */
    setActive,
    /** Waits until every planned call was made and answered. */
    async finish() {
      while (timers.size + inFlight.size > 0) await pause(50);
    },
    async close() {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
      await database.close();
    },
  };
}
