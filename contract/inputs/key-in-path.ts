import { IdempotencyKey } from "./create-input.ts";
import { invalid } from "./validate.ts";

/** The key in a path, decoded. Throws VALIDATION unless a create takes it. */
export function readKeyInPath(text: string): string {
  const parsed = IdempotencyKey.safeParse(text);
  if (parsed.success) return parsed.data;
  throw invalid([{ path: "key", message: parsed.error.issues[0]?.message ?? "is malformed" }]);
}
