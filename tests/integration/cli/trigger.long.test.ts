// Guards: cli/src/trigger/**, cli/src/verbs/trigger.ts, cli/src/explain/**, cli/src/input/payload*.ts, cli/src/input/parse-*.ts, cli/src/verify/**
// Final: its verdict is about what was sent, and how often.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifySignature } from "../../../sdk/src/index.ts";
import { startDeliveringService } from "./delivering-service.ts";

let service: Awaited<ReturnType<typeof startDeliveringService>>;
beforeAll(async () => {
  service = await startDeliveringService();
});
afterAll(() => service?.stop());

const target = () => `${service.receiver.origin}/hook`;

it("sends one signed delivery with what was given, and prints its attempt", async () => {
  const { run, caller } = await service.account();
  const args = ["trigger", "--to", target(), "--json", '{"order": 7}', "--header", "X-Shop: 7"];
  const { code, stdout, stderr } = await run(args);
  expect(code).toBe(0);
  expect(stderr).toMatch(/sch_\w{26} is due in 1s; waiting for its attempt\n$/);
  expect(stdout).toMatch(/^sch_\w{26}\nAttempt 1, .+: delivered, 200 after \d+ ms\.\n {2}It began .+ due\.\n/);
  const request = service.receiver.requests.at(-1);
  expect(request?.headers["x-shop"]).toBe("7");
  const { current } = (await service.api.call("GET", "/v1/signing-secrets", caller.test)).body;
  const delivery = await verifySignature(
    { headers: request?.headers ?? {}, body: request?.body ?? "" },
    { secrets: [current] },
  );
  expect(delivery.text()).toBe('{"order": 7}');
});

it("what the receiver got passes verify as it came, and not with a newline more", async () => {
  const { run } = await service.account();
  await run(["trigger", "--to", target(), "--payload", "grüße"]);
  const { rawHeaders = [], body = Buffer.alloc(0) } = service.receiver.requests.at(-1) ?? {};
  const lines = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${rawHeaders[at + 1]}`] : []));
  const request = Buffer.concat([Buffer.from(`POST /hook HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`), body]);
  const right = await run(["verify", "-", "--json"], { stdin: request });
  expect(right.code).toBe(0);
  expect(right.json()).toMatchObject([{ fits: true, secret: "the current secret of test", problems: [] }]);
  const wrong = await run(["verify", "-", "--json"], { stdin: Buffer.concat([request, Buffer.from("\n")]) });
  expect(wrong.code).toBe(1);
  expect(wrong.json()).toMatchObject([{ fits: false, problems: [{ code: "trailing_newline" }] }]);
});

it("sends JSON where no payload was given, and one line of JSON for programs", async () => {
  const { run } = await service.account();
  const { code, json } = await run(["trigger", "--to", target(), "--output", "json"]);
  expect(code).toBe(0);
  expect(json()).toMatchObject([{ schedule_id: expect.stringMatching(/^sch_/), attempt: 1, status_code: 200 }]);
  expect(service.receiver.requests.at(-1)).toMatchObject({ method: "POST", body: Buffer.from('{"test":true}') });
});

it("sends once: what the receiver refuses is not tried again, and it ends with 1", async () => {
  const { run, caller } = await service.account();
  service.receiver.respond((_, response) => response.writeHead(401).end("bad signature"));
  const { code, stdout, stderr } = await run(["trigger", "--to", target()]);
  service.receiver.respond((_, response) => response.end("ok"));
  expect(code).toBe(1);
  expect(stdout).toContain("The target said “bad signature”.\n  Is it the signature? `stopwatch verify`");
  expect(stderr).toContain("no retry follows");
  const [id] = stdout.split("\n");
  expect((await service.api.call("GET", `/v1/schedules/${id}`, caller.test)).body.status).toBe("cancelled");
});

describe("ends with 2, and sends nothing", () => {
  it.each([
    ["no address", [], "--to is missing"],
    ["no http(s) address", ["--to", "ftp://example.com"], "--to must be an http(s) address"],
    ["credentials in the address", ["--to", "https://me:pw@example.com"], "--to must have no credentials"],
    [
      "two payloads",
      ["--to", "https://example.com", "--json", "1", "--payload", "1"],
      "--payload must not stand beside --json",
    ],
  ])("%s", async (_, args, problem) => {
    const { run } = await service.account();
    const before = service.requests.length;
    const { code, stdout, stderr } = await run(["trigger", ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(problem);
    expect(service.requests.length).toBe(before);
  });

  it("a target that the service does not allow", async () => {
    const { run } = await service.account();
    const { code, stderr } = await run(["trigger", "--to", "https://192.168.1.1/hook"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^stopwatch: --to must .+\n {2}Example: stopwatch trigger --to /);
  });

  it("a live key without --yes where there is no terminal; with it, it is sent", async () => {
    const { run } = await service.account("live");
    const before = service.requests.length;
    const refused = await run(["trigger", "--to", target()]);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("This is a live key") });
    expect(service.requests.length).toBe(before);
    expect(await run(["trigger", "--to", target(), "--yes"])).toMatchObject({ code: 0 });
  });
});
