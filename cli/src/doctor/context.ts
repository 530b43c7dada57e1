import type { Stopwatch } from "../../../sdk/src/index.ts";
import type { Settings } from "../settings/find-settings.ts";
import type { HttpAnswer } from "./http-answer.ts";

/** What the checks look at, and what earlier ones left for later ones. */
export type DoctorContext = {
  /** The address, where one is known; also without a key. */
  url: URL | undefined;
  /** Why there is no address. */
  urlProblem: string | undefined;
  /** Address and key; undefined without a key that is well-formed. */
  settings: Settings | undefined;
  /** Why there are none, and what to do. */
  settingsProblem: { found: string; fix: string } | undefined;
  variables: Readonly<Record<string, string | undefined>>;
  /** The signing secrets of this folder: variables, and where they are from. */
  local: { variables: Readonly<Record<string, string | undefined>>; source: string };
  /** The version of this program. */
  version: string;
  /** Where a test delivery is to go; undefined when none was asked for. */
  target: string | undefined;
  client(): Stopwatch;
  get(path: string, isAuthorised?: boolean): Promise<HttpAnswer>;
  say(message: string): void;
  signal: AbortSignal;
  /** The answer to `GET /v1/me`, with its headers. */
  answer?: HttpAnswer;
};
