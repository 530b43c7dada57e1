import { execFileSync } from "node:child_process";
import postgres from "postgres";
import { afterEach, expect, it } from "vitest";
import { openDriver } from "#db/driver.ts";
import { InstallationError } from "#db/installation-error.ts";

const driver = postgres as { stopwatchPatch?: number | undefined };
const patch = driver.stopwatchPatch;

afterEach(() => {
  driver.stopwatchPatch = patch;
});

it("the installed database driver is the published one with the whole patch", () => {
  execFileSync(process.execPath, ["scripts/apply-patches.mjs", "--check"], { stdio: "pipe" });
});

it.each([undefined, 1])("a driver that is not patched, or has a former patch (%s), is not used", (former) => {
  driver.stopwatchPatch = former;
  expect(() => openDriver("postgres://localhost/none", {})).toThrow(InstallationError);
});
