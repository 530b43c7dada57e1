import { refuse } from "./refuse.ts";

export type Bytes = Uint8Array<ArrayBuffer>;

/** A `Request`, or a body as it came. Text is taken as UTF-8. */
export type BodySource =
  | { readonly body: string | Uint8Array }
  | { readonly bodyUsed: boolean; readonly body?: unknown; arrayBuffer(): Promise<ArrayBuffer> };

/** The bytes of a body. Throws INVALID_SIGNATURE when they are lost. */
export async function readBody(source: BodySource): Promise<Bytes> {
  if (!("arrayBuffer" in source)) return bodyBytes(source.body);
  if (source.bodyUsed) refuseUsedBody();
  return new Uint8Array(await source.arrayBuffer());
}

/** The bytes of a body that is at hand. Throws INVALID_SIGNATURE when it is neither text nor bytes. */
export function bodyBytes(body: unknown): Bytes {
  if (typeof body === "string") return new TextEncoder().encode(body);
  if (ArrayBuffer.isView(body)) return new Uint8Array(body as Bytes);
  return refuse(`The body is ${typeof body}: pass the raw body, before express.json()`, "body_parsed");
}

export function refuseUsedBody(): never {
  return refuse("The body was read: verify first", "body_used");
}
