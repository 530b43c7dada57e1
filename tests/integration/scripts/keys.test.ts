import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parseKeyRing } from "#domain/cipher.ts";
import { readKeys, readOrMakeKeys } from "#scripts/keys/keys.ts";

let parent: string;
let dataDir: string;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "stopwatch-keys-"));
  dataDir = join(parent, "data");
});
afterEach(() => rm(parent, { recursive: true, force: true }));

test("the first start creates a usable key in a file that only its user can read", async () => {
  const { ENCRYPTION_KEYS } = await readOrMakeKeys(dataDir);
  expect(parseKeyRing(ENCRYPTION_KEYS).keys.size).toBe(1);
  expect((await stat(join(dataDir, "keys.env"))).mode & 0o777).toBe(0o600);
});

test("the second start keeps the keys of the first", async () => {
  const first = await readOrMakeKeys(dataDir);
  const text = await readFile(join(dataDir, "keys.env"), "utf8");
  expect(await readOrMakeKeys(dataDir)).toEqual(first);
  expect(await readFile(join(dataDir, "keys.env"), "utf8")).toBe(text);
});

test("several first starts at the same time agree on one key", async () => {
  const keys = await Promise.all(Array.from({ length: 8 }, () => readOrMakeKeys(dataDir)));
  expect(new Set(keys.map((key) => key.ENCRYPTION_KEYS)).size).toBe(1);
});

test("a damaged key file is refused and left unchanged, and the error shows nothing of it", async () => {
  const { ENCRYPTION_KEYS } = await readOrMakeKeys(dataDir);
  const damaged = `ENCRYPTION_KEYS=${ENCRYPTION_KEYS.slice(0, -9)}`;
  await writeFile(join(dataDir, "keys.env"), damaged);
  const failure = await readOrMakeKeys(dataDir).catch((error: unknown) => error as Error);
  expect(String(failure)).toMatch(/keys\.env is damaged/);
  expect(String(failure)).not.toContain(ENCRYPTION_KEYS.slice(3, 15));
  expect(await readFile(join(dataDir, "keys.env"), "utf8")).toBe(damaged);
});

test("a key file that cannot be read is refused, and the error names it", async () => {
  await mkdir(join(dataDir, "keys.env"), { recursive: true });
  await expect(readOrMakeKeys(dataDir)).rejects.toThrow(/keys\.env.* cannot be read \(EISDIR\)/);
});

test("no new keys are created for a database that was sealed with other keys", async () => {
  await readOrMakeKeys(dataDir);
  await writeFile(join(dataDir, "postgres.json"), "{}");
  await rm(join(dataDir, "keys.env"));
  await expect(readOrMakeKeys(dataDir)).rejects.toThrow(/keys\.env is missing/);
  expect(await readKeys(dataDir)).toBeUndefined();
});
