import type { Database } from "#db/client.ts";
import {
  readSealedPairs,
  readSealedRotations,
  replaceSealedPair,
  replaceSealedRotation,
  type SealedPair,
} from "#db/queries/accounts/re-encrypt.ts";
import { readSealedInstanceSecrets, replaceSealedInstanceSecret } from "#db/queries/fleet/re-encrypt.ts";
import { readSealedRecurrences, replaceSealedRecurrence } from "#db/queries/recurrences/re-encrypt.ts";
import {
  readSealedForReEncryption,
  readSealedHeads,
  replaceSealedRequests,
  type SealedRequest,
} from "#db/queries/schedules/re-encrypt.ts";
import { instanceAad, requestAad, rotationAad, secretAad } from "#domain/associated-data.ts";
import { DecryptionError, type KeyRing, open, seal, sealedKeyId } from "#domain/cipher.ts";
import { openRequest, sealRequest } from "#domain/sealed-request.ts";

export type Progress = { checked: number; reEncrypted: number };

/** What a pass over everything found: how many sealed values each key has, and which could not be opened. */
export type Survey = { byKey: Map<string, number>; unopenable: string[] };

const NIL = "00000000-0000-0000-0000-000000000000";
const PAGE_ROWS = 1_000;
const PAIRS_ROWS = 500;
const BATCH_ROWS = 200;
const BATCH_BYTES = 4 * 1_048_576;
const DEADLINE_MS = 30_000;
/** The most passes: a process that still writes with another key would otherwise keep this running for ever. */
const PASSES_MAX = 5;

/**
 * Re-encrypts everything that the first key of the ring did not encrypt. Repeats until a pass finds nothing more to do, and returns what that
 * pass found. It is safe beside every other process, and can be stopped and started again at any moment: a value is
 * replaced only if it is still the one that was read. With `dryRun` it only counts.
 */
export async function reEncrypt(options: {
  database: Database;
  ring: KeyRing;
  dryRun: boolean;
  onProgress: (progress: Progress) => void;
}): Promise<Survey> {
  const progress = { checked: 0, reEncrypted: 0 };
  for (let pass = 1; ; pass++) {
    const before = progress.reEncrypted;
    const survey: Survey = { byKey: new Map(), unopenable: [] };
    const current = { ...options, progress, survey };
    await reEncryptInstanceSecrets(current);
    await reEncryptPairs(current);
    await reEncryptRotations(current);
    await reEncryptRecurrences(current);
    await reEncryptAllRequests(current);
    if (options.dryRun || progress.reEncrypted === before || pass === PASSES_MAX) return survey;
  }
}

type Pass = Parameters<typeof reEncrypt>[0] & { progress: Progress; survey: Survey };

async function reEncryptInstanceSecrets(pass: Pass) {
  for (const row of await run(pass, readSealedInstanceSecrets)) {
    const replace: Replace = (sql, fresh) => replaceSealedInstanceSecret(sql, row, fresh);
    await renew(pass, row.sealed, instanceAad(row.name), `the secret ${row.name}`, replace);
  }
}

async function reEncryptPairs(pass: Pass) {
  const first = { account_id: NIL, env: "" };
  await eachRow(pass, { first, read: readSealedPairs, rowsMax: PAIRS_ROWS }, (pair) => reEncryptPair(pass, pair));
}

async function reEncryptPair(pass: Pass, pair: SealedPair) {
  const aad = secretAad(pair.account_id, pair.env);
  const name = `the ${pair.env} signing secrets of account ${pair.account_id}`;
  const fresh = { ...pair };
  let stale = 0;
  for (const column of ["current", "next", "former"] as const) {
    const sealed = pair[column];
    if (sealed === null || !isStale(pass, sealed)) continue;
    const replacement = reEncrypted(pass, sealed, aad, name);
    if (!replacement) continue;
    fresh[column] = replacement;
    stale++;
  }
  if (stale > 0) pass.progress.reEncrypted += stale * (await run(pass, (sql) => replaceSealedPair(sql, pair, fresh)));
}

async function reEncryptRotations(pass: Pass) {
  const first = { account_id: NIL, env: "", idempotency_key: "" };
  await eachRow(pass, { first, read: readSealedRotations, rowsMax: PAIRS_ROWS }, async (one) => {
    const name = `a rotation of the ${one.env} signing secrets of account ${one.account_id}`;
    const replace: Replace = (sql, fresh) => replaceSealedRotation(sql, one, fresh);
    await renew(pass, one.sealed, rotationAad(one.account_id, one.env), name, replace);
  });
}

