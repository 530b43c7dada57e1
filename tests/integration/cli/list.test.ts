import { afterAll, beforeAll, expect, it } from "vitest";
import { startCli } from "#tests/helpers/cli-process.ts";
import { FUTURE } from "../api/api.ts";
import { expectRefused } from "./bad-input.ts";
import { type CliService, startCliService } from "./service.ts";

let service: CliService;
beforeAll(async () => {
  service = await startCliService();
});
afterAll(() => service?.stop());

it("prints schedules as a table, with the zone of its times, and says how many there are", async () => {
  const { run, create } = await service.account();
  const ids = [await create(), await create({ targetUrl: "https://example.com/other", method: "PUT" })];
  const { code, stdout, stderr } = await run(["list", "--limit", "1"]);
  expect(code).toBe(0);
  const [titles, row, ...rest] = stdout.trimEnd().split("\n");
  expect(titles).toMatch(/^ID +STATUS +DUE \(Europe\/Berlin\) +LATE MS +TRIES +REQUEST$/);
  expect(row).toMatch(
    new RegExp(`^${ids[1]}  scheduled  2031-01-01 01:00:00.000 +- +0  PUT https://example.com/other$`),
  );
  expect(rest).toEqual([]);
  expect(stderr).toBe("These are 1 of 2: --limit or --all prints more.\n");
});

it("prints every row once, over pages, with --all", async () => {
  const { run, caller } = await service.account();
  const schedules = Array.from({ length: 100 }, () => ({ targetUrl: "https://example.com/", fireAt: FUTURE }));
  for (const batch of [schedules, schedules.slice(0, 5)]) {
    await service.api.call("POST", "/v1/schedules/bulk", caller.test, { schedules: batch });
  }
  const { code, stderr, json } = await run(["list", "--all", "--json"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(new Set(json().map(({ id }) => id)).size).toBe(105);
});

it("prints those that match, in the order that is asked for", async () => {
  const { run, create } = await service.account();
  const id = await create({ targetUrl: "https://example.com/a", fireAt: "2031-01-02T00:00:00Z" });
  await create({ targetUrl: "https://example.com/b" });
  const earlier = await create({ targetUrl: "https://example.com/a" });
  const filter = ["--status", "scheduled,dead", "--q", "com/a", "--from", FUTURE, "--to", "2031-02-01T00:00:00Z"];
  const { json } = await run(["list", "--json", "--sort", "fire_at", ...filter]);
  expect(json().map((schedule) => schedule.id)).toEqual([earlier, id]);
});

it("says that there are none, on stderr alone", async () => {
  const { run } = await service.account();
  expect(await run(["list", "--since", "1h", "--json"])).toMatchObject({
    code: 0,
    stdout: "",
    stderr: "There are none.\n",
  });
});

it("ends without a message when its output is closed", async () => {
  const { settings, create } = await service.account();
  await create();
  const child = startCli(["list"], { env: settings });
  child.stdout.destroy();
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const code = await new Promise((resolve) => child.once("close", resolve));
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
});

it("ends with 2 for a status that does not exist, and names the option", async () => {
  await expectRefused(service, ["list", "--status", "waiting"], "--status must be of scheduled, firing");
});
