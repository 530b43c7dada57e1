import { buffer } from "node:stream/consumers";
import { pack as tar } from "tar-stream";
import { gzipStored } from "./gzip-stored.ts";

/** Text files by their path in the package. */
export type PackageFiles = ReadonlyMap<string, string>;

/** The archive that package managers install. The same files make the same bytes, wherever and whenever. */
export async function pack(files: PackageFiles): Promise<Buffer<ArrayBuffer>> {
  const archive = tar();
  for (const [path, content] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    archive.entry({ name: `package/${path}`, mode: 0o644, mtime: PACKED_AT, uid: 0, gid: 0 }, content);
  }
  archive.finalize();
  return gzipStored(await buffer(archive));
}

/** `npm pack` gives every file this time, too. */
const PACKED_AT = new Date("1985-10-26T08:15:00.000Z");
