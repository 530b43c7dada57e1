import type { Side } from "./servers.ts";

/** The publication, the slot and the subscription of a move. */
export const NAME = "stopwatch_move";

export type MoveState = {
  /** Of the target's subscription. Null when there is none. */
  subscription: { oid: string; isEnabled: boolean } | null;
  hasPublication: boolean;
  hasSlot: boolean;
  isSourceReadOnly: boolean;
  isTargetReadOnly: boolean;
};

/** Writes go to the target. */
export function isFlipped(state: MoveState): boolean {
  return state.isSourceReadOnly && !state.isTargetReadOnly;
}

/** How far a move is: all of it is in the two databases, so that any run can go on where one was stopped. */
export async function readState(source: Side, target: Side): Promise<MoveState> {
  const [subscription] = await target.sql`
    SELECT oid::text AS oid, subenabled AS "isEnabled" FROM pg_subscription
    WHERE subname = ${NAME} AND subdbid = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  const [found] = await source.sql`
    SELECT EXISTS (SELECT FROM pg_publication WHERE pubname = ${NAME}) AS publication,
      EXISTS (SELECT FROM pg_replication_slots WHERE slot_name = ${NAME}) AS slot`;
  return {
    subscription: (subscription as MoveState["subscription"] | undefined) ?? null,
    hasPublication: found?.publication,
    hasSlot: found?.slot,
    isSourceReadOnly: await isReadOnly(source),
    isTargetReadOnly: await isReadOnly(target),
  };
}

async function isReadOnly({ sql }: Side): Promise<boolean> {
  const found = await sql`
    SELECT FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase
    WHERE d.datname = current_database() AND s.setrole = 0 AND 'default_transaction_read_only=on' = ANY (s.setconfig)`;
  return found.length > 0;
}

/** Lets sessions that begin from now on write, or not. Those that exist stay as they are. */
export async function setReadOnly({ sql }: { sql: Pick<Side["sql"], "unsafe"> }, isReadOnlyNow: boolean) {
  const what = isReadOnlyNow ? "SET default_transaction_read_only = on" : "RESET default_transaction_read_only";
  await sql.unsafe(`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I ${what}', current_database()); END $$`);
}
