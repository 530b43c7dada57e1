import type { DoctorContext } from "./context.ts";

/** What a check found, and for a warning or failure what to do. `skipped`: nothing could be said. */
export type Finding = { status: "ok" | "warning" | "failure" | "skipped"; found: string; fix?: string };

/** `needs` names checks without whose success this one has no meaning. */
export type Check = { name: string; needs: readonly string[]; run(context: DoctorContext): Promise<Finding> | Finding };

/** A finding with the name of its check. */
export type NamedFinding = Finding & { check: string };

export const ok = (found: string): Finding => ({ status: "ok", found });
export const skipped = (found: string): Finding => ({ status: "skipped", found });
export const warning = (found: string, fix: string): Finding => ({ status: "warning", found, fix });
export const failure = (found: string, fix: string): Finding => ({ status: "failure", found, fix });
