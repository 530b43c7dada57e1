import { DatabaseUnavailable } from "#db/client.ts";
import { assertSameOrigin } from "../auth/same-origin.ts";
import { addressOf } from "../rate-limit/enforce.ts";
import { type Services, services } from "../services.ts";
import { BodyRoom } from "./body-memory.ts";
import { answering, type RouteHandler } from "./envelope.ts";
import { readBytes } from "./read-body-bytes.ts";
import { type Reply, seeOther } from "./reply.ts";

export type FormCall = {
  held: Services;
  request: Request;
  fields: URLSearchParams;
  /** The caller's address, seen through trusted proxies; null where nobody knows. */
  address: string | null;
};

const BODY_BYTES_MAX = 16_384;

/**
 * What a form of a page is sent to, so that it works without scripts: `work` answers with the page to go on to. A form of
 * another site is refused. Whoever comes without a form, by reloading say, goes to `page`; while the database is away, to
 * `page` with what it says then.
 */
export function formRoute(
  page: string,
  work: (call: FormCall) => Promise<Reply>,
): { GET: RouteHandler; POST: RouteHandler } {
  return {
    GET: answering(async () => seeOther(page)),
    POST: answering(async (request) => {
      const held = services();
      assertSameOrigin(request.headers, held.config.baseUrl);
      const address = addressOf(request);
      const room = new BodyRoom(`caller ${address}`);
      try {
        const bytes = await readBytes(request, BODY_BYTES_MAX, room);
        const fields = new URLSearchParams(bytes === "too large" ? "" : bytes.toString());
        return await work({ held, request, fields, address });
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable)) throw error;
        return seeOther(`${page}?error=unavailable`);
      } finally {
        room.giveBack();
      }
    }),
  };
}
