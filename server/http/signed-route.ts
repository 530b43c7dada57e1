import { z } from "zod";
import type { Config } from "#config.ts";
import { AppError } from "#domain/errors.ts";
import { createQuery, type Query } from "../context.ts";
import { services } from "../services.ts";
import { BodyRoom } from "./body-memory.ts";
import { answering, type RouteHandler } from "./envelope.ts";
import { readBytes } from "./read-body-bytes.ts";
import { readQuery } from "./read-query.ts";
import type { Reply } from "./reply.ts";

const NO_PARAMETERS = z.strictObject({});

type SignedCall = {
  config: Config;
  signature: string;
  /** The bytes of the body, as they came. */
  readBody: () => Promise<Buffer>;
  query: Query;
};

/**
 * An endpoint that another service calls: what vouches for a call is a signature of its bytes, in `header`. The body is
 * read when the handler asks for it, `bytesMax` at most, into the room that `sender` has as if it were an account.
 */
export function signedRoute(
  { header, bytesMax, sender }: { header: string; bytesMax: number; sender: string },
  handler: (call: SignedCall) => Promise<Reply>,
): RouteHandler {
  return answering(async (request) => {
    readQuery(request.url, NO_PARAMETERS);
    const signature = request.headers.get(header);
    if (signature === null) throw unsigned(header);
    const held = services();
    await held.installation();
    const room = new BodyRoom(sender);
    const readBody = async () => {
      const body = await readBytes(request, bytesMax, room);
      if (body === "too large") throw new AppError("PAYLOAD_TOO_LARGE", `The body must be at most ${bytesMax} bytes.`);
      return body;
    };
    try {
      return await handler({ config: held.config, signature, readBody, query: createQuery(held).ask });
    } finally {
      room.giveBack();
    }
  });
}

function unsigned(header: string): AppError {
  const message = `needs the header ${header}`;
  return new AppError("VALIDATION", `The request ${message}.`, { details: [{ path: "", message }] });
}
