import type { Connection } from "#db/client.ts";
import { readSealedPairs, replaceSealedPair, type SealedPair } from "#db/queries/accounts/re-encrypt.ts";
import { readSealedInstanceSecrets, replaceSealedInstanceSecret } from "#db/queries/fleet/re-encrypt.ts";
import {
  readSealedForReEncryption,
  readSealedHeads,
  replaceSealedRequests,
  type SealedRequest,
} from "#db/queries/schedules/re-encrypt.ts";
import { instanceAad, secretAad } from "#domain/associated-data.ts";
import { DecryptionError, type KeyRing, open, seal, sealedKeyId } from "#domain/cipher.ts";
import { openRequest, sealRequest } from "#domain/sealed-request.ts";

export type Progress = { looked: number; reEncrypted: number };

/** What a look at everything found: how many sealed values each key has, and which could not be opened. */
export type Survey = { byKey: Map<string, number>; unopenable: string[] };

const NIL = "00000000-0000-0000-0000-000000000000";
const LOOK_ROWS = 1_000;
const PAIRS_ROWS = 500;
const BATCH_ROWS = 200;
const BATCH_BYTES = 4 * 1_048_576;
const DEADLINE_MS = 30_000;
/** As many looks at everything at most: a process that still writes with another key would keep this going for ever. */
const LOOKS_MAX = 5;

/**
 * Encrypts everything afresh that the writing key of the ring did not encrypt, and every request that is not bound to
 * its target (it is bound to the one that it is found with), until a look at everything finds nothing
 * more to do; returns what that look found. Safe beside every other process, and at any moment to be ended and begun
 * again: each value is replaced only as long as it is the one that was read. With `dryRun` it looks and changes nothing.
 */
export async function reEncrypt(options: {
  database: Connection;
  ring: KeyRing;
  dryRun: boolean;
  onProgress: (progress: Progress) => void;
}): Promise<Survey> {
  const progress = { looked: 0, reEncrypted: 0 };
  for (let look = 1; ; look++) {
    const before = progress.reEncrypted;
    const survey: Survey = { byKey: new Map(), unopenable: [] };
    const round = { ...options, progress, survey };
    await lookAtInstanceSecrets(round);
    await lookAtPairs(round);
    await lookAtRequests(round);
    if (options.dryRun || progress.reEncrypted === before || look === LOOKS_MAX) return survey;
  }
}

type Round = Parameters<typeof reEncrypt>[0] & { progress: Progress; survey: Survey };

async function lookAtInstanceSecrets(round: Round) {
  for (const row of await run(round, readSealedInstanceSecrets)) {
    if (!isStale(round, row.sealed)) continue;
    const fresh = reEncrypted(round, row.sealed, instanceAad(row.name), `the secret ${row.name}`);
    if (fresh) round.progress.reEncrypted += await run(round, (sql) => replaceSealedInstanceSecret(sql, row, fresh));
  }
}

async function lookAtPairs(round: Round) {
  for (let after: { account_id: string; env: string } | undefined = { account_id: NIL, env: "" }; after; ) {
    const from: { account_id: string; env: string } = after;
    const pairs: SealedPair[] = await run(round, (sql) => readSealedPairs(sql, from, PAIRS_ROWS));
    for (const pair of pairs) await reEncryptPair(round, pair);
    round.onProgress(round.progress);
    after = pairs.length < PAIRS_ROWS ? undefined : pairs.at(-1);
  }
}

async function reEncryptPair(round: Round, pair: SealedPair) {
  const aad = secretAad(pair.account_id, pair.env);
  const name = `the ${pair.env} signing secrets of account ${pair.account_id}`;
  const fresh = { ...pair };
  let stale = 0;
  for (const column of ["current", "next", "former"] as const) {
    const sealed = pair[column];
    if (sealed === null || !isStale(round, sealed)) continue;
    const replacement = reEncrypted(round, sealed, aad, name);
    if (!replacement) continue;
    fresh[column] = replacement;
    stale++;
  }
  if (stale > 0) round.progress.reEncrypted += stale * (await run(round, (sql) => replaceSealedPair(sql, pair, fresh)));
}

async function lookAtRequests(round: Round) {
  for (let after: string | null = NIL; after !== null; ) {
    const from: string = after;
    const page = await run(round, (sql) => readSealedHeads(sql, from, LOOK_ROWS));
    const stale = page.requests.filter(({ keyId, isBoundToTarget }) => isStaleKey(round, keyId) || !isBoundToTarget);
    for (const batch of batches(stale)) await reEncryptRequests(round, batch);
    round.onProgress(round.progress);
    after = page.next;
  }
}

async function reEncryptRequests(round: Round, batch: SealedRequest[]) {
  if (round.dryRun) return;
  const headOf = new Map(batch.map(({ id, head }) => [id, head]));
  const stored = await run(round, (sql) => readSealedForReEncryption(sql, [...headOf.keys()]));
  const changes = stored.flatMap(({ sealed, ...to }) => {
    const { id } = to;
    const { ring } = round;
    const again = () => sealRequest(ring, openRequest(ring, sealed, to), to);
    const fresh = unlessUnopenable(round, `the request of schedule ${id}`, again);
    return fresh ? [{ id, head: headOf.get(id) as string, sealed: fresh.toString("base64") }] : [];
  });
  round.progress.reEncrypted += await run(round, (sql) => replaceSealedRequests(sql, changes));
}

function run<R>(round: Round, work: (sql: Parameters<typeof readSealedInstanceSecrets>[0]) => Promise<R>): Promise<R> {
  return round.database.run(DEADLINE_MS, ({ sql }) => work(sql));
}

function isStale(round: Round, sealed: Buffer): boolean {
  return isStaleKey(round, keyIdOf(sealed));
}

function isStaleKey({ ring, survey, progress }: Round, keyId: string): boolean {
  progress.looked++;
  survey.byKey.set(keyId, (survey.byKey.get(keyId) ?? 0) + 1);
  return keyId !== ring.writer;
}

/** Undefined when nothing is to be changed, or the value cannot be opened, which is noted by its name. */
function reEncrypted(round: Round, sealed: Buffer, aad: string, name: string): Buffer | undefined {
  if (round.dryRun) return undefined;
  const { ring } = round;
  return unlessUnopenable(round, name, () => seal(ring, open(ring, sealed, aad), aad));
}

function unlessUnopenable({ survey }: Round, name: string, work: () => Buffer): Buffer | undefined {
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

/** Bounded in rows and in bytes. */
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
