import { NamedError } from "#domain/named-error.ts";

/** This process does not fit its installation or its database. The message says what a person has to do. */
export class InstallationError extends NamedError {
  override readonly name = "InstallationError";
}
