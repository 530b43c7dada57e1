import type { Config } from "#config.ts";
import { NO_PARAMETERS, readQuery } from "#contract/inputs/read-query.ts";
import { AppError } from "#domain/errors.ts";
import { createQueries, type Query } from "../context.ts";
import { BodyMemory } from "../http/body-memory.ts";
import { callerAddressOf } from "../http/caller-address.ts";
import { type RouteHandler, withEnvelope } from "../http/envelope.ts";
import { readBodyBytes } from "../http/read-body-bytes.ts";
import type { Reply } from "../http/reply.ts";
import { getServices } from "../services.ts";

type SignedCall = {
  config: Config;
  signature: string;
  /** The raw bytes of the body, as signed. */
  readBody: () => Promise<Buffer>;
  query: Query;
};

/**
 * The route handler of a webhook endpoint, authenticated by a signature of the body in `header`. The handler verifies
 * the signature and reads the body by `readBody`, at most `bytesMax` bytes. Until then the sender is anybody, so the body
 * counts for the network that it comes from.
 */
export function signedRoute(
  { header, bytesMax }: { header: string; bytesMax: number },
  handler: (call: SignedCall) => Promise<Reply>,
): RouteHandler {
  return withEnvelope(async (request) => {
    readQuery(request.url, NO_PARAMETERS);
    const signature = request.headers.get(header);
    if (signature === null) throw unsigned(header);
    const services = getServices();
    await services.installation();
    const memory = BodyMemory.ofCaller(callerAddressOf(request));
    const readBody = async () => {
      const body = await readBodyBytes(request, { bytesMax, memory });
      if (body === "too large") throw new AppError("PAYLOAD_TOO_LARGE", `The body must be at most ${bytesMax} bytes.`);
      return body.slice(0, body.length);
    };
    try {
      return await handler({ config: services.config, signature, readBody, query: createQueries(services).query });
    } finally {
      memory.release();
    }
  });
}

function unsigned(header: string): AppError {
  const message = `needs the header ${header}`;
  return new AppError("VALIDATION", `The request ${message}.`, { details: [{ path: "", message }] });
}
