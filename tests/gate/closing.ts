import { type Failure, FLAKY_MAX, type Verdict } from "./verdict.ts";

/**
 * The last lines of a run: what was slow, not judged, not run, flaky and red, with the first message of each failure, then the
 * totals, each on a line of its own.
 */
export function closingLines(verdicts: readonly Verdict[]): string[] {
  const all = <K extends "red" | "flaky" | "filesNotRun" | "notJudged" | "slow">(key: K) =>
    verdicts.flatMap((one) => one[key] as Verdict[K][number][]);
  const sum = (key: "passed" | "failed" | "notRun") => verdicts.reduce((total, one) => total + one[key], 0);
  const flaky = all("flaky");
  const notRun = sum("notRun");
  return [
    ...all("slow").map((text) => `slow: ${text}`),
    ...all("notJudged").map((text) => `not judged: ${text}`),
    ...all("filesNotRun").map(({ file, why }) => `not run: ${file}: ${why}`),
    ...flaky.flatMap(({ file, seconds, first }) => [
      `flaky: ${file} failed, and passed alone in ${Math.round(seconds)} s. It failed with:`,
      ...first.map(shortened),
    ]),
    ...all("red").flatMap(({ file, why, failures }) => [`red (${why}): ${file}`, ...failures.map(full)]),
    ...(flaky.length > FLAKY_MAX ? [`More than ${FLAKY_MAX} flaky files are a fault.`] : []),
    `${flaky.length} flaky`,
    `${all("filesNotRun").length} files not run${notRun > 0 ? `, ${notRun} tests not run` : ""}`,
    `${sum("passed")} passed, ${sum("failed")} failed`,
  ];
}

const TEXT_MAX = 2_000;
const shortened = ({ test, text }: Failure) => `  ${test}: ${text.split("\n", 1)[0]?.slice(0, 200)}`;
const full = ({ test, text }: Failure) => `  ${test}\n    ${text.slice(0, TEXT_MAX).replaceAll("\n", "\n    ")}`;
