import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { processEnv } from "#config.ts";

/** What the curl command in a shell script would send, by the arguments that a shell gives it. `env` is added to its environment. */
export async function curlArguments(script: string, env: Record<string, string> = {}) {
  const shell = ["-c", `curl() { printf '%s\\0' "$@"; }\n${script}`];
  const { stdout } = await promisify(execFile)("/bin/sh", shell, {
    env: { NODE_ENV: "test", ...processEnv(), ...env },
  });
  const [url = "", ...options] = stdout.split("\0").slice(0, -1);
  const pairs = options.flatMap((option, at) => (at % 2 === 0 ? [[option, options[at + 1] ?? ""] as const] : []));
  const headers = pairs.filter(([option]) => option === "-H").map(([, line]) => line.split(/: (.*)/s, 2));
  const [[, body] = [], ...others] = pairs.filter(([option]) => option === "-d");
  if (others.length > 0 || pairs.some(([option]) => option !== "-H" && option !== "-d")) {
    throw new Error(`not understood: ${options.join(" ")}`);
  }
  return { url, method: body === undefined ? "GET" : "POST", headers: Object.fromEntries(headers), body };
}
