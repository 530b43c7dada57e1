import { access, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { holdForOperator } from "#db/queries/fleet/holds.ts";
import { hasPendingWork, readStanding } from "#db/queries/fleet/standing.ts";
import { describeHold } from "#domain/incarnation.ts";
import { onDatabase } from "../on-database.ts";

/**
 * A file in the folder of a cluster says that it is a backup, which nobody has started since. The start of it, from
 * wherever it was copied to, shows that what is pending may have been sent already.
 */
const MARKER = "stopwatch-backup.json";
const CONNECTION = { name: "stopwatch start, hold", deadlineMs: 30_000 };

/** Marks a cluster, which must be stopped, as a backup. */
export async function markAsBackup(cluster: string, takenAt: string) {
  await writeFile(join(cluster, MARKER), `${JSON.stringify({ takenAt })}\n`, { mode: 0o644 });
}

/** Holds the database of a backup that is started for the first time, if something is pending in it. */
export async function holdIfRestored(cluster: string, url: string) {
  const marker = join(cluster, MARKER);
  const isMarked = await access(marker).then(
    () => true,
    () => false,
  );
  if (!isMarked) return;
  await onDatabase(url, CONNECTION, async (sql) => {
    if (await hasPendingWork(sql)) await holdForOperator(sql);
  });
  await rm(marker);
}

/** Why nothing is sent from a database, as a sentence; null when there is no hold. */
export function findHold(url: string): Promise<string | null> {
  return onDatabase(url, CONNECTION, async (sql) => {
    const { hold } = await readStanding(sql, null);
    return hold && describeHold(hold);
  });
}
