import { expect, it, vi } from "vitest";
import { DatabaseUnavailable } from "#db/client.ts";
import { InstallationError } from "#db/installation-error.ts";
import { DecryptionError } from "#domain/cipher.ts";
import { AppError } from "#domain/errors.ts";
import { MailNotSent } from "#mail/mail.ts";

it("an error that another copy of its module throws is recognised, by its own class and those above", async () => {
  vi.resetModules();
  const other = {
    ...(await import("#db/client.ts")),
    ...(await import("#db/installation-error.ts")),
    ...(await import("#domain/cipher.ts")),
    ...(await import("#mail/mail.ts")),
  };
  expect(other.MailNotSent).not.toBe(MailNotSent);
  expect(new other.MailNotSent("no", { inDoubt: false })).toBeInstanceOf(MailNotSent);
  expect(new other.InstallationError("no")).toBeInstanceOf(InstallationError);
  expect(new other.DecryptionError("corrupted", "no")).toBeInstanceOf(DecryptionError);
  const unavailable = new other.DatabaseUnavailable(new Error("no"));
  expect(unavailable).toBeInstanceOf(DatabaseUnavailable);
  expect(unavailable).toBeInstanceOf(AppError);
  expect(unavailable).not.toBeInstanceOf(MailNotSent);
  expect(new Error("no")).not.toBeInstanceOf(AppError);
  expect({ name: "AppError" }).not.toBeInstanceOf(AppError);
});
