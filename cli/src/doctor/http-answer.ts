/** An answer of the installation, or of what stands in its place. Times are epoch ms of this machine. */
export type HttpAnswer = { status: number; headers: Headers; text: string; sentAtMs: number; receivedAtMs: number };

/** One GET without retries and without following redirects. Throws what `fetch` throws, also after 10 s. */
export async function getAnswer(
  url: string,
  headers: { [name: string]: string },
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const sentAtMs = Date.now();
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS_MAX)]);
  const response = await fetch(url, { headers, redirect: "manual", signal: bounded });
  const receivedAtMs = Date.now();
  return { status: response.status, headers: response.headers, text: await response.text(), sentAtMs, receivedAtMs };
}

const ANSWER_MS_MAX = 10_000;

/** The JSON of an answer; undefined when it is something else. */
export function jsonOf({ text }: HttpAnswer): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
