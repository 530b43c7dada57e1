// Guards: cli/src/listen/**, cli/src/verbs/listen.ts, domain/listen-origin.ts
import { resolve } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { generateApiKey } from "#domain/api-key.ts";
import { type Receiver, startReceiver } from "#scripts/lab/receiver.ts";
import { buildCli } from "#tests/helpers/cli-process.ts";
import { type FakeListenService, startFakeListenService } from "#tests/helpers/fake-listen-service.ts";
import { type ListenProcess, startListen } from "#tests/helpers/listen-process.ts";
import { startOnTerminal } from "#tests/helpers/terminal.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const KEY = generateApiKey("test");
let service: FakeListenService;
let local: Receiver;
let running: ListenProcess[] = [];
/** The totals of lists, by status. */
let totals: Record<string, number>;

beforeAll(() => buildCli());
beforeEach(async () => {
  totals = {};
  service = await startFakeListenService();
  service.replyToCalls((_method, path) => replyToRead(path));
  local = await startReceiver({ tls: false });
});
afterEach(async () => {
  await Promise.all(running.map((listen) => listen.kill()));
  running = [];
  await local.close();
  await service.close();
});

/** What the service answers to the reads beside a stream. */
function replyToRead(path: string) {
  if (path === "/v1/signing-secrets") return { status: 200, body: { current: SECRET, next: SECRET, rotated_at: null } };
  const status = new URL(path, "http://service").searchParams.get("status") ?? "";
  const items = { items: [], total: totals[status] ?? 0, limit: 1, offset: 0, next_cursor: null };
  return path.startsWith("/v1/schedules?") ? { status: 200, body: items } : { status: 404 };
}

function start(args: string[] = ["--to", `${local.origin}/hook`], env: Record<string, string> = {}) {
  const listen = startListen(args, { STOPWATCH_API_KEY: KEY, STOPWATCH_URL: service.url, ...env });
  running.push(listen);
  return listen;
}

async function ready(...args: Parameters<typeof start>) {
  const listen = start(...args);
  const stream = await service.stream(0);
  stream.ready();
  await listen.says(/^Ready/m);
  return { listen, stream };
}

describe("Ready", () => {
  it("is said only after the service has said so, with what it takes and the end of the secret", async () => {
    const listen = start(["--to", `${local.origin}/hook`, "--path", "/a/", "--path", "/b", "--all"]);
    const stream = await service.stream(0);
    stream.beat();
    expect([...stream.query]).toEqual([...[["scope", "all"]], ...[["path", "/a/"]], ...[["path", "/b"]]]);
    expect(listen.stderr()).not.toContain("Ready");
    stream.ready();
    await listen.says(/secret.*\n/);
    expect(listen.stderr()).toBe(
      [
        "Ready",
        `  installation  ${service.url}`,
        "  scope         all: every test delivery of the account",
        "  path          /a/, /b",
        `  goes to       ${local.origin}/hook`,
        "  secret        …LaSw\n",
      ].join("\n"),
    );
  });

  it("is not said while the service refuses, and the reason is", async () => {
    service.refuse({ status: 409, code: "CONFLICT", message: "5 listeners are connected" });
    const listen = start();
    await listen.says(
      /^Not listening: the service says: 5 listeners are connected \(CONFLICT\)\. Next try in 0\.\d s\.$/m,
    );
    expect(listen.stderr()).not.toContain("Ready");
    service.refuse();
    (await service.stream(0)).ready();
    await listen.says(/^Ready\n {2}installation /m);
  });

  it("says what a listener missed, once, and how to replay what died", async () => {
    totals = { failed: 2, dead: 1 };
    const { listen, stream } = await ready();
    const missed = `2 wait for a retry, 1 died: stopwatch replay --since 1h --q https://listen.invalid/`;
    await listen.says(new RegExp(`^${missed}$`, "m"));
    stream.cut();
    (await service.stream(1)).ready();
    await listen.says(/^Ready again after \d\.\d s\.$/m);
    expect(listen.stderr().split(missed)).toHaveLength(2);
  });

  it("names a local server that does not answer, before any delivery", async () => {
    const { port } = local;
    await local.close();
    const { listen } = await ready(["--to", `http://localhost:${port}/hook`]);
    await listen.says(new RegExp(`^localhost:${port} refused; is your server running\\?$`, "m"));
  });
});

