import { z } from "zod";
import { DisplayName } from "../input/display-name.ts";

/** Body of PATCH /v1/me: what is omitted stays as it is. */
export const ProfileInput = z
  .strictObject({
    name: DisplayName.optional().describe("What the owner is to be called: 1 to 80 characters on one line."),
    notices: z
      .boolean("must be true or false")
      .optional()
      .describe("Whether the owner is told by e-mail of dead schedules and of the quota."),
  })
  .refine(({ name, notices }) => name !== undefined || notices !== undefined, "needs name, notices or both");

export type ProfileInput = z.infer<typeof ProfileInput>;
