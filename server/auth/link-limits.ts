import { noteSignInRequest, type RequestLimit } from "#db/queries/accounts/sign-in-requests.ts";
import { AppError } from "#domain/errors.ts";
import { DATABASE_BUDGET_MS, type Services } from "../services.ts";

/**
 * Counts a request by `limits`, and checks it by `checked` (`noteSignInRequest`). Throws RATE_LIMITED when one of them was
 * reached; `reason` is its first sentence.
 */
export async function noteLinkRequest(
  services: Services,
  limits: readonly RequestLimit[],
  checked: readonly RequestLimit[] = [],
  reason = TOO_MANY_LINKS,
): Promise<void> {
  await inTurn(stateOf(services).last, limits, async () => {
    refuseKnownOver(services, [...limits, ...checked], reason);
    const reached = await services.anonymous.run(DATABASE_BUDGET_MS, ({ db }) =>
      noteSignInRequest(db, limits, checked),
    );
    if (reached === null) return;
    remember(stateOf(services).over, reached.key, { ...reached, untilMs: performance.now() + REMEMBERED_MS });
    throw tooMany(reached.waitS, reason);
  });
}

/**
 * Throws RATE_LIMITED when this process has found within the last second that one of these limits is reached, so that
 * repeats of a refused request do not reach the database.
 */
export function refuseKnownOver(services: Services, limits: readonly RequestLimit[], reason = TOO_MANY_LINKS): void {
  const { over } = stateOf(services);
  const nowMs = performance.now();
  const known = limits.map(({ key }) => over.get(key)).find((one) => one !== undefined && one.untilMs > nowMs);
  if (known !== undefined) throw tooMany(known.waitS, reason);
}

/** Runs `work` after the earlier calls with one of these keys, so that none holds a connection while it waits for a lock. */
async function inTurn(last: State["last"], limits: readonly RequestLimit[], work: () => Promise<void>): Promise<void> {
  const own = Promise.allSettled(limits.map(({ key }) => last.get(key))).then(work);
  for (const { key } of limits) last.set(key, own);
  try {
    await own;
  } finally {
    for (const { key } of limits) if (last.get(key) === own) last.delete(key);
  }
}

function remember(over: State["over"], key: string, reached: Over): void {
  over.delete(key);
  if (over.size >= KEYS_MAX) over.delete(over.keys().next().value as string);
  over.set(key, reached);
}

const TOO_MANY_LINKS = "Too many links were requested.";

function tooMany(waitS: number, reason: string): AppError {
  const wait = waitS < 60 ? `${waitS} s` : `${Math.ceil(waitS / 60)} min`;
  return new AppError("RATE_LIMITED", `${reason} Try again in ${wait}.`, {
    headers: { "Retry-After": String(waitS) },
  });
}

type Over = { waitS: number; untilMs: number };

/** `over`: keys that have reached their limit. `last`: the last call for each key that has not ended. */
type State = { over: Map<string, Over>; last: Map<string, Promise<void>> };

function stateOf(services: Services): State {
  const state = states.get(services) ?? { over: new Map(), last: new Map() };
  states.set(services, state);
  return state;
}

const states = new WeakMap<Services, State>();
const REMEMBERED_MS = 1_000;
const KEYS_MAX = 10_000;
