import { statfs } from "node:fs/promises";
import { join } from "node:path";
import { nearestFolder } from "../../nearest-folder.ts";
import { bytes, type Check, type Finding, failure, ok, skipped, warning } from "../check.ts";

const BYTES_LOW = 2e9;
const BYTES_GONE = 256e6;

export const disk: Check = {
  name: "disk",
  needs: [],
  async run({ isEmbedded, dataDir }) {
    if (!isEmbedded)
      return skipped("how much the database's disk has left cannot be seen from here: watch it on its server");
    const { bavail, blocks, bsize } = await statfs(await nearestFolder(join(dataDir, "postgres")));
    return judgeDisk({ dataDir, freeBytes: bavail * bsize, totalBytes: blocks * bsize });
  },
};

export function judgeDisk(facts: { dataDir: string; freeBytes: number; totalBytes: number }): Finding {
  const { dataDir, freeBytes, totalBytes } = facts;
  const found = `${bytes(freeBytes)} of ${bytes(totalBytes)} are free where ${dataDir} is`;
  if (freeBytes < BYTES_GONE) return failure(found, "Free space now: a full disk stops every create and every record.");
  return freeBytes < BYTES_LOW ? warning(found, "Free space, or move DATA_DIR to a larger disk.") : ok(found);
}
