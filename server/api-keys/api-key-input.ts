import { z } from "zod";
import { DisplayName } from "../display-name.ts";

/** Body of POST /v1/api-keys. */
export const ApiKeyInput = z.strictObject({
  name: DisplayName,
  env: z.enum(["live", "test"], "must be live or test"),
});

export type ApiKeyInput = z.infer<typeof ApiKeyInput>;
