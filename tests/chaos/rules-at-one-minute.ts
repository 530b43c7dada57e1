import type postgres from "postgres";
import { ZONE_DATA } from "#db/queries/recurrences/zone-data.ts";
import { newId } from "#domain/ids.ts";
import { hashShare } from "#domain/recurrence.ts";
import { leadOf } from "#domain/recurrence-step.ts";
import { MANY_NAMES, originAt, type Ports } from "./origins.ts";

/** Recurrences of one account. */
export const RULES_PER_ACCOUNT = 500;
const BATCH = 2_000;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** The first whole minute that is at least half a run of `seconds` ahead, epoch ms. */
export const minuteOfRules = (seconds: number, nowMs: number): number =>
  Math.ceil((nowMs + seconds * 500) / MINUTE_MS) * MINUTE_MS;

/** Stores daily recurrences that all fire at one minute, `atMs`, for the last time. Dispatchers make their occurrences at once. */
export async function insertRules(
  sql: postgres.Sql,
  { count, atMs, accounts, ports }: { count: number; atMs: number; accounts: readonly string[]; ports: Ports },
): Promise<void> {
  const at = new Date(atMs);
  const cron = `${at.getUTCMinutes()} ${at.getUTCHours()} * * *`;
  for (let from = 0; from < count; from += BATCH) {
    const rows = Array.from({ length: Math.min(BATCH, count - from) }, (_, index) => {
      const n = from + index;
      const [id, origin] = [newId(Date.now()), originAt({ many: n % MANY_NAMES }, ports)];
      return {
        ...{
          id,
          account_id: accounts[Math.floor(n / RULES_PER_ACCOUNT)] as string,
          env: "live",
          key: `rule ${n}`,
          cron,
        },
        ...{
          timezone: "UTC",
          on_clock_change: "first",
          overlap: "allow",
          catch_up: "latest",
          spread_ms: 0,
          ends_at: at,
        },
        ...{ target_url: `${origin}/ok/${n}/rules`, origin, method: "POST", payload_size_bytes: 0 },
        ...{ request_hash: Buffer.alloc(0), zone_data: ZONE_DATA, lead_ms: leadOf(DAY_MS, hashShare(id)) },
        ...{ shard: 0, made_until: new Date(), open_from: new Date(), next_step_at: new Date(), created_by: id },
      };
    });
    await sql`INSERT INTO recurrences ${sql(rows)}`;
  }
  await sql`UPDATE recurrences r SET shard = a.shard FROM accounts a WHERE a.id = r.account_id AND r.shard <> a.shard`;
}
