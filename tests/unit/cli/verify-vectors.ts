import { readFileSync } from "node:fs";
import type { KnownSecret } from "../../../cli/src/verify/known-secrets.ts";

export type VerifyVector = {
  name: string;
  headers: { [name: string]: string };
  body?: string;
  body_base64?: string;
  /** The secrets that the receiver has, and those that the key shows, by their names in `SECRETS`. */
  receiver: string[];
  account: string[];
  /** Epoch seconds. */
  received_at: number;
  computed?: string;
  exit: 0 | 1;
  codes: string[];
  /** The first thing that is said. */
  sentence: string;
};

const file = JSON.parse(readFileSync(new URL("../../vectors/verify.json", import.meta.url), "utf8")) as {
  secrets: { [name: string]: string };
  vectors: VerifyVector[];
};

export const VERIFY_VECTORS = file.vectors;

export function bodyOf({ body, body_base64 }: VerifyVector): Buffer {
  return body === undefined ? Buffer.from(body_base64 as string, "base64") : Buffer.from(body);
}

/** The variables of the receiver's `.env` file. */
export function variablesOf({ receiver }: VerifyVector): { [name: string]: string } {
  return Object.fromEntries(receiver.map((name, index) => [VARIABLES[index] as string, file.secrets[name] as string]));
}

const VARIABLES = ["STOPWATCH_SECRET", "STOPWATCH_SECRET_NEXT", "STOPWATCH_SECRET_FORMER"];

/** The secrets that an account shows to its keys. */
export function accountSecretsOf({ account }: VerifyVector): KnownSecret[] {
  return account.map((name) => {
    const [env, role] = name.split(".") as ["live" | "test", "current" | "next"];
    return {
      name: `the ${role} secret of ${env}`,
      value: file.secrets[name] as string,
      env,
      role,
      isReceivers: false,
    };
  });
}
