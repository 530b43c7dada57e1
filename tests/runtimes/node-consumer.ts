// The code of a developer on Node.js, without the types of browsers.
import { createServer, type IncomingMessage } from "node:http";
import { verifySignature } from "stopwatch-sdk";
import { type ReceiveOptions, receiveNode } from "stopwatch-sdk/receive";

declare const options: ReceiveOptions;

export const server = createServer(receiveNode(options));

export async function byHand(request: IncomingMessage, body: Buffer): Promise<string> {
  const { scheduleId } = await verifySignature({ headers: request.headers, body }, { secrets: ["whsec_…"] });
  return scheduleId;
}
