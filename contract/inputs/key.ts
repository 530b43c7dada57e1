import { IdempotencyKey } from "./create-input.ts";
import { invalid } from "./validate.ts";

/** The key of a schedule from `text`, which stands at `path` of the request. Throws VALIDATION unless a create takes it. */
export function readKey(text: string, path: string): string {
  const parsed = IdempotencyKey.safeParse(text);
  if (parsed.success) return parsed.data;
  throw invalid([{ path, message: parsed.error.issues[0]?.message ?? "is malformed" }]);
}
