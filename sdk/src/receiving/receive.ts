import { refuseUsedBody } from "../signatures/body.ts";
import { answer, checkOptions, type ReceiveOptions } from "./answer.ts";
import { readStream } from "./read-stream.ts";

/**
 * A handler of deliveries for anything that takes a `Request` and returns a `Response`. It answers 200 once
 * `onDelivery` has returned, 401 to an invalid signature, 413 past `maxBytes`, 503 while the same delivery is being
 * handled, and 500 when `onDelivery` throws or the receiver is misconfigured.
 */
export function receive(options: ReceiveOptions): (request: Request) => Promise<Response> {
  checkOptions(options);
  return (request) => {
    const readBody = async (maxBytes: number) =>
      request.bodyUsed ? refuseUsedBody() : readStream(request.body ?? [], maxBytes);
    return answer(request.headers, readBody, options) as Promise<Response>;
  };
}
