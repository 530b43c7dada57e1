import { AppError } from "#domain/errors.ts";

const MIB = 1024 * 1024;

/** Payload bytes of all bulk requests in progress. */
const BYTES_MAX = 16 * MIB;
/** Minimum weight of a request, so that at most four run at once and leave connections to others. */
const BYTES_MIN = 4 * MIB;
/** Those of one account, so that the first request of another begins at once beside them. A larger one counts as so many. */
const ACCOUNT_BYTES_MAX = BYTES_MAX - BYTES_MIN;
const WAIT_MS_MAX = 3_000;

/**
 * Runs `work` on `bytes` of payload once there is capacity: too many concurrent batches would delay every other request
 * of the process. Capacity goes to the waiting account with the fewest bytes in progress. Throws UNAVAILABLE after waiting for
 * three seconds.
 */
export async function inTurn<T>(accountId: string, bytes: number, work: () => Promise<T>): Promise<T> {
  const weight = Math.min(Math.max(bytes, BYTES_MIN), ACCOUNT_BYTES_MAX);
  await turn(accountId, weight);
  try {
    return await work();
  } finally {
    count(accountId, -weight);
    admit();
  }
}

type Waiter = { accountId: string; bytes: number; begin: () => void };

const activeBytesOf = new Map<string, number>();
const waiting = new Set<Waiter>();

function turn(accountId: string, bytes: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      waiting.delete(one);
      reject(overloaded());
      admit();
    }, WAIT_MS_MAX);
    const one = {
      accountId,
      bytes,
      begin: () => {
        clearTimeout(timer);
        resolve();
      },
    };
    waiting.add(one);
    admit();
  });
}

// Whoever is next keeps the others waiting until there is room, so that small requests cannot starve a large one.
function admit(): void {
  for (let next = nextWaiter(); next !== undefined; next = nextWaiter()) {
    if (activeBytes() + next.bytes > BYTES_MAX) return;
    waiting.delete(next);
    count(next.accountId, next.bytes);
    next.begin();
  }
}

/** The longest waiting request of the account with the fewest bytes in progress, of those that may have more. */
function nextWaiter(): Waiter | undefined {
  let next: Waiter | undefined;
  for (const one of waiting) {
    const own = bytesOf(one.accountId);
    if (own + one.bytes > ACCOUNT_BYTES_MAX) continue;
    if (next === undefined || own < bytesOf(next.accountId)) next = one;
  }
  return next;
}

const activeBytes = () => [...activeBytesOf.values()].reduce((sum, bytes) => sum + bytes, 0);
const bytesOf = (accountId: string) => activeBytesOf.get(accountId) ?? 0;

function count(accountId: string, bytes: number): void {
  const own = bytesOf(accountId) + bytes;
  if (own === 0) activeBytesOf.delete(accountId);
  else activeBytesOf.set(accountId, own);
}

function overloaded(): AppError {
  return new AppError("UNAVAILABLE", "The server is storing too many large batches. This batch was not stored.", {
    headers: { "Retry-After": "3" },
  });
}
