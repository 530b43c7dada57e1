import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { Delivery } from "../../../../cli/src/listen/delivery.ts";
import { runCommand } from "../../../../cli/src/listen/run-command.ts";
import { waitFor } from "../../../helpers/wait-for.ts";
import { isAlive } from "../../../integration/scripts/script-process.ts";

function run(command: string, given: Partial<Delivery> = {}, signal = new AbortController().signal) {
  const said: Buffer[] = [];
  const delivery: Delivery = {
    id: "exc_a",
    scheduleId: "sch_a",
    attempt: 2,
    deadlineMs: 0,
    method: "POST",
    path: "/a?b=c",
    headers: [],
    body: Buffer.alloc(0),
    ...given,
  };
  const env = { PATH: "/usr/bin:/bin", HOME: "/nowhere" };
  const answer = runCommand(command, delivery, signal, { env, onStderr: (chunk) => void said.push(chunk) });
  return { answer, said: () => Buffer.concat(said).toString() };
}

describe("a command for deliveries", () => {
  test("gets the body on its stdin, byte for byte", async () => {
    const body = Buffer.from(Array.from({ length: 100_000 }, (_, at) => at % 256));
    const { answer } = run("sha256sum; exit 1", { body });
    const digest = createHash("sha256").update(body).digest("hex");
    expect(await answer).toMatchObject({ body: `${digest}  -\n`, latency_ms: expect.any(Number) });
  });

  test("gets headers and the rest as variables, and what it had", async () => {
    const headers: [string, string][] = [
      ["X-Service-Attempt", "2"],
      ["Proxy", "http://evil.example"],
      ["content-type", "text/plain; a='$(id)'"],
    ];
    const { answer } = run(
      'echo "$STOPWATCH_HEADER_X_SERVICE_ATTEMPT|$STOPWATCH_HEADER_PROXY|$STOPWATCH_HEADER_CONTENT_TYPE|$HTTP_PROXY|$STOPWATCH_METHOD|$STOPWATCH_PATH|$STOPWATCH_SCHEDULE_ID|$STOPWATCH_ATTEMPT|$HOME"; exit 1',
      { headers },
    );
    const said = "2|http://evil.example|text/plain; a='$(id)'||POST|/a?b=c|sch_a|2|/nowhere\n";
    expect(await answer).toMatchObject({ status: 500, body: said });
  });

  test("is 200 with exit code 0, and else 500 with what it wrote", async () => {
    expect(await run("echo fine").answer).toMatchObject({ status: 200, body: undefined });
    expect(await run("exit 7").answer).toMatchObject({ status: 500, body: "exit code 7" });
    expect(await run("kill -9 $$").answer).toMatchObject({ status: 500 });
    expect(await run("no-such-command-here").answer).toMatchObject({
      status: 500,
      body: expect.stringContaining("not found"),
    });
    const told = run("echo out; echo err >&2; exit 1");
    expect((await told.answer) as object).toMatchObject({ body: expect.stringContaining("err") });
    expect(told.said()).toBe("err\n");
    const long = (await run("yes | head -c 100000; exit 1").answer) as { body: string };
    expect(long.body).toHaveLength(8 * 1024);
  });

  test("need not read its stdin", async () => {
    expect(await run("exit 0", { body: Buffer.alloc(300_000) }).answer).toMatchObject({ status: 200 });
  });

  test("ends with what it started when the attempt is given up", async () => {
    const giveUp = new AbortController();
    const { answer, said } = run("sleep 300 & echo $! >&2; wait", {}, giveUp.signal);
    const pid = Number(await waitFor("it has started another", () => said().trim()));
    giveUp.abort();
    expect(await answer).toEqual({ error: "ABORT_ERR" });
    await waitFor("that has ended too", () => !isAlive(pid));
  });
});
