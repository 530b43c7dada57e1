// Needs: systemd

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import manifest from "#package.json" with { type: "json" };

const unitFile = (name: string) => fileURLToPath(new URL(`../../../deploy/systemd/${name}`, import.meta.url));
const read = (name: string) => readFileSync(unitFile(name), "utf8");
const hasAnalyzer = spawnSync("systemd-analyze", ["--version"]).status === 0;

const UNITS = ["stopwatch-web@.service", "stopwatch-dispatcher@.service", "stopwatch-migrate.service"];
/** Of 10, as `systemd-analyze security` counts. */
const EXPOSURE_MAX = 3;

describe.skipIf(!hasAnalyzer)("the sandbox of the units (skipped where systemd-analyze is missing)", () => {
  it.each(UNITS)("leaves %s an exposure of at most 3.0", (unit) => {
    const { stdout, stderr } = spawnSync(
      "systemd-analyze",
      ["security", "--offline=true", "--no-pager", unitFile(unit)],
      { encoding: "utf8" },
    );
    const exposure = /Overall exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1];
    expect(exposure, stderr).toBeDefined();
    expect(Number(exposure)).toBeLessThanOrEqual(EXPOSURE_MAX);
  });
});

describe("the units", () => {
  it("start one web part, whose port both proxies prefer", () => {
    expect(read("stopwatch.target")).toMatch(/^Wants=.* stopwatch-web@3000\.service /m);
    expect(read("../proxies/nginx.conf")).toMatch(
      /server 127\.0\.0\.1:3000 max_fails=0;\n.* 127\.0\.0\.1:3001 .*backup;/,
    );
    expect(read("../proxies/Caddyfile")).toMatch(/127\.0\.0\.1:3000 127\.0\.0\.1:3001 \{\n\s*lb_policy first\n/);
  });

  it("start a dispatcher with the options of npm run dispatcher, and one arena of memory", () => {
    const unit = read("stopwatch-dispatcher@.service");
    const [, options = ""] = /^ExecStart=\S+ (.*) dispatcher\/main\.ts$/m.exec(unit) ?? [];
    const npm = manifest.scripts.dispatcher.replace("--env-file-if-exists=.env ", "");
    expect(`node ${options} dispatcher/main.ts`).toBe(npm);
    expect(unit).toMatch(/^Environment=MALLOC_ARENA_MAX=1$/m);
  });

  it.each(UNITS.slice(0, 2))("%s is started again whenever it ends, and has a minute to stop", (unit) => {
    for (const line of ["Restart=always", "StartLimitIntervalSec=0", "TimeoutStopSec=60"]) {
      expect(read(unit).split("\n")).toContain(line);
    }
  });
});
