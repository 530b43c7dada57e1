import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { SDK_NAME } from "#server/sdk-package.ts";
import { type FakeOptions, fakeStopwatch } from "../../../sdk/src/testing.ts";

const text = await readFile("docs/testing.md", "utf8");

it("the sample test of docs/testing.md passes, and fails when the code that it tests is changed", async () => {
  const [, code = ""] = /^```js reminder\.test\.mjs\n(.*?)^```$/ms.exec(text) ?? [];
  expect(code).toContain("fakeStopwatch()");
  expect(await outcomeOf(code)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^# pass 1$/m) });
  expect(await outcomeOf(code.replace("RetryLater(600)", "RetryLater(6_000)"))).toMatchObject({ code: 1 });
});

it("docs/testing.md names every member of a fake and every option", () => {
  const names = (table: RegExp) =>
    [...(table.exec(text)?.[0] ?? "").matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell = ""]) =>
      [...cell.matchAll(/`(\w+)/g)].map(([, name]) => name),
    );
  const members = names(/^\| Member \| Is \|$.*?^$/ms);
  expect([...members, "baseUrl"].toSorted()).toEqual(Object.keys(fakeStopwatch()).toSorted());
  // A missing or an extra option does not compile.
  const options: Record<keyof FakeOptions, true> = {
    onDelivery: true,
    now: true,
    env: true,
    plan: true,
    scheduled: true,
    relaySettings: true,
    allowedTargets: true,
    random: true,
    onError: true,
  };
  expect(names(/^\| Option \| Is \| Default \|$.*?^$/ms)).toEqual(Object.keys(options));
});

/** Runs a test of node:test in a process of its own. */
async function outcomeOf(code: string): Promise<{ code: number; stdout: string }> {
  const folder = await mkdtemp(join(tmpdir(), "stopwatch-sample-"));
  try {
    const outfile = join(folder, "reminder.test.mjs");
    const entry = (name: string) => resolve(`sdk/src/${name}.ts`);
    await build({
      stdin: { contents: code, resolveDir: "." },
      alias: {
        [`${SDK_NAME}/receive`]: entry("receive"),
        [`${SDK_NAME}/testing`]: entry("testing"),
        [SDK_NAME]: entry("index"),
      },
      bundle: true,
      format: "esm",
      platform: "node",
      outfile,
    });
    const run = promisify(execFile)(process.execPath, ["--test", "--test-reporter=tap", outfile]);
    return await run.then(
      ({ stdout }) => ({ code: 0, stdout }),
      ({ code: failed, stdout }) => ({ code: failed, stdout }),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}
