import { existsSync } from "node:fs";
import { parseEnv } from "node:util";
import { readTextFile } from "../input/read-text-file.ts";
import { environment } from "./environment.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The variables that a receiver in this folder would have, and where they are from: those of `envFile`, else those of `.env`
 * in this folder under those of the environment. Throws a UsageError when the file cannot be read.
 */
export function localVariables(envFile: string | undefined): { variables: Variables; source: string } {
  if (envFile !== undefined) return { variables: parseEnv(readTextFile(envFile, "--env-file")), source: envFile };
  if (!existsSync(".env")) return { variables: environment(), source: "the environment" };
  return {
    variables: { ...parseEnv(readTextFile(".env", ".env")), ...environment() },
    source: ".env and the environment",
  };
}
