import { AppError } from "#domain/errors.ts";
import { withEnvelope } from "#server/http/envelope.ts";
import { everyMethod } from "#server/routes/methods.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = everyMethod(
  withEnvelope(async () => {
    throw new AppError("NOT_FOUND", "There is nothing at this path.");
  }),
);
