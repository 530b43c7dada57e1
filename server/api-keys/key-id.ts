import { AppError } from "#domain/errors.ts";
import { decodeId } from "#domain/ids.ts";

/** Decodes an API key id (`key_…`) to its UUID. Throws NOT_FOUND for a malformed id. */
export function keyIdOrThrow(text: string): string {
  const id = decodeId("key", text);
  if (id === null) throw noSuchKey();
  return id;
}

/** The same error for an unknown key and for one of another account. */
export function noSuchKey(): AppError {
  return new AppError("NOT_FOUND", "There is no such API key.");
}
