import { z } from "zod";
import { STATUSES } from "#domain/states.ts";
import { judgeAfter, listParameters } from "../list-parameters.ts";

const status = z.enum(STATUSES, `must be one or several of ${STATUSES.join(", ")}, separated by commas`);

/** The query of GET /v1/schedules. `from` (included) and `to` (excluded) bound `fire_at`. */
export const ListInput = z
  .strictObject({
    ...listParameters,
    status: z
      .string()
      .transform((list) => list.split(","))
      .pipe(z.array(status))
      .optional()
      .meta({
        pattern: `^(${STATUSES.join("|")})(,(${STATUSES.join("|")}))*$`,
        description: "One status, or several separated by commas.",
        examples: ["failed,dead"],
      }),
    sort: z
      .enum(["-created_at", "fire_at", "-fire_at"], "must be -created_at, fire_at or -fire_at")
      .default("-created_at"),
  })
  .superRefine((input, context) => judgeAfter(input, input.sort, context));

export type ListInput = z.infer<typeof ListInput>;
