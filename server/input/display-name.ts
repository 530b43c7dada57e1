import { z } from "zod";

/** What a person calls something: 1 to 80 characters (code points) on one line, spaces at its ends taken off. */
export const DisplayName = z
  .string("must be a string of 1 to 80 characters")
  .trim()
  .refine((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), "must be text without control characters")
  .refine((text) => text !== "" && [...text].length <= 80, "must have 1 to 80 characters");
