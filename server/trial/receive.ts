import { timingSafeEqual } from "node:crypto";
import { Unauthorized } from "#domain/errors.ts";
import { signRequest } from "#domain/signing.ts";
import { BodyMemory } from "../http/body-memory.ts";
import { callerAddressOf } from "../http/caller-address.ts";
import { readBodyBytes } from "../http/read-body-bytes.ts";
import { noContent, type Reply } from "../http/reply.ts";
import { getServices } from "../services.ts";
import { readTrialKeys } from "./account.ts";

const BODY_BYTES_MAX = 1_024;

/** How old a signature may be, s. Source: https://github.com/standard-webhooks/standard-webhooks, "Verifying webhooks". */
const TOLERANCE_S = 300;

/**
 * The receiver of trials: answers 204 to a request that was signed for the trials' account within the last five minutes,
 * otherwise throws UNAUTHORIZED. It does nothing else.
 */
export async function receiveTrial(request: Request): Promise<Reply> {
  const [id, timestamp, signature] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map(
    (name) => request.headers.get(name) ?? "",
  ) as [string, string, string];
  const isRecent = /^\d{1,12}$/.test(timestamp) && Math.abs(Date.now() / 1_000 - Number(timestamp)) <= TOLERANCE_S;
  if (!isRecent || signature === "") throw notSigned();
  await getServices().installation();
  const keys = await readTrialKeys();
  if (keys === undefined) throw notSigned();
  const memory = BodyMemory.ofCaller(callerAddressOf(request));
  try {
    const body = await readBodyBytes(request, { bytesMax: BODY_BYTES_MAX, memory });
    if (body === "too large") throw notSigned();
    const content = body.slice(0, body.length);
    const signed = signRequest({ keys: [keys], scheduleId: id, timestampSeconds: Number(timestamp), body: content });
    if (!signature.split(" ").some((one) => isSame(one, signed["webhook-signature"]))) throw notSigned();
    return noContent();
  } finally {
    memory.release();
  }
}

const notSigned = () => new Unauthorized("This address takes the trials of this installation alone.");

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
