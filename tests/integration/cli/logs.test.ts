import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startCli } from "#tests/helpers/cli-process.ts";
import { waitFor } from "#tests/helpers/wait-for.ts";
import { expectRefused } from "./bad-input.ts";
import { type CliService, startCliService } from "./service.ts";

let service: CliService;
beforeAll(async () => {
  service = await startCliService();
});
afterAll(() => service?.stop());

const FAILED = { statusCode: 503, errorText: "try \u001b[31magain\u0007 later\nplease" };

it("attempts prints those of one schedule, and no character that a terminal would obey", async () => {
  const { run, create } = await service.account();
  const id = await create();
  await service.attempt(id, { attemptedAt: new Date(), offsetMs: 7, ...FAILED });
  const { code, stdout } = await run(["attempts", id]);
  expect(code).toBe(0);
  const [titles, row] = stdout.trimEnd().split("\n");
  expect(titles).toMatch(/^TRY +AT \(Europe\/Berlin\) +CODE +MS +LATE MS +ANSWER$/);
  expect(row).toMatch(/^ +1 +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} +503 +5 +\S+ +try .\[31magain. later please$/);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  expect(stdout).not.toMatch(/[\u001b\u0007]/);
});

it("logs prints those that match, the last first", async () => {
  const { run, create } = await service.account();
  const [failed, succeeded] = [await create(), await create()];
  await service.attempt(failed, { attemptedAt: new Date(Date.now() - 1_000), offsetMs: 1, ...FAILED });
  await service.attempt(succeeded, { attemptedAt: new Date(), offsetMs: 1 });
  const idsOf = async (...args: string[]) =>
    (await run(["logs", "--json", ...args])).json().map(({ schedule_id }) => schedule_id);
  expect(await idsOf()).toEqual([succeeded, failed]);
  expect(await idsOf("--outcome", "failed", "--since", "1h")).toEqual([failed]);
  expect(await idsOf("--schedule", succeeded, "--code", "2xx")).toEqual([succeeded]);
});

it("logs --measured prints the first attempts alone, and --late is then of their schedules", async () => {
  const { run, create } = await service.account();
  const [late, retried] = [await create(), await create()];
  await service.attempt(late, { attemptedAt: new Date(Date.now() - 1_000), offsetMs: 300 });
  await service.attempt(retried, { attemptedAt: new Date(Date.now() - 2_000), offsetMs: 1, ...FAILED });
  await service.attempt(retried, { attemptedAt: new Date(), offsetMs: 1 });
  const triesOf = async (...args: string[]) =>
    (await run(["logs", "--json", "--measured", ...args])).json().map((it) => [it.schedule_id, it.attempt]);
  expect(await triesOf()).toEqual([
    [late, 1],
    [retried, 1],
  ]);
  expect(await triesOf("--late", "250..")).toEqual([[late, 1]]);
});

it("logs --follow prints the last ones, then each new one once, and ends with 130 at Ctrl-C", async () => {
  const { settings, create } = await service.account();
  const [first, second, third] = [await create(), await create(), await create()];
  await service.attempt(first, { attemptedAt: new Date(Date.now() - 60_000), offsetMs: 1 });
  const child = startCli(["logs", "--follow", "--json"], { env: settings });
  const seen: string[] = [];
  createInterface(child.stdout).on("line", (line) => seen.push(JSON.parse(line).schedule_id));
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  await waitFor("the last one", () => seen.length === 1);
  await service.attempt(second, { attemptedAt: new Date(), offsetMs: 1 });
  await waitFor("a new one", () => seen.length === 2);
  // One that took long appears behind others.
  await service.attempt(third, { attemptedAt: new Date(Date.now() - 20_000), offsetMs: 1 });
  await waitFor("one that took long", () => seen.length === 3, 20_000);
  child.kill("SIGINT");
  const code = await new Promise((resolve) => child.once("close", resolve));
  expect({ code, stderr, seen }).toEqual({ code: 130, stderr: "", seen: [first, second, third] });
});

it("usage and punctuality print their figures", async () => {
  const { run, create } = await service.account();
  await create();
  const usage = await run(["usage"]);
  expect(usage).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/\nscheduled +1 of 1000\npayload +51200 bytes at most\n/),
  });
  const punctuality = await run(["punctuality", "--json"]);
  expect([punctuality.code, punctuality.json()]).toEqual([0, [expect.objectContaining({ window: "24h" })]]);
});

it.each([
  ["an end of what has no end", ["--follow", "--to", "2031-01-01T00:00:00Z"], "--to has no meaning with --follow"],
  ["an id of another kind", ["--schedule", "op_01kxyz5n3h8q2v7c4m9t6w0b1d"], "--schedule is the id of an operation"],
  ["an outcome that does not exist", ["--outcome", "dead"], "--outcome"],
])("logs ends with 2 for %s", async (_, args, problem) => {
  await expectRefused(service, ["logs", ...args], problem);
});
