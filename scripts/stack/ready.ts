import { setTimeout as wait } from "node:timers/promises";

/** Resolves when `url` answers 200. Logs from time to time what is missing. Rejects when `signal` aborts. */
export async function untilReady(
  url: string,
  { onLog, signal }: { onLog: (line: string) => void; signal: AbortSignal },
) {
  for (let tries = 1; ; tries++) {
    const answer = await ask(url, signal);
    if (answer === "ready") return;
    if (tries % SAY_EVERY === 0) onLog(`still waiting for ${url}: ${answer}`);
    await wait(POLL_MS, undefined, { signal });
  }
}

const POLL_MS = 200;
const SAY_EVERY = 75;

async function ask(url: string, signal: AbortSignal): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(5_000)]) });
    const text = await response.text();
    return response.status === 200 ? "ready" : text.slice(0, 200);
  } catch (error) {
    signal.throwIfAborted();
    return ((error as Error).cause as Error | undefined)?.message || (error as Error).message;
  }
}
