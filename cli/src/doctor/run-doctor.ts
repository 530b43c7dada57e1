import { styleText } from "node:util";
import type { Context, GlobalOptions } from "../context.ts";
import { EXIT } from "../errors/exit-codes.ts";
import { parseTarget } from "../input/parse-target.ts";
import { printable } from "../output/printable.ts";
import type { NamedFinding } from "./check.ts";
import { openContext } from "./open-context.ts";
import { saveReport, writeReport } from "./report.ts";
import { runChecks } from "./run-checks.ts";

const EXAMPLE = "stopwatch doctor --target https://example.com/hook";

export type DoctorOptions = { target?: string; report?: string | true; yes?: true };

/** Runs the checks, prints what each found, and writes a report where one was asked for. Returns the exit code. */
export async function runDoctor(context: Context, options: DoctorOptions & GlobalOptions): Promise<number> {
  const target = options.target === undefined ? undefined : parseTarget(options.target, "--target", EXAMPLE);
  const opened = openContext(context, options, target);
  if (
    target &&
    opened.settings?.env === "live" &&
    !(await context.confirm(`Send a delivery to ${new URL(target).origin}?`, options.yes))
  ) {
    opened.target = undefined;
  }
  const findings: NamedFinding[] = [];
  for await (const finding of runChecks(opened)) {
    findings.push(finding);
    print(context, finding);
  }
  if (options.report !== undefined) {
    const path = options.report === true ? REPORT : options.report;
    saveReport(path, writeReport(findings, opened, Date.now()));
    context.say(`stopwatch: wrote ${path}`);
  }
  return findings.some(({ status }) => status === "warning" || status === "failure") ? EXIT.partly : EXIT.done;
}

function print({ out }: Context, finding: NamedFinding): void {
  const { check, status, found, fix } = finding;
  if (out.isJson) {
    out.record(finding, []);
    return;
  }
  const mark = styleText(COLOURS[status], MARKS[status].padEnd(7), { stream: process.stdout });
  out.raw(`${mark}  ${check.padEnd(11)}  ${printable(found)}\n`);
  if (fix !== undefined) out.raw(`${" ".repeat(22)}Fix: ${printable(fix)}\n`);
}

const REPORT = "stopwatch-doctor.txt";
const MARKS = { ok: "ok", warning: "warning", failure: "FAILED", skipped: "skipped" } as const;
const COLOURS = { ok: "green", warning: "yellow", failure: "red", skipped: "dim" } as const;
