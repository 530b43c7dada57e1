import { z } from "zod";

/** A display name: 1 to 80 code points on one line, trimmed. */
export const DisplayName = z
  .string("must be a string of 1 to 80 characters")
  .trim()
  .refine((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), "must be text without control characters")
  .refine((text) => text !== "" && [...text].length <= 80, "must have 1 to 80 characters");
