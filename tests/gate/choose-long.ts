import { matchesGlob } from "node:path";

export type LongFile = { file: string; guards: string[]; seconds: number };

/** Why a long file runs in a landing: it is its turn, it changed itself, or a source changed that it guards. */
export type Reason = "turn" | "changed" | "guarded";

export type Chosen = LongFile & { reason: Reason };

/** In so many landings every long file has had its turn. */
export const TURNS = 12;

/**
 * The long files that a landing runs, in this order: those whose turn it is, those that changed themselves, those that guard
 * what changed. Among equals, a file goes first of whose guarded sources the change touches the larger part: one about a single
 * folder before one about everything. `sources` are all tracked files.
 */
export function chooseLong(
  files: readonly LongFile[],
  { changed, sources, landing }: { changed: readonly string[]; sources: readonly string[]; landing: number },
): Chosen[] {
  const turns = dealTurns(files);
  const count = (of: readonly string[], globs: readonly string[]) =>
    of.filter((one) => globs.some((glob) => matchesGlob(one, glob))).length;
  const reasonOf = ({ file, guards }: LongFile): Reason | undefined => {
    if (turns.get(file) === landing % TURNS) return "turn";
    if (changed.includes(file)) return "changed";
    return count(changed, guards) > 0 ? "guarded" : undefined;
  };
  const share = ({ guards }: LongFile) => count(changed, guards) / Math.max(1, count(sources, guards));
  return files
    .flatMap((one) => {
      const reason = reasonOf(one);
      return reason ? [{ ...one, reason, share: share(one) }] : [];
    })
    .sort((a, b) => RANK[a.reason] - RANK[b.reason] || b.share - a.share || (a.file < b.file ? -1 : 1))
    .map(({ share: _, ...chosen }) => chosen);
}

const RANK: Record<Reason, number> = { turn: 0, changed: 1, guarded: 2 };

/** The landing, from `landing` on, in which it is the turn of a file. */
export function nextTurn(files: readonly LongFile[], file: string, landing: number): number {
  const turn = dealTurns(files).get(file) ?? 0;
  return landing + ((turn - (landing % TURNS) + TURNS - 1) % TURNS) + 1;
}

/** Deals the files to turns that take about as long: the longest first, each to the turn that has least. */
function dealTurns(files: readonly LongFile[]): Map<string, number> {
  const seconds = Array.from({ length: TURNS }, () => 0);
  const turns = new Map<string, number>();
  for (const one of files.toSorted((a, b) => b.seconds - a.seconds || (a.file < b.file ? -1 : 1))) {
    const turn = seconds.indexOf(Math.min(...seconds));
    seconds[turn] = (seconds[turn] as number) + one.seconds;
    turns.set(one.file, turn);
  }
  return turns;
}
