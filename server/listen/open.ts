import { setTimeout } from "node:timers/promises";
import type { ListenInput } from "#contract/inputs/listen-input.ts";
import type { Db } from "#db/orm.ts";
import { mayListen } from "#db/queries/listen/may-listen.ts";
import { openListener } from "#db/queries/listen/open-listener.ts";
import { AppError } from "#domain/errors.ts";
import { LISTENER_SEEN_WITHIN_MS } from "#domain/listeners.ts";
import type { Ctx } from "../context.ts";
import { DATABASE_BUDGET_MS, getServices } from "../services.ts";
import { ListenStream } from "./listen-stream.ts";
import { isStopping, type OpenStream, openStreams, STREAMS_MAX } from "./open-streams.ts";
import { wakeUps } from "./wake-ups.ts";

/**
 * Opens a stream of deliveries to a listener of the caller's account. Throws FORBIDDEN for the scope `all` without the
 * account's switch, CONFLICT when the account has five listeners, and UNAVAILABLE when this process has no room for a
 * further stream. `signal` is aborted when the caller goes away.
 */
export async function openListenStream(
  ctx: Ctx,
  input: ListenInput,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  await assertMayListen(ctx, input);
  const { database, log } = getServices();
  const run = <T>(work: (db: Db) => Promise<T>) => database.run(DATABASE_BUDGET_MS, ({ db }) => work(db));
  const { id: keyId } = ctx.credential;
  const { accountId } = ctx.tenant;
  const { scope, path: paths } = input;
  const streams = openStreams();
  if (streams.size >= STREAMS_MAX) throw tooManyStreams();
  if (isStopping()) throw stopping();
  // Keeps the place while the listener is opened.
  let stream: ListenStream | undefined;
  let isEnded = false;
  const own: OpenStream = {
    end() {
      isEnded = true;
      stream?.end("restart");
    },
    get heldBytes() {
      return stream?.heldBytes ?? 0;
    },
  };
  streams.add(own);
  try {
    const listener = await run((db) => openListener(db, { accountId, keyId, scope, paths }, input.listener ?? null));
    // So that the first delivery after `ready` comes here, and not to its target.
    if (scope === "all") await setTimeout(LISTENER_SEEN_WITHIN_MS);
    stream = new ListenStream({
      listener,
      keyId,
      scope,
      run,
      log,
      keyRing: ctx.config.keyRing,
      onWaiting: (id, wake) => wakeUps().add(id, wake),
      signal,
      onEnd: () => streams.delete(own),
    });
    if (isEnded) stream.end("restart");
    return stream.readable;
  } catch (error) {
    streams.delete(own);
    throw error;
  }
}

/** Throws FORBIDDEN when the account does not allow the scope. */
export async function assertMayListen(ctx: Ctx, { scope }: Pick<ListenInput, "scope">): Promise<void> {
  const { accountId } = ctx.tenant;
  if (scope === "reserved") return;
  const permission = await ctx.query(({ db }) => mayListen(db, accountId, { keyId: ctx.credential.id, scope }));
  if (permission === "allowed") return;
  throw new AppError(
    "FORBIDDEN",
    "This account does not let test keys receive all test deliveries. Its owner can turn that on under Relay settings, for 7 days.",
  );
}

function stopping(): AppError {
  return new AppError("UNAVAILABLE", "This process stops now. Another one may take the stream.", {
    headers: { "Retry-After": "1" },
  });
}

function tooManyStreams(): AppError {
  return new AppError("UNAVAILABLE", `This process has ${STREAMS_MAX} streams open, which is as many as it may have.`, {
    headers: { "Retry-After": "5" },
  });
}
