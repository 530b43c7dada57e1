import { readdirSync } from "node:fs";
import { expect, it } from "vitest";

it("of drizzle-kit's snapshots only the newest is kept, since it reads no other", () => {
  const snapshots = readdirSync("db/migrations/meta").filter((name) => name.endsWith("_snapshot.json"));
  expect(snapshots.toSorted().slice(0, -1)).toEqual([]);
});
