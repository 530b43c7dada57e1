import { AppError } from "#domain/errors.ts";

type End = () => void;

type Waiter = { accountId: string; begin: (end: End) => void };

export type ReadTurns = ReturnType<typeof createReadTurns>;

/**
 * Fair semaphore for reads: at most `max` at once, `perAccountMax` per account. A free turn goes to the waiting account
 * with the fewest reads in progress; ties go to the longest wait.
 */
export function createReadTurns({ max, perAccountMax }: { max: number; perAccountMax: number }) {
  const active = new Map<string, number>();
  const waiting = new Set<Waiter>();
  let total = 0;

  const turnsOf = (accountId: string) => active.get(accountId) ?? 0;

  const admit = () => {
    while (total < max) {
      let next: Waiter | undefined;
      for (const one of waiting) {
        if (turnsOf(one.accountId) >= perAccountMax) continue;
        if (next === undefined || turnsOf(one.accountId) < turnsOf(next.accountId)) next = one;
      }
      if (next === undefined) return;
      waiting.delete(next);
      next.begin(start(next.accountId));
    }
  };

  const start = (accountId: string): End => {
    total++;
    active.set(accountId, turnsOf(accountId) + 1);
    return () => {
      total--;
      if (turnsOf(accountId) === 1) active.delete(accountId);
      else active.set(accountId, turnsOf(accountId) - 1);
      admit();
    };
  };

  return {
    /**
     * Waits at most `waitMs` for a turn and resolves to a function that the caller must call once to end it. Rejects with
     * RATE_LIMITED when the account's own reads use up its turns, with UNAVAILABLE when other accounts' reads do.
     */
    take(accountId: string, waitMs: number): Promise<End> {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(one);
          reject(turnsOf(accountId) >= perAccountMax ? tooManyOwn(perAccountMax) : tooMany());
        }, waitMs);
        const one: Waiter = {
          accountId,
          begin: (end) => {
            clearTimeout(timer);
            resolve(end);
          },
        };
        waiting.add(one);
        admit();
      });
    },
  };
}

function tooManyOwn(perAccountMax: number): AppError {
  const message = `This account may run ${perAccountMax} reads at the same time, and its earlier ones took too long.`;
  return new AppError("RATE_LIMITED", message, { headers: RETRY });
}

function tooMany(): AppError {
  return new AppError("UNAVAILABLE", "The server is busy with other reads.", { headers: RETRY });
}

const RETRY = { "Retry-After": "2" };
