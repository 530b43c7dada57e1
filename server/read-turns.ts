import { AppError } from "#domain/errors.ts";

/** Ends a turn. */
type End = () => void;

type Waiting = { accountId: string; begin: (end: End) => void };

export type ReadTurns = ReturnType<typeof createReadTurns>;

/**
 * Turns at reading for accounts: at most `max` at once, and `perAccountMax` of one account. When a turn is free, that
 * account has it which has the fewest, and of several the one that has waited for longest.
 */
export function createReadTurns({ max, perAccountMax }: { max: number; perAccountMax: number }) {
  const atWork = new Map<string, number>();
  const waiting = new Set<Waiting>();
  let total = 0;

  const turnsOf = (accountId: string) => atWork.get(accountId) ?? 0;

  const admit = () => {
    while (total < max) {
      let next: Waiting | undefined;
      for (const one of waiting) {
        if (turnsOf(one.accountId) >= perAccountMax) continue;
        if (next === undefined || turnsOf(one.accountId) < turnsOf(next.accountId)) next = one;
      }
      if (next === undefined) return;
      waiting.delete(next);
      next.begin(begun(next.accountId));
    }
  };

  const begun = (accountId: string): End => {
    total++;
    atWork.set(accountId, turnsOf(accountId) + 1);
    return () => {
      total--;
      if (turnsOf(accountId) === 1) atWork.delete(accountId);
      else atWork.set(accountId, turnsOf(accountId) - 1);
      admit();
    };
  };

  return {
    /**
     * Waits for a turn for at most `waitMs`; whoever has it calls what this resolves to, once. Throws RATE_LIMITED when
     * the account's own reads hold all that it may have, and UNAVAILABLE when other accounts' do.
     */
    take(accountId: string, waitMs: number): Promise<End> {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(one);
          reject(turnsOf(accountId) >= perAccountMax ? tooManyOwn(perAccountMax) : tooMany());
        }, waitMs);
        const one: Waiting = {
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
  const message = `This account reads at most ${perAccountMax} things at once, and those before this one took too long.`;
  return new AppError("RATE_LIMITED", message, { headers: RETRY });
}

function tooMany(): AppError {
  return new AppError("UNAVAILABLE", "Too much is being read right now.", { headers: RETRY });
}

const RETRY = { "Retry-After": "2" };