describe("a delivery", () => {
  it("is one line: time, method, path, status, local ms, attempt and lateness", async () => {
    const { listen, stream } = await ready();
    const { id } = stream.deliver({ path: "/hooks/a?x=1", body: Buffer.from("hello").toString("base64") });
    const answer = await service.answer(0);
    expect(answer).toMatchObject({ id, body: { listener: "lsn_1", status: 200, latency_ms: expect.any(Number) } });
    await listen.writes(
      /^\d\d:\d\d:\d\d\.\d{3} {2}POST {2}\/hooks\/a\?x=1 {2}200 {2}\d+ ms {2}attempt 1 {2}-?\d+ ms (late|early)\n$/,
    );
    expect(local.requests).toMatchObject([{ path: "/hook?x=1", body: Buffer.from("hello") }]);
  });

  it("that fails says why, on its line and to the service", async () => {
    const { listen, stream } = await ready();
    await local.close();
    stream.deliver({ attempt: 2 });
    expect((await service.answer(0)).body).toEqual({ listener: "lsn_1", error: "ECONNREFUSED" });
    await listen.writes(/ {2}--- {2}\d+ ms {2}attempt 2 {2}localhost:\d+ refused; is your server running\?\n$/);
  });

  it("is one object on stdout with --json, and messages stay on stderr", async () => {
    const { listen, stream } = await ready(["--to", local.origin, "--json"]);
    const { schedule_id } = stream.deliver();
    await listen.writes(/"type":"delivery".*\n/);
    const lines = listen.stdout().trim().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { type: "ready", scope: "reserved", paths: [], url: service.url },
      { type: "delivery", schedule_id, attempt: 1, method: "POST", status: 200, error: null, recorded: true },
    ]);
    expect(listen.stderr()).toMatch(/^Ready/);
  });

  it("goes to a command with --exec, whose exit code is its answer", async () => {
    const { listen, stream } = await ready([
      "--exec",
      'read body; echo "$STOPWATCH_METHOD $body" >&2; [ "$body" = good ]',
    ]);
    stream.deliver({ body: Buffer.from("good\n").toString("base64") });
    expect((await service.answer(0)).body).toMatchObject({ status: 200 });
    stream.deliver({ body: Buffer.from("bad\n").toString("base64") });
    expect((await service.answer(1)).body).toMatchObject({ status: 500, body: "POST bad\n" });
    expect(listen.stderr()).toContain("POST good\n");
  });
});

