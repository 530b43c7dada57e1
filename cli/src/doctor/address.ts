import { lookup } from "node:dns/promises";
import { connect } from "node:net";
import { type Check, type Finding, failure, ok } from "./check.ts";
import type { DoctorContext } from "./context.ts";
import { networkCause } from "./network-cause.ts";
import { findProxy } from "./proxy.ts";

/** The name resolves, and something takes connections there. */
export const address: Check = {
  name: "address",
  needs: [],
  async run(context) {
    const { url, urlProblem } = context;
    if (url === undefined) {
      return failure(urlProblem ?? "there is no address", "Set STOPWATCH_URL, such as https://stopwatch.example.com.");
    }
    const proxy = findProxy(url, context.variables);
    if (proxy?.isUsed) return ok(`${url.origin}, through the proxy ${proxy.origin} (${proxy.variable})`);
    const finding = await reach(url, context);
    if (finding.status === "ok" || proxy === undefined) return finding;
    const hint = `${proxy.variable} names a proxy (${proxy.origin}), which Node.js uses only with NODE_USE_ENV_PROXY=1.`;
    return { ...finding, fix: `${finding.fix} ${hint}` };
  },
};

async function reach(url: URL, { signal }: DoctorContext): Promise<Finding> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
  const where = `${url.hostname}:${port}`;
  try {
    const { address } = await lookup(host);
    const connectMs = await timeToConnect(host, port, signal);
    const name = address === host ? "" : `, which is ${address},`;
    return ok(`${url.origin}: ${where}${name} takes connections, ${connectMs} ms`);
  } catch (error) {
    return networkCause(error, where);
  }
}

function timeToConnect(host: string, port: number, signal: AbortSignal): Promise<number> {
  const startedAtMs = Date.now();
  const socket = connect({ host, port, signal });
  return new Promise<number>((resolve, reject) => {
    socket.setTimeout(CONNECT_MS_MAX, () => reject(Object.assign(new Error(), { code: "ETIMEDOUT" })));
    socket.once("connect", () => resolve(Date.now() - startedAtMs));
    socket.once("error", reject);
  }).finally(() => socket.destroy());
}

const CONNECT_MS_MAX = 10_000;
