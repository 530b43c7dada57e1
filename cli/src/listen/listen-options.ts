import { isIP } from "node:net";
import { UsageError } from "../errors/usage-error.ts";

export type ListenOptions = {
  to?: string;
  exec?: string;
  path?: string[];
  all?: boolean;
  keepHost?: boolean;
  insecure?: boolean;
  once?: boolean;
};

const EXAMPLE = "stopwatch listen --to http://localhost:3000/hook";
const PATHS_MAX = 5;

/** Where deliveries go: to a local server, or to a command. */
export type Destination = { to: URL } | { exec: string };

/** What to listen to, and what to do with it. */
export type ListenPlan = {
  destination: Destination;
  scope: "reserved" | "all";
  /** Prefixes of paths; none: every path. */
  paths: string[];
  keepHost: boolean;
  insecure: boolean;
  once: boolean;
};

/** Checks the options. Throws a UsageError before anything is sent. */
export function planOf(options: ListenOptions): ListenPlan {
  const { to, exec, path = [], all = false, keepHost = false, insecure = false, once = false } = options;
  if (to === undefined && exec === undefined) throw new UsageError("--to is missing: where do deliveries go?", EXAMPLE);
  if (to !== undefined && exec !== undefined) throw new UsageError("--exec must not stand beside --to", EXAMPLE);
  const destination = to === undefined ? { exec: checkCommand(exec as string) } : { to: checkTo(to) };
  const local = "to" in destination ? destination.to : undefined;
  if (keepHost && !local) throw new UsageError("--keep-host needs --to: a command has no Host", EXAMPLE);
  if (insecure && !(local && isLoopback(local))) {
    const example = "stopwatch listen --to https://localhost:3000 --insecure";
    throw new UsageError("--insecure takes any certificate, and is for servers on this machine alone", example);
  }
  return { destination, scope: all ? "all" : "reserved", paths: checkPaths(path), keepHost, insecure, once };
}

function checkTo(text: string): URL {
  if (!/^https?:\/\/[^/?#\\]/i.test(text) || !URL.canParse(text)) {
    throw new UsageError("--to must be the http or https address of your server", EXAMPLE);
  }
  const url = new URL(text);
  if (/^[^/]*\/\/[^/?#\\]*@/.test(text)) throw new UsageError("--to must not have a user or a password", EXAMPLE);
  if (text.includes("#")) throw new UsageError("--to must not have a fragment (#…): it would not be sent", EXAMPLE);
  return url;
}

function checkCommand(command: string): string {
  if (command.trim() === "") throw new UsageError("--exec is empty", "stopwatch listen --exec 'node handle.js'");
  return command;
}

function checkPaths(paths: string[]): string[] {
  const example = `${EXAMPLE} --path /hooks/`;
  if (paths.length > PATHS_MAX) throw new UsageError(`--path may be given ${PATHS_MAX} times at most`, example);
  for (const path of paths) {
    if (!/^\/[^?#]*$/.test(path))
      throw new UsageError("--path must be the beginning of paths, such as /hooks/", example);
  }
  return [...new Set(paths)];
}

function isLoopback({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  if (isIP(host) === 4) return host.startsWith("127.");
  return host === "::1" || host === "localhost" || host.endsWith(".localhost");
}
