/** The most that the service takes of an answer's body, bytes in UTF-8. */
export const ANSWER_BYTES_MAX = 8 * 1024;

/**
 * The start of an answer's body as text, at most 8 KiB in UTF-8; undefined when it is empty. Decoded by the charset of
 * `contentType`, else as UTF-8.
 */
export function answerText(body: Buffer, contentType = ""): string | undefined {
  const charset = /;\s*charset="?([^\s;"]+)/i.exec(contentType)?.[1] ?? "utf-8";
  const text = decoderOf(charset).decode(body.subarray(0, ANSWER_BYTES_MAX), { stream: true });
  // Streaming leaves out a character that the cut has split.
  return new TextDecoder().decode(Buffer.from(text).subarray(0, ANSWER_BYTES_MAX), { stream: true }) || undefined;
}

function decoderOf(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
