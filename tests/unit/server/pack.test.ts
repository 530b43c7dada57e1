import { createHash } from "node:crypto";
import { text } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { extract } from "tar-stream";
import { describe, expect, test } from "vitest";
import { gzipStored } from "#server/packages/gzip-stored.ts";
import { pack } from "#server/packages/pack.ts";

describe("a stored gzip file", () => {
  test.each([0, 1, 65_534, 65_535, 65_536, 131_070, 131_071, 200_000])(
    "of %i bytes unpacks to what went in",
    (length) => {
      const bytes = Buffer.alloc(length, "Stopwatch ");
      expect(gunzipSync(gzipStored(bytes)).equals(bytes)).toBe(true);
    },
  );

  test("unpacks to what went in, whatever that is", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => {
        expect([...gunzipSync(gzipStored(bytes))]).toEqual([...bytes]);
      }),
    );
  });
});

async function entriesOf(tarball: Buffer) {
  const archive = extract();
  archive.end(gunzipSync(tarball));
  const entries = [];
  for await (const entry of archive) entries.push({ ...entry.header, content: await text(entry) });
  return entries;
}

/** Of the archive of these files. Users' lock files contain such hashes, so changed bytes need a new id in the version. */
const SHA256 = "8c87a3ca03bc4f39b01f193f92447b8693e801557e282cb82d22f0cb39e5ec8d";

describe("an archive", () => {
  const files = new Map([
    ["dist/index.js", "export const a = 1;\n"],
    ["LICENSE", "Apache-2.0 ü\n"],
    ["package.json", "{}\n"],
  ]);

  test("holds each file below package/, with nothing of the machine or the time", async () => {
    const entries = await entriesOf(await pack(files));
    expect(entries.map(({ name, content }) => [name, content])).toEqual([
      ["package/LICENSE", "Apache-2.0 ü\n"],
      ["package/dist/index.js", "export const a = 1;\n"],
      ["package/package.json", "{}\n"],
    ]);
    for (const entry of entries) {
      expect(entry).toMatchObject({ type: "file", mode: 0o644, uid: 0, gid: 0, uname: "", gname: "" });
      expect(entry.mtime).toEqual(new Date("1985-10-26T08:15:00.000Z"));
    }
  });

  test("has the same bytes for the same files in any order, in every version of Node.js, and for good", async () => {
    const one = await pack(files);
    const other = await pack(new Map([...files].reverse()));
    expect(other.equals(one)).toBe(true);
    expect(createHash("sha256").update(one).digest("hex")).toBe(SHA256);
  });
});
