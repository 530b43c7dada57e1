import { invalid, orInvalid } from "./invalid.ts";

/** The path of a thing. Throws INVALID_ARGUMENT for a malformed id, so that it cannot lead to another path. */
export function pathOf(root: "/v1/schedules" | "/v1/operations", id: string): string {
  const prefix = root === "/v1/schedules" ? "sch_" : "op_";
  if (!new RegExp(`^${prefix}[0-7][0-9a-hjkmnp-tv-z]{25}$`).test(id))
    throw invalid("id", `must be an id such as ${prefix}01...`);
  return `${root}/${id}`;
}

/** The path of what has a key below `root`. Throws INVALID_ARGUMENT for what no path can carry: "", ".", ".." and half characters. */
export function pathOfKey(root: string, key: string): string {
  // Half of a character cannot be encoded.
  const write = () => encodeURIComponent(key.replace(/^\.{0,2}$/, "\ud800"));
  return `${root}/${orInvalid("key", "must be text", write)}`;
}
