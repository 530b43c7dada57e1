import { StopwatchError } from "../../../sdk/src/index.ts";
import { INSTALLATION_URL } from "../../../sdk/src/installation.ts";
import type { Context, GlobalOptions } from "../context.ts";
import { Failure } from "../errors/failure.ts";
import { UsageError } from "../errors/usage-error.ts";
import { environment } from "../settings/environment.ts";
import { localVariables } from "../settings/local-variables.ts";
import { DEFAULT_PROFILE, readProfile } from "../settings/profiles.ts";
import { readVersion } from "../version.ts";
import type { DoctorContext } from "./context.ts";
import { getAnswer } from "./http-answer.ts";

/** What the checks look at. Address and key may be missing, or wrong: a check says so. */
export function openContext(context: Context, options: GlobalOptions, target: string | undefined): DoctorContext {
  const { settings, settingsProblem } = trySettings(context);
  const local = localVariables(options.envFile);
  const address = settings?.url ?? findAddress(options, local.variables);
  const { url, urlProblem } = readAddress(address);
  return {
    url,
    urlProblem,
    settings,
    settingsProblem,
    local,
    target,
    variables: environment(),
    version: readVersion(),
    say: context.say,
    signal: context.signal,
    client: context.client,
    get(path, isAuthorised = false) {
      const headers: { [name: string]: string } = isAuthorised ? { Authorization: `Bearer ${settings?.key}` } : {};
      return getAnswer((url as URL).href.replace(/\/+$/, "") + path, headers, context.signal);
    },
  };
}

function trySettings({ settings }: Context): Pick<DoctorContext, "settings" | "settingsProblem"> {
  try {
    return { settings: settings(), settingsProblem: undefined };
  } catch (error) {
    const fix = "Store a key with `stopwatch login`, or set STOPWATCH_API_KEY and STOPWATCH_URL.";
    if (error instanceof Failure)
      return { settings: undefined, settingsProblem: { found: error.message, fix: error.fix } };
    if (!(error instanceof UsageError || StopwatchError.is(error))) throw error;
    return { settings: undefined, settingsProblem: { found: error.message, fix } };
  }
}

/** The address that would be used with a key, in the order in which settings are found. */
function findAddress({ profile, envFile }: GlobalOptions, local: DoctorContext["variables"]): string | undefined {
  if (profile !== undefined) return tryProfile(profile);
  const { STOPWATCH_URL } = envFile === undefined ? environment() : local;
  return STOPWATCH_URL || tryProfile(DEFAULT_PROFILE) || servedFrom();
}

/** The installation that served this program; undefined in one that was built from sources. */
function servedFrom(): string | undefined {
  return INSTALLATION_URL !== undefined && URL.canParse(INSTALLATION_URL) ? INSTALLATION_URL : undefined;
}

function tryProfile(name: string): string | undefined {
  try {
    return readProfile(name)?.url;
  } catch {
    // The check of the key says what is wrong with the file.
    return undefined;
  }
}

function readAddress(address: string | undefined): { url: URL | undefined; urlProblem: string | undefined } {
  if (address === undefined || !URL.canParse(address)) {
    return { url: undefined, urlProblem: address ? "STOPWATCH_URL is no address" : "no address is set" };
  }
  const url = new URL(address);
  const problem = !/^https?:$/.test(url.protocol)
    ? "the address must begin with https:// or http://"
    : url.username || url.password
      ? "the address must have no credentials"
      : undefined;
  return problem ? { url: undefined, urlProblem: problem } : { url, urlProblem: undefined };
}
