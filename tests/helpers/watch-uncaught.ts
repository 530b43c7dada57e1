import { onTestFinished } from "vitest";

/** Collects the rejections that nobody awaits, until the test ends. Otherwise they fail the run without a test to their name. */
export function watchUncaught(): unknown[] {
  const uncaught: unknown[] = [];
  const note = (error: unknown) => void uncaught.push(error);
  process.on("unhandledRejection", note);
  onTestFinished(() => void process.off("unhandledRejection", note));
  return uncaught;
}
