import { z } from "zod";
import { DisplayName } from "../display-name.ts";

/** Body of PATCH /v1/me: what is omitted stays as it is. */
export const ProfileInput = z
  .strictObject({
    name: DisplayName.optional(),
    notices: z.boolean("must be true or false").optional(),
  })
  .refine(({ name, notices }) => name !== undefined || notices !== undefined, "needs name, notices or both");

export type ProfileInput = z.infer<typeof ProfileInput>;
