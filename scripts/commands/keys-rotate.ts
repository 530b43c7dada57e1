import { processEnv, readConfig, readLauncherConfig } from "#config.ts";
import { assertSession } from "#db/assert-session.ts";
import { connect } from "#db/client.ts";
import { assertKeyRingOpens } from "#db/queries/fleet/instance-secrets.ts";
import { assertSchemaFits } from "#db/queries/fleet/schema-version.ts";
import { DIRECT_SESSION } from "#db/sessions.ts";
import type { KeyRing } from "#domain/cipher.ts";
import { command } from "../command.ts";
import { count } from "../count.ts";
import { readKeys } from "../keys/keys.ts";
import { type Progress, reEncrypt, type Survey } from "../keys/re-encrypt.ts";
import { withEmbeddedPostgres } from "../postgres/with-embedded.ts";

type Env = Record<string, string | undefined>;

const DEADLINE_MS = 10_000;
const PROGRESS_EVERY_MS = 2_000;

await command<{ "dry-run"?: boolean }>({
  usage: `Usage: npm run keys:rotate -- [--dry-run]

Re-encrypts everything in the database with the first key of ENCRYPTION_KEYS: payloads, headers, signing secrets and
the secrets of the installation. Other processes may run. It can be stopped at any moment and started again.

  1. Append the new key to ENCRYPTION_KEYS (<id>:<base64 of 32 bytes>, by: openssl rand -base64 32) and restart every
     process: now all of them can read what the new key encrypts.
  2. Put it first and restart every process: now all of them write with it.
  3. npm run keys:rotate
  4. Remove the keys that it reports as no longer used.

  --dry-run  counts what each key has encrypted and changes nothing`,
  options: { "dry-run": { type: "boolean" } },
  async run(options) {
    const { databaseUrl, dataDir, hasEncryptionKeys } = readLauncherConfig();
    const env = { ...processEnv(), ...(hasEncryptionKeys ? {} : await readKeys(dataDir)) };
    const dryRun = options["dry-run"] === true;
    return databaseUrl
      ? rotate(env, dryRun)
      : withEmbeddedPostgres(dataDir, (url) => rotate({ ...env, DATABASE_URL: url, DATABASE_DIRECT_URL: url }, dryRun));
  },
});

async function rotate(env: Env, dryRun: boolean): Promise<number> {
  const { databaseDirectUrl, keyRing: ring } = readConfig(env);
  const database = connect({ url: databaseDirectUrl, name: "stopwatch keys:rotate", connectionsMax: 1 });
  try {
    await assertSession(databaseDirectUrl, DIRECT_SESSION);
    await database.run(DEADLINE_MS, async ({ sql }) => {
      await assertSchemaFits(sql);
      await assertKeyRingOpens(sql, ring);
    });
    const survey = await reEncrypt({ database, ring, dryRun, onProgress: progressLines() });
    return printSurvey(ring, survey, dryRun);
  } finally {
    await database.close();
  }
}

function progressLines(): (progress: Progress) => void {
  const beganAtMs = performance.now();
  let printedAtMs = beganAtMs;
  return ({ checked, reEncrypted }) => {
    const nowMs = performance.now();
    if (nowMs - printedAtMs < PROGRESS_EVERY_MS) return;
    printedAtMs = nowMs;
    const rate = Math.round((checked * 1_000) / (nowMs - beganAtMs));
    console.log(`${count(checked)} checked, ${count(reEncrypted)} re-encrypted, ${count(rate)} a second`);
  };
}

/**
 * Prints what each key is still needed for. Returns the exit code: 1 when a value could not be opened or is still
 * encrypted with another key.
 */
function printSurvey(ring: KeyRing, { byKey, unopenable }: Survey, dryRun: boolean): number {
  for (const problem of unopenable.slice(0, 10)) console.error(`cannot be decrypted, left unchanged: ${problem}`);
  if (unopenable.length > 10) console.error(`and ${count(unopenable.length - 10)} more`);
  if (unopenable.some((problem) => problem.includes("corrupted")))
    console.error("What is damaged, a backup brings back: npm run restore, or that of your server.");
  const foreign = [...byKey.keys()].filter((id) => !ring.keys.has(id));
  for (const id of [...ring.keys.keys(), ...foreign]) {
    const used = byKey.get(id) ?? 0;
    if (id === ring.writer) console.log(`${id} has encrypted ${count(used)} values and is the key that writes.`);
    else if (foreign.includes(id))
      console.log(`${shown(id)}, not in ENCRYPTION_KEYS, has encrypted ${count(used)} values.`);
    else if (used > 0) console.log(`${id} has encrypted ${count(used)} values: keep it.`);
    else console.log(`${id} is not used by anything and may be removed from ENCRYPTION_KEYS.`);
  }
  const others = [...byKey].filter(([id]) => id !== ring.writer).length;
  if (dryRun || others === 0) return 0;
  if (unopenable.length === 0)
    console.error(
      `Some process still writes with another key: restart all of them with ${ring.writer} first, and run this again.`,
    );
  return 1;
}

function shown(id: string): string {
  return /^[\w-]{1,32}$/.test(id) ? id : "a damaged value's key";
}
