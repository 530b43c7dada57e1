import type { Context } from "./context.ts";

/** What a check found, in figures; for a warning and a failure also what to do. `skipped`: nothing could be said. */
export type Finding = { status: "ok" | "warning" | "failure" | "skipped"; found: string; todo?: string };

/** `needs` names checks that must have succeeded before: otherwise this one could only repeat their failure. */
export type Check = { name: string; needs: readonly string[]; run(context: Context): Promise<Finding> };

export const ok = (found: string): Finding => ({ status: "ok", found });
export const skipped = (found: string): Finding => ({ status: "skipped", found });
export const warning = (found: string, todo: string): Finding => ({ status: "warning", found, todo });
/** Nothing was found within `ms`, which on a busy machine is no failure. */
export const slow = (ms: number): Finding =>
  warning(`slow: no result within ${ms / 1_000} s`, "Run it again; if that repeats, look at the server's load.");
export const failure = (found: string, todo?: string): Finding => ({ status: "failure", found, ...(todo && { todo }) });

/** A duration in its largest unit, such as "3 s", "7 min", "26 h" and "5 days". */
export function ago(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} days`;
}

/** Bytes in decimal units, such as "12 MB" and "3.4 GB". */
export function bytes(n: number): string {
  return n < 1e9 ? `${Math.ceil(n / 1e6)} MB` : `${(n / 1e9).toFixed(1)} GB`;
}