async function reEncryptRecurrences(pass: Pass) {
  const read = (sql: Sql, { id }: { id: string }, rowsMax: number) => readSealedRecurrences(sql, id, rowsMax);
  await eachRow(pass, { first: { id: NIL }, read, rowsMax: BATCH_ROWS }, async ({ sealed, ...to }) => {
    const replace: Replace = (sql, fresh) => replaceSealedRecurrence(sql, to.id, sealed, fresh);
    await renew(pass, sealed, requestAad(to), `the request of recurrence ${to.id}`, replace);
  });
}

/** Goes through rows, a page after the other; `read` gives those behind a key, in the order of their keys. */
async function eachRow<Key, Row extends Key>(
  pass: Pass,
  pages: { first: Key; read: (sql: Sql, after: Key, rowsMax: number) => Promise<Row[]>; rowsMax: number },
  work: (row: Row) => Promise<void>,
) {
  const { first, read, rowsMax } = pages;
  for (let after: Key | undefined = first; after !== undefined; ) {
    const from: Key = after;
    const rows: Row[] = await run(pass, (sql) => read(sql, from, rowsMax));
    for (const row of rows) await work(row);
    pass.onProgress(pass.progress);
    after = rows.length < rowsMax ? undefined : rows.at(-1);
  }
}

type Sql = Parameters<typeof readSealedInstanceSecrets>[0];
type Replace = (sql: Sql, fresh: Buffer) => Promise<number>;

/** Seals a value anew whose key is not the writer's, and has it replaced. */
async function renew(pass: Pass, sealed: Buffer, aad: string, name: string, replace: Replace) {
  if (!isStale(pass, sealed)) return;
  const fresh = reEncrypted(pass, sealed, aad, name);
  if (fresh) pass.progress.reEncrypted += await run(pass, (sql) => replace(sql, fresh));
}

async function reEncryptAllRequests(pass: Pass) {
  for (let after: string | null = NIL; after !== null; ) {
    const from: string = after;
    const page = await run(pass, (sql) => readSealedHeads(sql, from, PAGE_ROWS));
    const stale = page.requests.filter(({ keyId }) => isStaleKey(pass, keyId));
    for (const batch of batches(stale)) await reEncryptBatch(pass, batch);
    pass.onProgress(pass.progress);
    after = page.next;
  }
}

async function reEncryptBatch(pass: Pass, batch: SealedRequest[]) {
  if (pass.dryRun) return;
  const headOf = new Map(batch.map(({ id, head }) => [id, head]));
  const stored = await run(pass, (sql) => readSealedForReEncryption(sql, [...headOf.keys()]));
  const changes = stored.flatMap(({ sealed, ...to }) => {
    const { id } = to;
    const { ring } = pass;
    const again = () => sealRequest(ring, openRequest(ring, sealed, to), to);
    const fresh = unlessUnopenable(pass, `the request of schedule ${id}`, again);
    return fresh ? [{ id, head: headOf.get(id) as string, sealed: fresh.toString("base64") }] : [];
  });
  pass.progress.reEncrypted += await run(pass, (sql) => replaceSealedRequests(sql, changes));
}

function run<R>(pass: Pass, work: (sql: Sql) => Promise<R>): Promise<R> {
  return pass.database.run(DEADLINE_MS, ({ sql }) => work(sql));
}

function isStale(pass: Pass, sealed: Buffer): boolean {
  return isStaleKey(pass, keyIdOf(sealed));
}

function isStaleKey({ ring, survey, progress }: Pass, keyId: string): boolean {
  progress.checked++;
  survey.byKey.set(keyId, (survey.byKey.get(keyId) ?? 0) + 1);
  return keyId !== ring.writer;
}

/** Undefined with `dryRun`, or when the value cannot be opened; its name is then added to `unopenable`. */
function reEncrypted(pass: Pass, sealed: Buffer, aad: string, name: string): Buffer | undefined {
  if (pass.dryRun) return undefined;
  const { ring } = pass;
  return unlessUnopenable(pass, name, () => seal(ring, open(ring, sealed, aad), aad));
}

function unlessUnopenable({ survey }: Pass, name: string, work: () => Buffer): Buffer | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof DecryptionError)) throw error;
    survey.unopenable.push(`${name}: ${error.message}`);
  }
}

function keyIdOf(sealed: Buffer): string {
  try {
    return sealedKeyId(sealed);
  } catch {
    return "";
  }
}

/** Splits requests into batches that are bounded in rows and in bytes. */
function batches(requests: SealedRequest[]): SealedRequest[][] {
  const all: SealedRequest[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const request of requests) {
    const last = all.at(-1);
    if (last && last.length < BATCH_ROWS && bytes + request.bytes <= BATCH_BYTES) last.push(request);
    else {
      all.push([request]);
      bytes = 0;
    }
    bytes += request.bytes;
  }
  return all;
}
