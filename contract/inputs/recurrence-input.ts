import { z } from "zod";
import { parseCron } from "#domain/cron.ts";
import { nearestZone } from "#domain/nearest-zone.ts";
import { ON_RECURRING_CLOCK_CHANGE, SPREAD_MS_MAX } from "#domain/recurrence.ts";
import { CATCH_UP, OVERLAP, RECURRENCE_STATUSES } from "#domain/recurrence-step.ts";
import { EARLY_FIRE, REQUEST, TARGET } from "./create-input.ts";
import { DELIVERY, Delivery } from "./delivery-input.ts";
import { DisplayName } from "./display-name.ts";
import { listParameters, validateAfter } from "./list-parameters.ts";
import { instant, timezoneInput } from "./time-input.ts";

/** A rule of five cron fields, without the spaces around it. What is wrong is said with its position. */
const Cron = z
  .string("must be a string, such as 0 9 * * 1-5")
  .transform((text, context) => {
    const parsed = parseCron(text);
    if (parsed.ok) return text.trim();
    const { message, position } = parsed.fault;
    context.addIssue(`${message} (at position ${position})`);
    return z.NEVER;
  })
  .meta({
    examples: ["0 9 * * 1-5", "*/15 * * * *", "0 18 L * *", "@daily"],
    description:
      "Minute, hour, day, month and weekday: values, names, lists, ranges and steps, `L` for the last day, `5#2` for the second Friday, `5L` for the last one; or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`. A rule that names both day and weekday fires on either.",
  });

const NO_SPREAD = "must be a whole number of milliseconds from 0 to 3,600,000";

const NOT_FOR_MANY = "is one instant, and each occurrence has its own: give expiresIn. endsAt ends the recurrence";

/** The body of PUT /v1/recurrences/:key. Checks syntax only, not target, payload size, spacing or end. */
export const RecurrenceInput = z
  .strictObject(
    {
      cron: Cron,
      timezone: timezoneInput("The IANA zone whose clocks the rule goes by.", nearestZone).default("UTC"),
      onClockChange: z
        .enum(ON_RECURRING_CLOCK_CHANGE, "must be first, second or skip")
        .default("first")
        .describe(
          "A time of day that the clocks of the zone repeat fires at its `first` or `second` instant, and one that they skip by the offset before the change; `skip` leaves both out. A rule whose hour is `*` or has a step follows elapsed time instead: both repeated hours, and nothing for skipped ones.",
        ),
      overlap: z
        .enum(OVERLAP, "must be allow or skip")
        .default("allow")
        .describe("`skip`: an occurrence is left out while an earlier one is open, its retries included."),
      catchUp: z
        .enum(CATCH_UP, "must be latest or none")
        .default("latest")
        .describe(
          "Of instants that passed while nothing could make their occurrences, the `latest` is sent, or `none`.",
        ),
      spreadMs: z
        .number(NO_SPREAD)
        .refine((ms) => Number.isInteger(ms) && ms >= 0 && ms <= SPREAD_MS_MAX, NO_SPREAD)
        .default(0)
        .meta({
          type: "integer",
          minimum: 0,
          maximum: SPREAD_MS_MAX,
          description:
            "Each occurrence fires later than the rule says, by a share of this that the recurrence has for good.",
        }),
      endsAt: instant("The last instant at which it may fire. RFC 3339 with an offset.").optional(),
      name: DisplayName.optional().meta({ minLength: 1, maxLength: 80, description: "What its owner calls it." }),
      ...TARGET,
      ...REQUEST,
      ...EARLY_FIRE,
      delivery: Delivery.superRefine((options, context) => {
        if (options?.expiresAtMs === undefined) return;
        context.addIssue({ code: "custom", path: ["expiresAt"], message: NOT_FOR_MANY });
      }).describe(`${DELIVERY} \`expiresIn\` counts from each occurrence; \`expiresAt\` is refused.`),
    },
    "must be a JSON object",
  )
  .meta({ id: "NewRecurrence", description: "An HTTP request, and the rule by which it is sent again and again." });

export type RecurrenceInput = z.infer<typeof RecurrenceInput>;

/** The query of PUT /v1/recurrences/:key. */
export const PutRecurrenceQuery = z.strictObject({
  dryRun: z
    .enum(["true", "false"], "must be true or false")
    .default("false")
    .transform((text) => text === "true")
    .meta({ type: "boolean", description: "`true` stores nothing, and answers what the same call would without it." }),
});

const NOTE = "must have 1 to 200 characters";

/** The body of POST /v1/recurrences/:key/pause. The statement that pauses checks that `until` is in the future. */
export const PauseInput = z
  .strictObject(
    {
      note: z
        .string("must be a string of 1 to 200 characters")
        .trim()
        .refine((text) => text.isWellFormed() && !text.includes("\0"), "must be well-formed text without NUL")
        .refine((text) => text !== "" && [...text].length <= 200, NOTE)
        .optional()
        .meta({ minLength: 1, maxLength: 200, description: "Why, for people." }),
      until: instant("When it goes on by itself; without it, when it is resumed. RFC 3339 with an offset.").optional(),
    },
    "must be a JSON object",
  )
  .meta({ description: "Why, and until when." });

export type PauseInput = z.infer<typeof PauseInput>;

/** The only sort order of the list of recurrences: created last, first. */
export const RECURRENCE_ORDER = "-recurrences";

/** The query of GET /v1/recurrences. */
export const RecurrenceListInput = z
  .strictObject({
    limit: listParameters.limit,
    offset: listParameters.offset,
    after: listParameters.after,
    status: z
      .enum(RECURRENCE_STATUSES, `must be one of ${RECURRENCE_STATUSES.join(", ")}`)
      .optional()
      .describe("Only those with this status."),
  })
  .superRefine((input, context) => validateAfter(input, RECURRENCE_ORDER, context));

export type RecurrenceListInput = z.infer<typeof RecurrenceListInput>;
