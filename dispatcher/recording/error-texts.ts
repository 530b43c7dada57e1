import type { Database } from "#db/client.ts";
import { readSealedRequests } from "#db/queries/schedules/stored-request.ts";
import type { KeyRing } from "#domain/cipher.ts";
import { AskedThread } from "../runtime/asked-thread.ts";
import { STATEMENTS } from "../tuning/statements.ts";
import { type AnsweredOutcome, textQuestion } from "./answered-outcome.ts";
import type { TextQuestion } from "./error-text.ts";
import type { TextAnswer } from "./text-thread.ts";

/** How long the texts of a batch may hold up its record, ms. Guards against targets that fail many requests at once. */
const BATCH_MS = 1_000;
/** The time of the thread that one account may take, ms in a second. Guards against the same. */
const SHARE_MS = 100;
/** Bounds memory: how many texts are computed without a look at the shares, and the most ciphertext that is read for them, bytes. */
const AT_ONCE = 16;
const SEALED_BYTES_MAX = 4 * 1024 * 1024;

/** Stored instead of a response that was not compared with the request, since too many came at once. */
export const NOT_COMPARED = "[response not compared: too many failures at once]";

type Deps = { database: Database; keyRing: KeyRing; monotonic: () => number };

/**
 * Computes the error texts of rejected attempts, which takes milliseconds each, more with a large request: in a thread of its
 * own, so that nothing that is due waits for it. Targets that fail many requests at once take their account's share of that
 * thread: beyond it, and where a batch takes too long, a text says that the response was not compared.
 */
export class ErrorTexts {
  readonly #deps: Deps;
  readonly #used = new Map<string, { sinceMs: number; ms: number }>();
  readonly #thread: AskedThread<TextQuestion[], TextAnswer[]>;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#thread = new AskedThread(new URL("./text-thread.ts", import.meta.url), deps.keyRing);
  }

  /** Returns the text of each of these outcomes. */
  async of(outcomes: readonly AnsweredOutcome[]): Promise<string[]> {
    const untilMs = this.#deps.monotonic() + BATCH_MS;
    const texts: string[] = outcomes.map(() => NOT_COMPARED);
    const waiting = inTurns(outcomes.map((outcome, at) => ({ outcome, at })));
    while (waiting.length > 0 && this.#deps.monotonic() < untilMs) {
      const part = this.#takePart(waiting);
      if (part.length === 0) continue;
      const answers = await this.#compute(part.map(({ outcome }) => outcome));
      for (const [n, { outcome, at }] of part.entries()) {
        const { text, tookMs } = answers[n] ?? { text: "", tookMs: 0 };
        texts[at] = text;
        this.#shareOf(outcome.delivery.accountId).ms += tookMs;
      }
    }
    return texts;
  }

  close(): Promise<void> {
    return this.#thread.close();
  }

  /** Removes some from the beginning of `waiting`, and returns those of them whose accounts have a share left. */
  #takePart(waiting: Numbered[]): Numbered[] {
    const part: Numbered[] = [];
    let bytes = 0;
    while (part.length < AT_ONCE && bytes < SEALED_BYTES_MAX) {
      const next = waiting.shift();
      if (!next) break;
      if (this.#shareOf(next.outcome.delivery.accountId).ms >= SHARE_MS) continue;
      part.push(next);
      bytes += next.outcome.delivery.bytes;
    }
    return part;
  }

  #shareOf(accountId: string): { sinceMs: number; ms: number } {
    const now = this.#deps.monotonic();
    const used = this.#used.get(accountId);
    if (used && now - used.sinceMs < 1_000) return used;
    // What was taken beyond a second's share is taken from the next ones.
    const share = { sinceMs: now, ms: used ? Math.max(0, used.ms - (SHARE_MS * (now - used.sinceMs)) / 1_000) : 0 };
    if (this.#used.size > ACCOUNTS_MAX) this.#used.clear();
    this.#used.set(accountId, share);
    return share;
  }

  /** One part at a time, so that no more requests are in memory than those of one. */
  #compute(part: AnsweredOutcome[]): Promise<TextAnswer[]> {
    const turn = this.#turn.then(async () => {
      const ids = part.map(({ record }) => record.scheduleId);
      const sealed = await this.#deps.database.run(STATEMENTS.recordDeadlineMs, ({ sql }) =>
        readSealedRequests(sql, ids),
      );
      const questions = part.map((one) => textQuestion(one, sealed.get(one.record.scheduleId) ?? null));
      return (await this.#thread.ask(questions)) ?? [];
    });
    this.#turn = turn.catch(() => {});
    return turn;
  }
}

/** Bounds memory: shares that are remembered at a time. */
const ACCOUNTS_MAX = 10_000;

type Numbered = { outcome: AnsweredOutcome; at: number };

/** One of each account after the other, so that none has all of the time. */
function inTurns(outcomes: Numbered[]): Numbered[] {
  const turns = new Map<string, number>();
  const turnOf = ({ outcome }: Numbered) => {
    const turn = turns.get(outcome.delivery.accountId) ?? 0;
    turns.set(outcome.delivery.accountId, turn + 1);
    return turn;
  };
  return outcomes
    .map((one) => ({ one, turn: turnOf(one) }))
    .sort((a, b) => a.turn - b.turn)
    .map(({ one }) => one);
}
