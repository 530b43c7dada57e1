import { AppError } from "#domain/errors.ts";
import { decodeId } from "#domain/ids.ts";

/** Decodes an account id (`acc_…`) to its UUID. Throws NOT_FOUND for a malformed id. */
export function accountIdOrThrow(text: string): string {
  const id = decodeId("acc", text);
  if (id === null) throw noSuchAccount();
  return id;
}

export function noSuchAccount(): AppError {
  return new AppError("NOT_FOUND", "There is no such account.");
}
