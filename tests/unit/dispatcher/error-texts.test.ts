import { afterEach, expect, it } from "vitest";
import type { Database } from "#db/client.ts";
import type { AnsweredOutcome } from "#dispatcher/recording/answered-outcome.ts";
import { ErrorTexts, NOT_COMPARED } from "#dispatcher/recording/error-texts.ts";
import { secretAad } from "#domain/associated-data.ts";
import { parseKeyRing, seal } from "#domain/cipher.ts";
import { packRequest, sealRequest } from "#domain/sealed-request.ts";
import { generateSigningSecret } from "#domain/signing.ts";
import { ENCRYPTION_KEYS } from "#tests/helpers/encryption-keys.ts";

const keyRing = parseKeyRing(ENCRYPTION_KEYS);
const made: ErrorTexts[] = [];
afterEach(async () => {
  for (const one of made.splice(0)) await one.close();
});

/** Outcomes of accounts, by turns, whose requests have this payload and whose targets answered `body`. */
function outcomesOf(accounts: readonly string[], count: number, { payload, body }: { payload: string; body: string }) {
  const sealed = new Map<string, string>();
  const outcomes = Array.from({ length: count }, (_, n) => {
    const id = `id-${n}`;
    const row = { id, accountId: accounts[n % accounts.length] as string, env: "live", method: "POST" } as const;
    const secret = seal(keyRing, Buffer.from(generateSigningSecret()), secretAad(row.accountId, row.env));
    const currentSecret = secret.toString("base64");
    const claim = { ...row, targetUrl: "https://example.com/", currentSecret, formerSecret: null };
    const packed = packRequest({ headers: [], payload });
    if (packed) sealed.set(id, sealRequest(keyRing, packed, claim).toString("base64"));
    const delivery = {
      accountId: row.accountId,
      bytes: payload.length,
      claim: { row: claim },
      result: { body, contentType: "text/plain" },
    };
    return { record: { scheduleId: id }, delivery } as unknown as AnsweredOutcome;
  });
  /** The most ciphertext that was read at once, in characters of base64. */
  let readAtOnce = 0;
  const rows = (ids: string[]) => ids.map((id) => [id, sealed.get(id) ?? null] as const);
  const database = {
    run: async (_deadlineMs: number, work: (db: { sql: unknown }) => Promise<unknown>) => {
      const sql = (_text: unknown, idsText: string) => ({
        values: async () => {
          const found = rows(idsText.slice(1, -1).replaceAll('"', "").split(","));
          readAtOnce = Math.max(
            readAtOnce,
            found.reduce((sum, [, text]) => sum + (text?.length ?? 0), 0),
          );
          return found;
        },
      });
      return work({ sql });
    },
  } as unknown as Database;
  return { outcomes, database, readAtOnce: () => readAtOnce };
}

function start(database: Database, monotonic = () => performance.now()) {
  const texts = new ErrorTexts({ database, keyRing, monotonic });
  made.push(texts);
  return texts;
}

it("a response is stored without what it repeats of the request", async () => {
  const payload = "a secret of sixteen characters and more";
  const { outcomes, database } = outcomesOf(["a"], 2, { payload, body: `no: ${payload}!` });
  // Its share is not used up in this test, however slow the machine is.
  const texts = await start(database, () => 0).of(outcomes);
  expect(texts).toEqual(Array(2).fill("no: [response repeated the request]!"));
});

it("an account with 300 failures at once has the others as not compared, keeps its neighbours' texts, and no 4 MiB of requests in memory twice", async () => {
  const payload = "payload ".repeat(16 * 1_024);
  const { outcomes, database, readAtOnce } = outcomesOf(["loud"], 300, {
    payload,
    body: "\\u0070%2570 &#112; ".repeat(500),
  });
  const quiet = outcomesOf(["quiet"], 1, { payload: "x", body: "sorry" });
  const all = [
    ...outcomes,
    ...quiet.outcomes.map((one) => ({ ...one, record: { ...one.record, scheduleId: "none" } })),
  ];
  const texts = await start(database, () => 0).of(all as AnsweredOutcome[]);
  expect(texts.at(-1)).toBe("sorry");
  expect(texts.slice(0, -1).filter((text) => text === NOT_COMPARED).length).toBeGreaterThan(100);
  expect(readAtOnce()).toBeLessThan(2 * 4 * 1_024 * 1_024);
});

it("a batch whose time is over waits for no further text", async () => {
  const { outcomes, database } = outcomesOf(["a", "b", "c"], 60, { payload: "x", body: "no" });
  let nowMs = 0;
  const texts = await start(database, () => (nowMs += 250)).of(outcomes);
  expect(texts).toContain(NOT_COMPARED);
});

it("when the thread ends, texts are empty, and the next ones are computed again", async () => {
  const { outcomes, database } = outcomesOf(["a"], 1, { payload: "x", body: "no" });
  const texts = start(database, () => 0);
  const asked = texts.of(outcomes);
  await new Promise(setImmediate);
  await texts.close();
  expect(await asked).toEqual([""]);
  expect(await texts.of(outcomes)).toEqual(["no"]);
});
