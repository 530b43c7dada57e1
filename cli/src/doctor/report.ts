import { writeFileSync } from "node:fs";
import { UsageError } from "../errors/usage-error.ts";
import type { NamedFinding } from "./check.ts";
import type { DoctorContext } from "./context.ts";

/**
 * The text for a bug report: what the checks found, and on what it ran. It has no key, payload, header or secret: findings are
 * in words of their own, and whatever is secret here is taken out once more.
 */
export function writeReport(findings: readonly NamedFinding[], context: DoctorContext, nowMs: number): string {
  const { version, url } = context;
  const lines = [
    "Stopwatch doctor",
    `at ${new Date(nowMs).toISOString()}, stopwatch-cli ${version}, Node.js ${process.version}, ${process.platform} ${process.arch}`,
    `installation: ${url?.origin ?? "none"}`,
    "",
    ...findings.map(({ check, status, found }) => `${status.padEnd(7)}  ${check.padEnd(11)}  ${found}`),
  ];
  return `${secretsOf(context).reduce((text, secret) => text.replaceAll(secret, "…"), lines.join("\n"))}\n`;
}

/** Writes the report. Throws a UsageError when the file is there already, or cannot be written. */
export function saveReport(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: "wx", mode: 0o600 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const problem = code === "EEXIST" ? "is there already" : `cannot be written (${code})`;
    throw new UsageError(`--report names ${path}, which ${problem}`, "stopwatch doctor --report new-report.txt");
  }
}

/** What could be secret here: the key, the values of signing secrets, keys and passwords, and credentials in addresses. */
function secretsOf({ settings, variables, local, target }: DoctorContext): string[] {
  const named = { ...variables, ...local.variables };
  const values = Object.entries(named).flatMap(([name, value = ""]) =>
    /KEY|SECRET|TOKEN|PASS|AUTH/i.test(name) || /^["']?(?:whsec_|sw_)/.test(value) ? [value] : [],
  );
  const addresses = [...Object.values(named), target].flatMap((value = "") => credentialsOf(value));
  return [settings?.key ?? "", ...values, ...addresses].filter((value) => value.length >= SECRET_LENGTH_MIN);
}

function credentialsOf(address: string): string[] {
  if (!address.includes("://") || !URL.canParse(address)) return [];
  const { username, password } = new URL(address);
  return [username, password];
}

/** A shorter text is in words that are no secret, too. */
const SECRET_LENGTH_MIN = 8;
