import { readSnapshotHolder } from "#db/queries/fleet/held-snapshot.ts";
import { describeHolder, endHolder, isHeldLong, type SnapshotHolder } from "#domain/held-snapshot.ts";
import { type Check, type Finding, ok, warning } from "../check.ts";

export const snapshot: Check = {
  name: "snapshot",
  needs: ["database"],
  run: async ({ read }) => judgeSnapshot(await read(readSnapshotHolder)),
};

/** Whether somebody keeps dead rows from being removed. */
export function judgeSnapshot(holder: SnapshotHolder | null): Finding {
  if (holder === null || !isHeldLong(holder)) return ok("nobody holds one for 10 minutes");
  return warning(describeHolder(holder), endHolder(holder));
}
