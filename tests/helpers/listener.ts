import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { type AnswerResult, answerExchange } from "#db/queries/listen/answer-exchange.ts";
import { readListenChannel } from "#db/queries/listen/channel.ts";
import { closeListener } from "#db/queries/listen/close-listener.ts";
import { type HandedExchange, handExchanges } from "#db/queries/listen/hand-exchanges.ts";
import { openListener, type WantedListener } from "#db/queries/listen/open-listener.ts";
import { renewListener } from "#db/queries/listen/renew-listener.ts";
import * as schema from "#db/schema/index.ts";
import type { KeyRing } from "#domain/cipher.ts";
import { newId } from "#domain/ids.ts";
import {
  type ExchangeAnswer,
  type ExchangeRequest,
  openExchangeRequest,
  sealExchangeAnswer,
} from "#domain/listen-exchange.ts";

/** A request that a listener got. */
export type Heard = HandedExchange & { sent: ExchangeRequest };

export type TestListener = Awaited<ReturnType<typeof startListener>>;

export const OK: ExchangeAnswer = { status: 200, retryAfter: null, body: "", latencyMs: 0 };

/**
 * A listener of an account on its own database connections, which takes and answers exchanges by the statements of the web
 * process. `respond` says what it answers to a request; undefined for nothing. `close` waits for what it still does, and throws
 * what failed of it.
 */
export async function startListener(
  { databaseUrl, keyRing, accountId }: { databaseUrl: string; keyRing: KeyRing; accountId: string },
  respond: (heard: Heard) => ExchangeAnswer | undefined = () => OK,
  wanted: Partial<WantedListener> = {},
) {
  const sql = postgres(databaseUrl, { max: 2, onnotice: () => {} });
  const db = drizzle(sql, { schema });
  const whole = { accountId, keyId: newId(0), scope: "reserved" as const, paths: [], ...wanted };
  const listener = await openListener(db, whole, null);
  const heard: Heard[] = [];
  const results: AnswerResult[] = [];
  const underWay = new Set<Promise<void>>();
  const failures: unknown[] = [];
  let isStopped = false;

  const inBackground = (work: Promise<unknown>) => {
    const ended: Promise<void> = work
      .then(
        () => {},
        (error: unknown) => void failures.push(error),
      )
      .finally(() => underWay.delete(ended));
    underWay.add(ended);
  };

  const answer = (id: string, said: ExchangeAnswer) =>
    answerExchange(db, accountId, { id, listenerId: listener.id }, (of) => sealExchangeAnswer(keyRing, said, of));
  const respondTo = async (whole: Heard) => {
    const said = respond(whole);
    if (said !== undefined) results.push(await answer(whole.id, said));
  };
  const take = async () => {
    for (;;) {
      const handed = await handExchanges(db, listener);
      for (const one of handed) {
        const whole = { ...one, sent: openExchangeRequest(keyRing, one.request, one) };
        heard.push(whole);
        inBackground(respondTo(whole));
      }
      if (handed.length === 0) return;
    }
  };
  let taking = Promise.resolve();
  const takeSoon = () => {
    if (isStopped) return;
    taking = taking.then(take);
    inBackground(taking);
  };
  const listening = await sql.listen(await readListenChannel(sql), (account) => account === accountId && takeSoon());
  const beat = setInterval(() => inBackground(renewListener(db, listener)), 5_000);
  const stop = async () => {
    if (isStopped) return;
    isStopped = true;
    clearInterval(beat);
    await taking;
    await listening.unlisten();
  };
  takeSoon();
  return {
    heard,
    results,
    answer,
    /** Stops taking and answering, as a killed process does. Its lease runs on. */
    stop,
    /** Leaves: its lease ends now. */
    async leave() {
      await stop();
      await closeListener(db, listener, 0);
    },
    async close() {
      await stop();
      await closeListener(db, listener, 0);
      await Promise.all(underWay);
      await sql.end();
      if (failures.length > 0) throw failures[0];
    },
  };
}
