import { z } from "zod";
import { ENVIRONMENTS } from "#domain/environment.ts";
import { ERROR_STATUS, type ErrorCode } from "#domain/errors.ts";
import type { IdPrefix } from "#domain/ids.ts";
import { REQUEST_METHODS } from "#domain/request-methods.ts";
import { STATUSES } from "#domain/states.ts";

/** An instant as every answer writes it. */
export const InstantText = z.iso.datetime({ precision: 3 }).meta({
  id: "Instant",
  description: "RFC 3339, in UTC, with milliseconds.",
  examples: ["2031-01-01T09:00:00.000Z"],
});

export const ScheduleId = id("sch", "ScheduleId", "Names a schedule.");
export const KeyId = id("key", "ApiKeyId", "Names an API key; it is not the key.");
export const AccountId = id("acc", "AccountId", "Names an account.");
export const OperationId = id("op", "OperationId", "Names an operation.");
export const SessionId = id("ses", "SessionId", "Names a session; it is not its token.");

export const EventId = id("evt", "SecurityEventId", "Names an event of the security log.");
export const ExchangeId = id("exc", "ExchangeId", "Names one delivery to a listener.");
export const IdentityId = id("idn", "IdentityId", "Names a linked identity; it is not the provider's id.");

export const Status = z.enum(STATUSES).meta({
  id: "Status",
  description:
    "`scheduled` waits, `firing` is being attempted now, `succeeded` got 2xx, `failed` will be attempted again, `dead` will not, `cancelled` was stopped by its owner.",
});

export const Method = z.enum(REQUEST_METHODS);

export const Env = z.enum(ENVIRONMENTS, `must be ${ENVIRONMENTS.join(" or ")}`);

/** The body of every answer that is not a success. */
export const ErrorAnswer = z
  .strictObject({
    error: z
      .strictObject({
        code: z
          .enum(Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]])
          .describe("Which error it is, for programs."),
        message: z.string().describe("For people; it may change."),
        doc_url: z.url().describe("The page that says what to do about this code."),
        details: z
          .array(
            z.strictObject({
              path: z.string().describe("The field or parameter, such as `headers.X-A`; empty for the whole body."),
              message: z.string().describe("What is wrong with it, for people; it may change."),
            }),
          )
          .optional()
          .describe("What is wrong where; with `VALIDATION` alone."),
      })
      .describe("What went wrong."),
  })
  .meta({ id: "Error", description: "The body of every answer that is not a success." });

function id(prefix: IdPrefix, name: string, description: string) {
  return z
    .string()
    .regex(new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`))
    .meta({ id: name, description, examples: [`${prefix}_01kbm5qk4f8rz3c2x7w9v6n1ta`] });
}
