import { z } from "zod";
import { DisplayName } from "./display-name.ts";

/** Body of PATCH /v1/me; omitted fields stay unchanged. */
export const ProfileInput = z
  .strictObject({
    name: DisplayName.optional().describe("The owner's display name: 1 to 80 characters on one line."),
    notices: z
      .boolean("must be true or false")
      .optional()
      .describe("Whether the owner gets e-mail notices about dead schedules and the quota."),
  })
  .refine(({ name, notices }) => name !== undefined || notices !== undefined, "must have name, notices or both");

export type ProfileInput = z.infer<typeof ProfileInput>;
