import { DatabaseUnavailable } from "#db/client.ts";
import { AppError } from "#domain/errors.ts";
import { assertSameOrigin } from "../auth/same-origin.ts";
import { getServices, type Services } from "../services.ts";
import { BodyMemory } from "./body-memory.ts";
import { callerAddressOf } from "./caller-address.ts";
import { type RouteHandler, withEnvelope } from "./envelope.ts";
import { readBodyBytes } from "./read-body-bytes.ts";
import { type Reply, seeOther } from "./reply.ts";

export type FormCall = {
  services: Services;
  request: Request;
  fields: URLSearchParams;
  /** The caller's IP address, behind trusted proxies; null if unknown. */
  address: string | null;
  /** As in `X-Request-Id` and the log. */
  requestId: string | null;
};

const BODY_BYTES_MAX = 16_384;

/**
 * The route handlers that an HTML form posts to. `work` returns a redirect to the next page. A form posted from another
 * origin is rejected. A GET, for example a reload, redirects to `page`. While the database is unavailable, a POST
 * redirects to `page` with `error=unavailable`, and above a limit with `error=RATE_LIMITED`.
 */
export function formRoute(
  page: string,
  work: (call: FormCall) => Promise<Reply>,
): { GET: RouteHandler; POST: RouteHandler } {
  return {
    GET: withEnvelope(async () => seeOther(page)),
    POST: withEnvelope(async (request, _context, { requestId = null }) => {
      const services = getServices();
      assertSameOrigin(request.headers, services.config.baseUrl);
      const address = callerAddressOf(request);
      const memory = BodyMemory.ofCaller(address);
      try {
        const bytes = await readBodyBytes(request, { bytesMax: BODY_BYTES_MAX, memory });
        const fields = new URLSearchParams(bytes === "too large" ? "" : bytes.slice(0, bytes.length).toString());
        return await work({ services, request, fields, address, requestId });
      } catch (error) {
        if (error instanceof DatabaseUnavailable) return seeOther(`${page}?error=unavailable`);
        if (error instanceof AppError && error.code === "RATE_LIMITED") return seeOther(`${page}?error=RATE_LIMITED`);
        throw error;
      } finally {
        memory.release();
      }
    }),
  };
}
