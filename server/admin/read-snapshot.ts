import { readSnapshotHolder } from "#db/queries/fleet/held-snapshot.ts";
import { describeHolder, endHolder, isHeldLong } from "#domain/held-snapshot.ts";
import type { Admin } from "./admin.ts";

/** Who has held a snapshot of the database for long, and what to do about it, two sentences; null when nobody has. */
export async function readHeldSnapshot(admin: Admin): Promise<string | null> {
  const holder = await admin.query(({ sql }) => readSnapshotHolder(sql));
  return holder && isHeldLong(holder) ? `${describeHolder(holder)} ${endHolder(holder)}` : null;
}
