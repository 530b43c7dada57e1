import { UsageError } from "../errors/usage-error.ts";

/** The idempotency key that was given. Throws a UsageError for one that the API would refuse. */
export function parseKeyForOnce(key: string | undefined): string | undefined {
  if (key === undefined || (key.length >= 1 && key.length <= 255)) return key;
  throw new UsageError("--key-for-once must be 1 to 255 characters", "--key-for-once order-7");
}
