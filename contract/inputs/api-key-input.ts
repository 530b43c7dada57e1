import { z } from "zod";
import { ENVIRONMENTS } from "#domain/environment.ts";
import { DisplayName } from "./display-name.ts";

/** The longest overlap of a rotated key with its replacement, hours. */
const OVERLAP_HOURS_MAX = 24;

const OVERLAP_PROBLEM = `must be 0 to ${OVERLAP_HOURS_MAX}`;

/** Body of POST /v1/api-keys. */
export const ApiKeyInput = z.strictObject({
  name: DisplayName.describe("What to call the key: 1 to 80 characters on one line."),
  env: z
    .enum(ENVIRONMENTS, `must be ${ENVIRONMENTS.join(" or ")}`)
    .describe("The environment that the key is to belong to."),
});

export type ApiKeyInput = z.infer<typeof ApiKeyInput>;

/** Body of POST /v1/api-keys/:id/rotate. */
export const RotateInput = z.strictObject({
  overlapHours: z
    .int("must be a whole number")
    .min(0, OVERLAP_PROBLEM)
    .max(OVERLAP_HOURS_MAX, OVERLAP_PROBLEM)
    .default(0)
    .describe("How many hours the old key stays valid beside its replacement."),
});

export type RotateInput = z.infer<typeof RotateInput>;
