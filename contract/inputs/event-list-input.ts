import { z } from "zod";
import { listParameters, validateAfter } from "./list-parameters.ts";

/** The only sort order of the security log: what happened last, first. */
export const EVENT_ORDER = "-events";

/** The query of GET /v1/me/events. */
export const EventListInput = z
  .strictObject({ limit: listParameters.limit, offset: listParameters.offset, after: listParameters.after })
  .superRefine((input, context) => validateAfter(input, EVENT_ORDER, context));

export type EventListInput = z.infer<typeof EventListInput>;
