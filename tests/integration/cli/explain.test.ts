import { afterAll, beforeAll, expect, it } from "vitest";
import { waitFor } from "#tests/helpers/wait-for.ts";
import { startDeliveringService } from "./delivering-service.ts";

let service: Awaited<ReturnType<typeof startDeliveringService>>;
beforeAll(async () => {
  service = await startDeliveringService();
});
afterAll(() => service?.stop());

it("tells of a real delivery where the time went, what the target said and what comes next", async () => {
  const { run, caller } = await service.account();
  service.receiver.respond((_request, response) => response.writeHead(503).end("try\nlater \u001b[31m"));
  const { body } = await service.api.call("POST", "/v1/schedules", caller.test, {
    targetUrl: `${service.receiver.origin}/hook`,
    fireIn: "1s",
    payload: "{}",
  });
  const read = async () => (await service.api.call("GET", `/v1/schedules/${body.id}`, caller.test)).body;
  await waitFor("the attempt has failed", async () => (await read()).status === "failed");

  const { code, stdout, stderr } = await run(["explain", body.id]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/ has failed so far, and will be tried again\.\n/);
  expect(stdout).toMatch(
    /\nAttempt 1, \S+ \S+ Europe\/Berlin: refused, 503 after \d+ ms\.\n {2}It began .+ after it was due\.\n/,
  );
  expect(stdout).toMatch(/\n {2}The target began to answer .+ after the request's first byte had left.*\n/);
  expect(stdout).toContain("\n  The target said “try later [31m”.\n");
  expect(stdout).toMatch(/\nNext: an attempt at .+ \(in \d+ s\)\.\n/);

  const { json } = await run(["explain", "--json", body.id]);
  expect(json()).toEqual([{ id: body.id, status: "failed", lines: expect.any(Array) }]);
});
