import { z } from "zod";
import { ENVIRONMENTS } from "#domain/environment.ts";
import { DisplayName } from "../input/display-name.ts";

/** Body of POST /v1/api-keys. */
export const ApiKeyInput = z.strictObject({
  name: DisplayName.describe("What to call the key: 1 to 80 characters on one line."),
  env: z
    .enum(ENVIRONMENTS, `must be ${ENVIRONMENTS.join(" or ")}`)
    .describe("The environment that the key is to belong to."),
});

export type ApiKeyInput = z.infer<typeof ApiKeyInput>;
