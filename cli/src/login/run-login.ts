import { Stopwatch } from "../../../sdk/src/index.ts";
import { INSTALLATION_URL } from "../../../sdk/src/installation.ts";
import type { Context, GlobalOptions } from "../context.ts";
import { EXIT } from "../errors/exit-codes.ts";
import { UsageError } from "../errors/usage-error.ts";
import { ask } from "../input/ask.ts";
import { readStdin } from "../input/read-stdin.ts";
import { environment } from "../settings/environment.ts";
import { assertProfileName, DEFAULT_PROFILE, profilesFile, readProfile, writeProfile } from "../settings/profiles.ts";

const EXAMPLE = "stopwatch login";

/** Stores a key on this machine, after the service has accepted it. Returns the exit code. */
export async function runLogin(
  { out, say, signal }: Context,
  { profile = DEFAULT_PROFILE, url, envFile }: GlobalOptions & { url?: string },
): Promise<number> {
  if (envFile !== undefined)
    throw new UsageError("--env-file has no meaning here: login reads the key itself", EXAMPLE);
  assertProfileName(profile);
  const address = addressOf(url ?? (environment().STOPWATCH_URL || readProfile(profile)?.url) ?? INSTALLATION_URL);
  const key = await readKey(address, signal);
  const client = new Stopwatch(key, { baseUrl: address });
  if (isReadable(client.baseUrl)) say("stopwatch: this address is not https: on its way, others can read the key.");
  const { user, apiKey } = await client.me({ signal });
  writeProfile(profile, { url: client.baseUrl, key });
  const stored = {
    profile,
    file: profilesFile(),
    url: client.baseUrl,
    env: client.env,
    account: user.id,
    key: apiKey?.id,
  };
  out.record(stored, [
    ["stored", `the profile "${profile}", in ${stored.file}`],
    ["installation", stored.url],
    ["account", `${user.email} (${user.id})`],
    ["environment", stored.env],
  ]);
  if (environment().STOPWATCH_API_KEY)
    say(`stopwatch: STOPWATCH_API_KEY is set, and is used unless --profile ${profile} is given.`);
  return EXIT.done;
}

function addressOf(url: string | undefined): string {
  if (url === undefined) throw new UsageError("--url is missing: name the installation", `${EXAMPLE} --url https://…`);
  const { protocol, username, password } = URL.canParse(url) ? new URL(url) : ({} as Partial<URL>);
  if (!/^https?:$/.test(protocol ?? "") || username || password) {
    throw new UsageError(
      "--url must be an http or https address without credentials",
      "stopwatch login --url https://stopwatch.example.com",
    );
  }
  return url;
}

/** A key from a file usually ends with a line break, which is none of its characters. */
async function readKey(address: string, signal: AbortSignal): Promise<string> {
  if (!process.stdin.isTTY) return (await readStdin("the key on stdin")).replace(/\r?\n$/, "");
  if (!process.stderr.isTTY) throw new UsageError("stdin: there is no terminal to ask on", "stopwatch login < key.txt");
  return (await ask(`API key for ${address} (not shown): `, signal, true)) ?? "";
}

function isReadable(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === "http:" && !/^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
}
