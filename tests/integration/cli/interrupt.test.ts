import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startCli } from "#tests/helpers/cli-process.ts";
import { waitFor } from "#tests/helpers/wait-for.ts";
import { type CliService, startCliService } from "./service.ts";

let service: CliService;
beforeAll(async () => {
  service = await startCliService();
});
afterAll(() => service?.stop());

it("Ctrl-C stops an operation that is under way, says how far it came, and ends with 130", async () => {
  const { settings, create, caller } = await service.account();
  await create();
  // No dispatcher runs, so it stays under way.
  const child = startCli(["cancel", "--status", "scheduled", "--yes"], { env: settings });
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  await waitFor("it follows the operation", () =>
    service.requests.some((call) => call.startsWith("GET /v1/operations/op_")),
  );
  child.kill("SIGINT");
  const code = await new Promise((resolve) => child.once("close", resolve));
  const [stdout, stderr] = await output;
  expect({ code, stdout }).toEqual({ code: 130, stdout: "" });
  expect(stderr).toMatch(/^Stopped the operation op_\w{26} after 0 of 1\.\n$/);
  expect((await service.api.call("GET", "/v1/operations", caller.test)).body.items).toMatchObject([
    { status: "stopped" },
  ]);
});
