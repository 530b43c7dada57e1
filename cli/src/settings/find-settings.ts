import { parseEnv } from "node:util";
import { Stopwatch, StopwatchError } from "../../../sdk/src/index.ts";
import { INSTALLATION_URL } from "../../../sdk/src/installation.ts";
import type { Environment } from "../../../sdk/src/types.ts";
import { EXIT } from "../errors/exit-codes.ts";
import { Failure } from "../errors/failure.ts";
import { UsageError } from "../errors/usage-error.ts";
import { readTextFile } from "../input/read-text-file.ts";
import { environment } from "./environment.ts";
import { DEFAULT_PROFILE, readProfile } from "./profiles.ts";

/** Which installation a command talks to, and with which key. */
export type Settings = {
  /** The address, without a slash at its end. */
  url: string;
  key: string;
  env: Environment;
  /** Where the key comes from, for messages. */
  source: string;
};

/**
 * Finds address and key: of `--profile`, of `--env-file`, of the environment, of the profile `default`, in this order. Both come
 * from one place, so that a stored key is never sent to an address that it was not stored for; an environment without an
 * address means the installation that this program came from. Throws a UsageError, and a Failure without a key.
 */
export function findSettings({ profile, envFile }: { profile?: string; envFile?: string }): Settings {
  if (profile !== undefined && envFile !== undefined) {
    throw new UsageError("--env-file must not stand beside --profile: each names a key");
  }
  if (profile !== undefined) return ofProfile(profile);
  if (envFile !== undefined) {
    return ofVariables(parseEnv(readTextFile(envFile, "--env-file")), envFile) ?? noKey(`${envFile} has no key`);
  }
  return ofVariables(environment(), "STOPWATCH_API_KEY") ?? ofProfile(undefined);
}

function ofVariables(variables: Readonly<Record<string, string | undefined>>, source: string): Settings | undefined {
  const { STOPWATCH_API_KEY: key, STOPWATCH_URL: url } = variables;
  return key ? checked(key, url || INSTALLATION_URL, source) : undefined;
}

function ofProfile(name: string | undefined): Settings {
  const stored = readProfile(name ?? DEFAULT_PROFILE);
  if (!stored) return noKey(name === undefined ? "There is no API key" : `There is no profile "${name}"`);
  const asked = environment().STOPWATCH_URL;
  if (name === undefined && asked && new URL(stored.url).origin !== originOf(asked)) {
    throw new UsageError(
      `STOPWATCH_URL is ${originOf(asked)}, but the stored key is of ${stored.url} and is sent nowhere else: set STOPWATCH_API_KEY too`,
    );
  }
  return checked(stored.key, stored.url, `the profile "${name ?? DEFAULT_PROFILE}"`);
}

function originOf(url: string): string {
  if (!URL.canParse(url)) throw new UsageError("STOPWATCH_URL must be an address", URL_EXAMPLE);
  return new URL(url).origin;
}

function checked(key: string, url: string | undefined, source: string): Settings {
  if (!url) throw new UsageError("STOPWATCH_URL is missing: set it to the address of your installation");
  try {
    const { env, baseUrl } = new Stopwatch(key, { baseUrl: url });
    return { url: baseUrl, key, env, source };
  } catch (error) {
    if (StopwatchError.is(error, "INVALID_KEY")) {
      throw new Failure(`${error.message} (${source}).`, {
        exitCode: EXIT.unauthorised,
        fix: "copy it again, whole and without blanks, or make a new one on the page API keys of the installation.",
      });
    }
    throw new UsageError(`STOPWATCH_URL must be the address of an installation, without /v1 (${source})`, URL_EXAMPLE);
  }
}

const URL_EXAMPLE = "STOPWATCH_URL=https://stopwatch.example.com";

function noKey(problem: string): never {
  throw new Failure(`${problem}.`, {
    exitCode: EXIT.unauthorised,
    fix: "store one with `stopwatch login`, or set STOPWATCH_API_KEY.",
  });
}
