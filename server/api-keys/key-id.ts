import { AppError } from "#domain/errors.ts";
import { decodeId } from "#domain/ids.ts";

/** The UUID in the path of a key. Throws NOT_FOUND for what is no key id. */
export function keyIdOrThrow(text: string): string {
  const id = decodeId("key", text);
  if (id === null) throw noSuchKey();
  return id;
}

/** The one answer for a key that never was and for one of another account. */
export function noSuchKey(): AppError {
  return new AppError("NOT_FOUND", "There is no such API key.");
}
