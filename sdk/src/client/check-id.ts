import { invalid } from "./invalid.ts";

/** The path of a thing. Throws INVALID_ARGUMENT unless its id has the form of ids, so that no other path can come of it. */
export function pathOf(prefix: "sch" | "op", id: unknown): string {
  if (typeof id !== "string" || !new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`).test(id))
    throw invalid("id", `must be an id, such as ${prefix}_01kbm5qk4f8rz3c2x7w9v6n1ta`);
  return `/v1/${prefix === "op" ? "operations" : "schedules"}/${id}`;
}
