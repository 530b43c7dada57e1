import { type Bytes, bodyBytes } from "../signatures/body.ts";

/** All of a stream, or the status to answer: 413 once it is past `maxBytes`, 400 when it breaks off. */
export async function readStream(
  stream: AsyncIterable<Uint8Array | string> | Iterable<Bytes>,
  maxBytes: number,
): Promise<Bytes | 400 | 413> {
  const chunks: Bytes[] = [];
  let size = 0;
  try {
    for await (const chunk of stream) {
      const bytes = bodyBytes(chunk);
      size += bytes.length;
      if (!(size <= maxBytes)) return 413;
      chunks.push(bytes);
    }
  } catch {
    return 400;
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
