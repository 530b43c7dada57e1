import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { freePort } from "#scripts/ports.ts";
import { createSdkProject } from "#tests/helpers/sdk-project.ts";
import { waitFor } from "#tests/helpers/wait-for.ts";
import { fakeStopwatch } from "../../../sdk/src/testing.ts";

const text = await readFile("docs/local-development.md", "utf8");

it("the example of docs/local-development.md gets its delivery with STOPWATCH_DEV=1, and prints what the page shows", async () => {
  const [, code = ""] = /^```js app\.mjs\n(.*?)^```$/ms.exec(text) ?? [];
  const [, shown = ""] = /^STOPWATCH_DEV=1 node app\.mjs\n```\n\n```text\n(.*?)^```$/ms.exec(text) ?? [];
  const project = await createSdkProject("https://stopwatch.example.com");
  onTestFinished(project.remove);
  await writeFile(join(project.folder, "app.mjs"), code.replaceAll("4001", String(await freePort())));
  const env = { STOPWATCH_DEV: "1", NODE_ENV: "development" as const };
  const program = spawn(process.execPath, ["app.mjs"], { cwd: project.folder, env });
  let printed = "";
  for (const stream of [program.stdout, program.stderr]) stream.on("data", (data) => (printed += data));
  onTestFinished(async () => {
    if (program.exitCode === null && program.kill()) await once(program, "exit");
  });
  await waitFor("the delivery", () => printed.includes("received") || program.exitCode !== null);
  expect(printed).toBe(shown);
});

it("docs/local-development.md names the secret that the development fake signs with", () => {
  expect(text).toContain(` ${fakeStopwatch().secrets[0]}`.trim());
});
