import type { AnswerInput } from "#contract/inputs/listen-input.ts";
import { answerExchange } from "#db/queries/listen/answer-exchange.ts";
import { AppError } from "#domain/errors.ts";
import { decodeId } from "#domain/ids.ts";
import { type ExchangeAnswer, sealExchangeAnswer } from "#domain/listen-exchange.ts";
import type { Ctx } from "../context.ts";

/**
 * Stores the answer to a delivery that a listener got; the first answer counts, and a further one changes nothing. Throws
 * NOT_FOUND for a delivery that the account does not have, and CONFLICT when it is over or another listener has it.
 */
export async function answerDeliveryOf(ctx: Ctx, textId: string, input: AnswerInput): Promise<void> {
  const id = decodeId("exc", textId);
  if (id === null) throw noSuchDelivery();
  const answer = answerOf(input);
  const result = await ctx.query(({ db }) =>
    answerExchange(db, ctx.tenant.accountId, { id, listenerId: input.listener }, (of) =>
      sealExchangeAnswer(ctx.config.keyRing, answer, of),
    ),
  );
  switch (result) {
    case "answered":
    case "again":
      return;
    case "over":
      throw new AppError("CONFLICT", "This delivery is over: nobody waits for its answer any more.");
    case "of another":
      throw new AppError("CONFLICT", "This listener does not have this delivery.");
    case "unknown":
      throw noSuchDelivery();
  }
}

function answerOf({ status, retry_after, body = "", latency_ms = 0, error = "" }: AnswerInput): ExchangeAnswer {
  if (status === undefined) return { error };
  return { status, retryAfter: retry_after ?? null, body, latencyMs: latency_ms };
}

function noSuchDelivery(): AppError {
  return new AppError("NOT_FOUND", "There is no such delivery to a listener, or not any more.");
}