describe("the end", () => {
  it.each([
    [200, 0],
    [204, 0],
    [302, 1],
    [500, 1],
  ])("comes after one delivery with --once, answered %i, with exit code %i", async (status, code) => {
    local.respond((_, response) => response.writeHead(status).end());
    const { listen, stream } = await ready(["--to", local.origin, "--once"]);
    stream.deliver();
    stream.deliver();
    expect(await listen.exited).toBe(code);
    expect([local.requests.length, service.answers.length]).toEqual([1, 1]);
  });

  it("comes at once with Ctrl-C, and exit code 130", async () => {
    const { listen } = await ready();
    listen.child.kill("SIGINT");
    expect(await listen.exited).toBe(130);
  });

  it("waits for an answer that is under way, and sends it", async () => {
    const held = Promise.withResolvers<void>();
    local.respond((_, response) => void held.promise.then(() => response.writeHead(201).end()));
    const { listen, stream } = await ready();
    stream.deliver();
    const request = () => local.requests.length === 1;
    await listen.waits("the local server is asked", request);
    listen.child.kill("SIGINT");
    await listen.waits("the stream is closed", () => stream.isClosed());
    held.resolve();
    expect(await listen.exited).toBe(130);
    expect(service.answers).toMatchObject([{ body: { status: 201 } }]);
  });

  it("does not wait for a local server that hangs, and says what it gave up", async () => {
    local.respond(() => {});
    const { listen, stream } = await ready();
    stream.deliver();
    await listen.waits("the local server is asked", () => local.requests.length === 1);
    const interruptedAtMs = performance.now();
    listen.child.kill("SIGINT");
    expect(await listen.exited).toBe(130);
    expect(performance.now() - interruptedAtMs).toBeLessThan(5_000);
    expect(listen.stderr()).toContain("1 not answered any more: it is attempted again later.");
    expect(service.answers).toEqual([]);
  });

  it.each([
    [401, "UNAUTHORIZED"],
    [403, "FORBIDDEN"],
  ])("comes with exit code 3 when the service answers %i", async (status, code) => {
    service.refuse({ status, code, message: "No", headers: { "X-Request-Id": "req_1" } });
    const listen = start();
    expect(await listen.exited).toBe(3);
    expect(listen.stderr()).toMatch(new RegExp(`^stopwatch: No \\(${code}\\)\n {2}Fix: .*\n {2}Request id: req_1\n$`));
  });

  it("comes with exit code 3 when the key is revoked while it listens", async () => {
    const { listen, stream } = await ready();
    stream.goodbye("revoked", 0);
    expect(await listen.exited).toBe(3);
    expect(listen.stderr()).toContain("The key was revoked, or its account is no longer active (UNAUTHORIZED)");
  });

  it("comes with exit code 3 for a live key, before anything is sent", async () => {
    const listen = start(undefined, { STOPWATCH_API_KEY: generateApiKey("live") });
    expect(await listen.exited).toBe(3);
    expect(listen.stderr()).toContain("this is a live key");
    expect(service.streams).toEqual([]);
  });
});

describe("on a terminal", () => {
  const onTerminal = () => {
    const env = { STOPWATCH_API_KEY: KEY, STOPWATCH_URL: service.url };
    const command = [process.execPath, resolve("cli/dist/stopwatch.js"), "listen", "--to", local.origin];
    const terminal = startOnTerminal(command, { env });
    onTestFinished(() => terminal.answer("", "\u0003"));
    return terminal;
  };

  it("r replays the last delivery, o prints its body without what a terminal obeys, and q ends", async () => {
    const replays: string[] = [];
    service.replyToCalls((method, path) => {
      if (method !== "POST") return replyToRead(path);
      replays.push(path);
      return { status: 201, body: { id: "sch_01kxyz5n3h8q2v7c4m9t6w0b1e" } };
    });
    const { answer, ended } = onTerminal();
    const stream = await service.stream(0);
    stream.ready();
    await answer("keys          r replays the last delivery", "r");
    await answer("No delivery has come yet.", "");
    const { schedule_id } = stream.deliver({ body: Buffer.from('{"a":"ä\u001b[2J"}\n').toString("base64") });
    await answer(/ {2}200 {2}/, "o");
    await answer(/\{"a":"ä\ufffd\[2J"\}/, "r");
    await answer(/Replaying sch_\w+ as sch_01kxyz5n3h8q2v7c4m9t6w0b1e\./, "xq");
    const { code, raw } = await ended;
    expect(code).toBe(0);
    expect(raw).toContain("\u001b[32m200");
    expect(replays).toEqual([`/v1/schedules/${schedule_id}/replay`]);
  });

  it("Ctrl-C ends it with exit code 130", async () => {
    const { answer, ended } = onTerminal();
    (await service.stream(0)).ready();
    await answer("secret", "\u0003");
    expect((await ended).code).toBe(130);
  });
});

it.each([
  [["--to", "localhost:3000"], "--to must be the http or https address"],
  [["--too", "http://localhost"], "unknown option '--too'"],
])("ends with 2, an example, and nothing sent, for %j", async (args, problem) => {
  const listen = start(args);
  expect(await listen.exited).toBe(2);
  expect([listen.stdout(), service.streams]).toEqual(["", []]);
  expect(listen.stderr()).toContain(problem);
  expect(listen.stderr()).toMatch(/\n {2}Example: stopwatch listen /);
});
