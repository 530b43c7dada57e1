// Guards: cli/src/export/**, cli/src/verbs/export.ts, cli/src/import/**, cli/src/input/confirm.ts, cli/src/input/*filter*.ts, cli/src/operations/describe-filter.ts
// Final: its verdict is about what was cancelled, and what was kept.
import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { emptyFolders } from "#tests/helpers/empty-folders.ts";
import { startOnTerminal } from "#tests/helpers/terminal.ts";
import { FUTURE, TARGET } from "../api/api.ts";
import { type CliService, startCliService } from "./service.ts";

const emptyFolder = emptyFolders();

let service: CliService;
beforeAll(async () => {
  service = await startCliService();
  await service.dispatcher();
});
afterAll(() => service?.stop());

/** Runs `stopwatch export` with stdout in a file. */
async function exportToFile(settings: Record<string, string>, args: string[]) {
  const path = join(emptyFolder(), "schedules.jsonl");
  const stdout = openSync(path, "w");
  const child = spawn(process.execPath, [resolve("cli/dist/stopwatch.js"), "export", ...args], {
    env: { NODE_ENV: "test", ...settings },
    stdio: ["ignore", stdout, "pipe"],
  });
  const ended = new Promise<number | null>((done) => child.once("close", done));
  const stderr = await text(child.stderr as NonNullable<typeof child.stderr>);
  const code = await ended;
  closeSync(stdout);
  const content = readFileSync(path, "utf8");
  const lines = content.trimEnd().split("\n").filter(Boolean);
  return { code, stderr, path, content, lines: lines.map((line) => JSON.parse(line)) };
}

it("writes every schedule that matches, one object a line, and says that payloads are missing", async () => {
  const { run, create, get } = await service.account();
  const ids: string[] = [];
  for (let count = 0; count < 105; count++) ids.push(await create({ payload: "secret text" }));
  const { code, stdout, stderr, json } = await run(["export", "--status", "scheduled"]);
  expect(code).toBe(0);
  expect(
    json()
      .map(({ id }) => id)
      .sort(),
  ).toEqual(ids.sort());
  expect(json().find(({ id }) => id === ids[0])).toEqual(await get(ids[0] as string));
  expect(stdout).not.toContain("secret text");
  expect(stderr).toBe(
    "Payloads and headers are not in an export: the service never returns them.\nExported 105 schedules.\n",
  );
  expect((await run(["export", "--status", "dead"])).stdout).toBe("");
});

it("what was exported and cancelled is created again by an import, as far as an export holds it", async () => {
  const { run, settings, create, get, caller } = await service.account();
  const plain = await create({ method: "PUT", earlyFire: true });
  const withPayload = await create({ payload: "hello" });
  const exported = await exportToFile(settings, ["--cancel", "--all", "--yes"]);
  expect(exported).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("Exported 2 schedules, and cancelled 2."),
  });
  for (const id of [plain, withPayload]) expect((await get(id)).status).toBe("cancelled");

  const refused = await run(["import", exported.path]);
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("this schedule had a payload, which is never returned"),
  });
  const imported = await run(["import", exported.path, "--without-payloads", "--json"]);
  expect({ code: imported.code, ...imported.json()[0] }).toMatchObject({ code: 0, accepted: 2 });
  const { body } = await service.api.call("GET", "/v1/schedules?status=scheduled", caller.test);
  const shown = body.items.map(({ target_url, method, fire_at, early_fire, has_payload }: Record<string, unknown>) => ({
    target_url,
    method,
    fire_at,
    early_fire,
    has_payload,
  }));
  expect(shown).toHaveLength(2);
  expect(shown).toContainEqual({
    target_url: TARGET,
    method: "PUT",
    fire_at: FUTURE,
    early_fire: true,
    has_payload: false,
  });
});

it("names what it could not cancel, and ends with 1", async () => {
  const { settings, create } = await service.account();
  const [delivered, waiting] = [await create(), await create()];
  await service.attempt(delivered, { attemptedAt: new Date(), offsetMs: 5 });
  const { code, stderr, lines } = await exportToFile(settings, [
    "--cancel",
    "--yes",
    "--status",
    "scheduled,succeeded",
  ]);
  expect(lines.map(({ id }) => id).sort()).toEqual([delivered, waiting].sort());
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining(
      `${delivered} was not cancelled: it is succeeded.\nExported 2 schedules, and cancelled 1.`,
    ),
  });
});

it("asks at the terminal while the export goes into a file: yes exports and cancels, anything else does neither", async () => {
  const { settings, create, get } = await service.account("live");
  const id = await create();
  const cwd = emptyFolder();
  const exportWith = async (typed: string) => {
    const command = `"$0" '${resolve("cli/dist/stopwatch.js")}' export --cancel --all > moved.jsonl`;
    const { answer, ended } = startOnTerminal(["sh", "-c", command, process.execPath], { env: settings, cwd });
    await answer(/This is a live key .* Export and then cancel 1 schedule \(scheduled\)\? \[y\/N\]/s, typed);
    return { code: (await ended).code, content: readFileSync(join(cwd, "moved.jsonl"), "utf8"), ...(await get(id)) };
  };
  expect(await exportWith("n\r")).toMatchObject({ code: 1, content: "", status: "scheduled" });
  expect(await exportWith("y\r")).toMatchObject({
    code: 0,
    content: expect.stringContaining(id),
    status: "cancelled",
  });
});

it("cancels nothing unless the export is in a file, and nothing without --yes where nobody can be asked", async () => {
  const { run, settings, create, get } = await service.account("live");
  const id = await create();
  const widened = await exportToFile(settings, ["--cancel", "--yes"]);
  expect(widened).toMatchObject({ code: 2, content: "", stderr: expect.stringContaining("or --all") });
  const piped = await run(["export", "--cancel", "--all", "--yes"]);
  expect(piped).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringContaining("--cancel needs stdout to be a file"),
  });
  const asked = await exportToFile(settings, ["--cancel", "--all"]);
  expect(asked).toMatchObject({
    code: 2,
    content: "",
    stderr: expect.stringContaining("This is a live key (STOPWATCH_API_KEY"),
  });
  expect(asked.stderr).toContain("Export and then cancel 1 schedule (scheduled)?");
  expect((await get(id)).status).toBe("scheduled");
});
