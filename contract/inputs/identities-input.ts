import { z } from "zod";
import { PROVIDERS } from "#domain/providers.ts";

/** The query of DELETE /v1/me/identities. */
export const IdentitiesInput = z.strictObject({
  provider: z
    .enum(PROVIDERS, `must be ${PROVIDERS.join(" or ")}`)
    .optional()
    .describe("Remove only the identities of this provider."),
});
