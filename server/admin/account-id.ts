import { AppError } from "#domain/errors.ts";
import { decodeId } from "#domain/ids.ts";

/** The UUID of an account's id as it is shown (`acc_…`). Throws NOT_FOUND for what is none. */
export function accountIdOrThrow(text: string): string {
  const id = decodeId("acc", text);
  if (id === null) throw noSuchAccount();
  return id;
}

export function noSuchAccount(): AppError {
  return new AppError("NOT_FOUND", "There is no such account.");
}
