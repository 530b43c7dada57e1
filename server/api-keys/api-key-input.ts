import { z } from "zod";
import { DisplayName } from "../display-name.ts";

/** Body of POST /v1/api-keys. */
export const ApiKeyInput = z.strictObject({
  name: DisplayName.describe("What to call the key: 1 to 80 characters on one line."),
  env: z.enum(["live", "test"], "must be live or test").describe("The environment that the key is to belong to."),
});

export type ApiKeyInput = z.infer<typeof ApiKeyInput>;
