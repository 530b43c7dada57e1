import { randomBytes } from "node:crypto";
import postgres from "postgres";
import { parseKeyRing } from "../../../../domain/cipher.ts";
import { encodeId, newId } from "../../../../domain/ids.ts";
import { openRequest, packRequest, sealRequest, unpackRequest } from "../../../../domain/sealed-request.ts";
import { generateSigningSecret, loadSigningSecret, signRequest } from "../../../../domain/signing.ts";
import type { Job } from "../../engine.ts";
import { createPost } from "../../post.ts";

// What somebody who builds a delivery service on a job queue must do in its handler, as Stopwatch does: open the sealed request, sign
// it, send it, and write the attempt.

/** What a peer stores of a job whose request nobody can read in the database. */
export type Sealed = { id: string; url: string; sealed: string };

/** An attempt, as it is written to the table. Times in epoch ms. */
export type Attempt = { id: string; startedAtMs: number; endedAtMs: number; status: number };

/** The keys that the process which stores jobs and the delivering ones share. */
export type EqualKeys = { ring: string; accountId: string; secret: string };

/** New keys for one run. */
export const createEqualKeys = (): EqualKeys => ({
  ring: `bench:${randomBytes(32).toString("base64")}`,
  accountId: newId(Date.now()),
  secret: generateSigningSecret(),
});

/** Creates the table of attempts in a peer's database. */
export async function createAttempts(sql: postgres.Sql): Promise<void> {
  await sql`CREATE TABLE attempts (
    id uuid NOT NULL, number smallint NOT NULL, started_at timestamptz NOT NULL, ended_at timestamptz NOT NULL,
    status smallint NOT NULL, PRIMARY KEY (id, number))`;
}

/** Encrypts the request of each job, as the process that takes it in does. */
export function sealJobs(jobs: readonly Job[], { ring, accountId }: EqualKeys): Sealed[] {
  const keyRing = parseKeyRing(ring);
  return jobs.map(({ url, body }) => {
    const id = newId(Date.now());
    const packed = packRequest({ headers: [["content-type", "application/json"]], payload: body }) as Buffer;
    const to = { accountId, env: "live", id, method: "POST", targetUrl: url } as const;
    return { id, url, sealed: sealRequest(keyRing, packed, to).toString("base64") };
  });
}

/** The handler of a delivering process. `send` does everything but write the attempt, which `record` does for one or many. */
export function createEqualHandler({ url, ca, keys }: { url: string; ca: string; keys: EqualKeys }) {
  const { post, close } = createPost(ca);
  const keyRing = parseKeyRing(keys.ring);
  const signingKeys = [loadSigningSecret(keys.secret)];
  const sql = postgres(url, { max: 10, onnotice: () => {} });
  return {
    async send({ id, url, sealed }: Sealed): Promise<Attempt> {
      const to = { accountId: keys.accountId, env: "live", id, method: "POST", targetUrl: url } as const;
      const { payload } = unpackRequest(openRequest(keyRing, Buffer.from(sealed, "base64"), to));
      const startedAtMs = Date.now();
      const [scheduleId, timestampSeconds] = [encodeId("sch", id), Math.floor(startedAtMs / 1_000)];
      const signatures = signRequest({ keys: signingKeys, scheduleId, timestampSeconds, body: payload });
      const status = await post({ url, body: payload }, { ...signatures, "x-service-schedule-id": scheduleId });
      return { id, startedAtMs, endedAtMs: Date.now(), status };
    },
    async record(attempts: readonly Attempt[]): Promise<void> {
      const rows = attempts.map(({ id, startedAtMs, endedAtMs, status }) => ({
        ...{ id, number: 1, status },
        ...{ started_at: new Date(startedAtMs), ended_at: new Date(endedAtMs) },
      }));
      await sql`INSERT INTO attempts ${sql(rows)}`;
    },
    async close() {
      await sql.end({ timeout: 2 });
      await close();
    },
  };
}
