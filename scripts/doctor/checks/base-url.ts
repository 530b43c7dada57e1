import type { Config } from "#config.ts";
import { readFleet } from "#db/queries/fleet/dispatchers.ts";
import { isConfidentialUrl } from "#domain/confidential-url.ts";
import { type Check, type Finding, failure, ok, warning } from "../check.ts";
import { CHECK_MS_MAX } from "../context.ts";
import { whyNoAnswer } from "../describe-failure.ts";

export const baseUrl: Check = {
  name: "base URL",
  needs: ["settings"],
  async run({ config, urls, read, clear }) {
    const { baseUrl: url, metricsToken } = config as Config;
    const health = await ask(`${url}/healthz`);
    const isSame = urls && "status" in health ? await isOfDatabase(url, metricsToken, () => read(readFleet)) : null;
    return judgeBaseUrl({ url, health: "error" in health ? { error: clear(health.error) } : health, isSame });
  },
};

type Answer = { status: number; body: unknown; location: string | null; ms: number } | { error: string };

/** `isSame`: whether the service at the address has this database; null when that could not be seen. */
export function judgeBaseUrl(facts: { url: string; health: Answer; isSame: boolean | null }): Finding {
  const { url, health, isSame } = facts;
  if ("error" in health)
    return failure(
      `${url} cannot be reached from here (${health.error})`,
      "Start the web part, and see BASE_URL, the name's address, and the proxy with its certificate.",
    );
  const { status, body, location, ms } = health;
  if (location !== null)
    return failure(`${url} redirects to ${location}`, "Set BASE_URL to the address that answers itself.");
  if (status !== 200 || (body as { status?: unknown } | null)?.status !== "ok")
    return failure(
      `${url}/healthz answers ${status}, not as Stopwatch does`,
      "See BASE_URL, and where the proxy there passes calls on to.",
    );
  if ((body as { part?: unknown }).part === "dispatcher")
    return failure(`${url} is a dispatcher's own port`, "Set BASE_URL to the address of the web part.");
  if (isSame === false)
    return failure(`${url} is a Stopwatch with another database`, "See BASE_URL, and DATABASE_URL here and there.");
  const same = isSame === null ? "; whether it has this database could not be seen" : ", with this database";
  const found = `${url} answers in ${Math.round(ms)} ms${same}`;
  if (isConfidentialUrl(url)) return ok(found);
  return warning(
    `${found}, without TLS: keys and payloads can be read on the way`,
    "Put a proxy with TLS in front, and set BASE_URL to https.",
  );
}

async function ask(url: string, token?: string): Promise<Answer> {
  const began = performance.now();
  try {
    const response = await fetch(url, {
      headers: { accept: "application/json", ...(token && { authorization: `Bearer ${token}` }) },
      redirect: "manual",
      signal: AbortSignal.timeout(CHECK_MS_MAX / 2),
    });
    const body = await response.json().catch(() => null);
    return { status: response.status, body, location: response.headers.get("location"), ms: performance.now() - began };
  } catch (error) {
    return { error: whyNoAnswer(error) };
  }
}

/** Compares the dispatchers that `/metricsz` there and the database here know; null when either tells none. */
async function isOfDatabase(
  url: string,
  token: string | undefined,
  readHere: () => Promise<{ id: string }[]>,
): Promise<boolean | null> {
  if (url.startsWith("https:") && token === undefined) return null;
  const answer = await ask(`${url}/metricsz?format=json`, token);
  if ("error" in answer || answer.status !== 200) return null;
  const there = (answer.body as { dispatchers?: { id?: unknown }[] } | null)?.dispatchers ?? [];
  const here = new Set((await readHere().catch(() => [])).map(({ id }) => id));
  if (there.length === 0 || here.size === 0) return null;
  return there.some(({ id }) => here.has(String(id)));
}
