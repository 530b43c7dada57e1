import { ATTEMPT_DEADLINE_MS } from "../../../domain/timing.ts";
import { tooLateText, unansweredText } from "../../../domain/unanswered-text.ts";
import type { FetchLike } from "../client/call.ts";
import { Account, type Stored } from "./account.ts";
import { answer } from "./answer.ts";
import { deliver, Unanswered } from "./deliver.ts";
import { nextDue, nextInstant } from "./due.ts";
import { KEYS, settingsOf } from "./settings.ts";

/** Shared by all copies of this module: a development server loads it again after each edit. */
const shared = globalThis as { [PLACE]?: FetchLike };
const PLACE = Symbol.for("stopwatch-sdk/development");

/** Attempts that may be under way at once. */
const AT_ONCE_MAX = 100;

/** The longest wait before the next look at what is due, ms: the machine may have slept, or its clock been set. */
const WAIT_MS_MAX = 60_000;

/** Bytes of a successful answer that are read, so that the server may finish writing it. */
const READ_MAX = 64 * 1024;

/**
 * What `new Stopwatch()` calls where STOPWATCH_DEV is 1: the one development fake of this process. It answers as the service
 * does, and delivers what is due to targets on this machine.
 */
export const developmentFetch: FetchLike = (url, init) => {
  shared[PLACE] ??= start();
  return shared[PLACE](url, init);
};

function start(): FetchLike {
  const targets = { allowedOrigins: new LocalOrigins(), deniedHosts: [], deniedRanges: [] };
  const account = new Account({ ...settingsOf({}), targets });
  let underWay = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  /** Moves the fake's clock to the machine's, which may have been set back. */
  const tick = () => {
    account.nowMs = Math.max(account.nowMs, Date.now());
  };

  const attempt = async (schedule: Stored) => {
    underWay++;
    const handler = (request: Request) => send(request, schedule.delivery?.timeoutMs).finally(tick);
    try {
      const { status } = await deliver(account, schedule, handler, Math.random);
      if (status === null) console.warn(`Stopwatch: ${schedule.id} failed: ${schedule.log.at(-1)?.error_text}`);
    } catch (error) {
      console.error(error);
    }
    underWay--;
    run();
  };

  /** Begins what is due, and sets the timer for what follows. */
  const run = () => {
    tick();
    account.expire();
    while (underWay < AT_ONCE_MAX) {
      const due = nextDue(account, account.nowMs);
      if (!due) break;
      void attempt(due);
    }
    // The end of an attempt looks again.
    const waitMs = underWay < AT_ONCE_MAX ? nextInstant(account) - Date.now() : WAIT_MS_MAX;
    clearTimeout(timer);
    timer = setTimeout(run, Math.min(WAIT_MS_MAX, Math.max(0, waitMs)));
    // A number where timers have none. A program that has nothing else to do may end.
    (timer as { unref?: () => void }).unref?.();
  };

  console.warn(
    "Stopwatch: STOPWATCH_DEV is 1. Schedules are kept in this process alone, are lost when it ends, and are sent to this machine only.",
  );
  return async (url, { headers, ...init }) => {
    tick();
    const request = new Request(url, { ...init, headers: { ...headers, Authorization: `Bearer ${KEYS.test}` } });
    const response = await answer(account, KEYS.test, request);
    run();
    return response;
  };
}

/** The origins on this machine. */
class LocalOrigins extends Set<string> {
  override has(origin: string): boolean {
    return isLocal(origin);
  }
}

/** Whether an address leads to this machine. */
function isLocal(url: string): boolean {
  return /^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname);
}

/** Sends a delivery. Redirects are answers like others. Throws `Unanswered`. */
async function send(request: Request, timeoutMs: number = ATTEMPT_DEADLINE_MS): Promise<Response> {
  if (!isLocal(request.url))
    throw new Unanswered(
      "blocked",
      "blocked: STOPWATCH_DEV sends to this machine only: localhost, *.localhost, 127.0.0.0/8 and [::1]",
    );
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(request, { redirect: "manual", cache: "no-store", signal });
    if (response.ok) void drain(response);
    return response;
  } catch (error) {
    throw new Unanswered("unreachable", problemOf(error as FetchError, timeoutMs));
  }
}

async function drain({ body }: Response): Promise<void> {
  let read = 0;
  try {
    for await (const chunk of body ?? []) {
      read += chunk.length;
      if (read > READ_MAX) break;
    }
  } catch {
    // An answer counts by its status.
  }
}

/** What `fetch` rejects with: Node.js has the reason in `cause`, Bun in the error itself. */
type FetchError = { name?: string; code?: string; cause?: { code?: string } };

/** Why there was no answer, in the words of the service. */
function problemOf({ name, code, cause }: FetchError, timeoutMs: number): string {
  if (name === "TimeoutError") return tooLateText(timeoutMs);
  const reason = String(cause?.code ?? code);
  if (/^(ENOTFOUND|EAI_)/.test(reason)) return `name resolution: ${reason}`;
  const hasConnected = !/^(ECONNREFUSED|E(HOST|NET)|UND_ERR_CONNECT|ERR_TLS|CERT_|\w+_CERT|UNABLE_)/i.test(reason);
  return hasConnected ? unansweredText(reason) : `connection: ${reason}`;
}
