import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FUTURE, TARGET } from "../api/api.ts";
import { expectRefused } from "./bad-input.ts";
import { startCliService } from "./service.ts";

let service: Awaited<ReturnType<typeof startCliService>>;
beforeAll(async () => {
  service = await startCliService();
});
afterAll(() => service?.stop());

async function schedules(count: number) {
  const account = await service.account();
  const ids: string[] = [];
  for (let index = 0; index < count; index++) {
    const { body } = await service.api.call("POST", "/v1/schedules", account.caller.test, {
      targetUrl: TARGET,
      fireAt: FUTURE,
      payload: "1",
    });
    ids.push(body.id);
  }
  return { ...account, ids };
}

it("prints a schedule with times by the clock of this machine, and its zone", async () => {
  const { run, ids } = await schedules(1);
  const { code, stdout, stderr } = await run(["get", ...ids]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain(`id        ${ids[0]}\nstatus    scheduled\nrequest   POST ${TARGET}\npayload   1 byte\n`);
  expect(stdout).toContain("due       2031-01-01 01:00:00.000 +01:00 (Europe/Berlin)\n");
});

it("prints schedules named on stdin, by ids or by what it printed itself, one object a line", async () => {
  const { run, ids } = await schedules(2);
  const first = await run(["get", "--json", "-"], { stdin: `${ids[0]}\n\n${ids[1]}\r\n` });
  expect(first.json().map(({ id }) => id)).toEqual(ids);
  const again = await run(["get", "-", "--output", "json"], { stdin: first.stdout });
  expect(again.stdout).toBe(first.stdout);
});

describe("ends with 2, names the argument, and sends nothing", () => {
  it.each([
    ["an id of another kind", ["op_01kxyz5n3h8q2v7c4m9t6w0b1d"], "", "ID is the id of an operation, not of a schedule"],
    ["a bad line of stdin", ["-"], "\nsch_1\n", "ID in line 2 of stdin must be the id of a schedule"],
    ["no argument", [], "", "missing required argument 'ID'"],
    ["an unknown option", ["--jsn", "sch_1"], "", "unknown option '--jsn' (Did you mean --json?)"],
    ["another form of output", ["-o", "yaml", "sch_1"], "", "argument 'yaml' is invalid"],
  ])("%s", async (_, args, stdin, problem) => {
    await expectRefused(service, ["get", ...args], problem, stdin);
  });
});

it("ends with 4 for a schedule that does not exist", async () => {
  const { run } = await service.account();
  const { code, stderr } = await run(["get", "sch_01kxyz5n3h8q2v7c4m9t6w0b1d"]);
  expect(code).toBe(4);
  expect(stderr).toMatch(/\(NOT_FOUND\)\n {2}Fix: check the id; .*\n {2}Request id: \S+\n$/);
});
