import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { serveHttp } from "#scripts/lab/http-server.ts";
import { createSdkProject, type SdkProject } from "#tests/helpers/sdk-project.ts";
import { waitFor } from "#tests/helpers/wait-for.ts";
import { type CreateInput, type Schedule, Stopwatch } from "../../../sdk/src/index.ts";
import { type Delivery, receiveNode } from "../../../sdk/src/receive.ts";
import { KEY, startFakeService } from "./fake-service.ts";

const warned = vi.spyOn(console, "warn").mockImplementation(() => {});

let project: SdkProject;

// It builds the package, from which a client loads the fake.
beforeAll(async () => {
  project = await createSdkProject("https://stopwatch.example.com");
});
afterAll(() => project?.remove());
beforeEach(() => vi.stubEnv("STOPWATCH_DEV", "1"));
afterEach(() => vi.unstubAllEnvs());

async function serve(handle: (request: IncomingMessage, response: ServerResponse) => unknown): Promise<string> {
  const { origin, close } = await serveHttp(handle);
  onTestFinished(close);
  return origin;
}

/** A receiver without configuration, and what it has taken. */
async function serveReceiver() {
  const taken: Delivery[] = [];
  const onDelivery = (delivery: Delivery) => taken.push(delivery);
  const origin = await serve(receiveNode({ secrets: [undefined, undefined], onDelivery }));
  return { url: `${origin}/hook`, taken };
}

/** Stores a schedule for tomorrow, and sends it now. */
async function fireNow(input: Omit<CreateInput, "fireAt" | "fireIn" | "fireAtLocal">): Promise<string> {
  const client = new Stopwatch();
  const { id } = await client.schedules.create({ ...input, fireIn: "24h" } as CreateInput);
  await client.schedules.fire(id);
  return id;
}

/** The schedule, once it is as expected. */
const until = (id: string, isSo: (schedule: Schedule) => boolean) =>
  waitFor("the attempt has ended", async () => {
    const schedule = await new Stopwatch().schedules.get(id);
    return isSo(schedule) && schedule;
  });

const ended = (id: string) => until(id, ({ end_reason, status }) => end_reason !== null || status === "succeeded");

describe("in development a client", () => {
  it("needs neither key nor address, ignores those of the environment, and shares one fake with every copy of the package", async () => {
    vi.stubEnv("STOPWATCH_URL", "http://127.0.0.1:9");
    vi.stubEnv("STOPWATCH_API_KEY", "mistyped");
    const dist = (file: string) => import(join(project.folder, "node_modules/stopwatch-sdk/dist", file));
    const { Stopwatch: Copy } = (await dist("index.js")) as { Stopwatch: typeof Stopwatch };
    const { id } = await new Stopwatch().schedules.create({ targetUrl: "https://example.com/", fireIn: "24h" });
    expect((await new Copy("any key").schedules.get(id)).id).toBe(id);
    const said = warned.mock.calls.flat().filter((line) => String(line).includes("STOPWATCH_DEV is 1"));
    expect(said).toEqual([expect.stringContaining("in this process alone")]);
  });

  it("says by its address that it is not that of a service", () => {
    expect(new Stopwatch()).toMatchObject({ baseUrl: "https://stopwatch.invalid", env: "test" });
  });

  it("calls the service all the same where the code gives its address", async () => {
    const service = await startFakeService();
    onTestFinished(service.stop);
    service.answer((_request, response) => response.end("{}"));
    await new Stopwatch(KEY, { baseUrl: service.origin }).usage();
    expect(service.requests.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ["/v1/usage", `Bearer ${KEY}`],
    ]);
  });
});

describe("in development a delivery", () => {
  it("arrives at its instant, not before, and a receiver without configuration verifies it", async () => {
    const { url, taken } = await serveReceiver();
    const client = new Stopwatch();
    const { id, fire_at } = await client.schedules.create({ targetUrl: url, fireIn: "1s", json: { order: 81 } });
    const delivery = await waitFor("the delivery", () => taken[0]);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(fire_at));
    expect([delivery.scheduleId, delivery.json(), delivery.unsigned.attempt]).toEqual([id, { order: 81 }, 1]);
    const schedule = await ended(id);
    expect(schedule).toMatchObject({ status: "succeeded", attempts: 1, last_status_code: 200 });
    expect(schedule.offset_ms).toBeGreaterThanOrEqual(0);
    expect(taken).toHaveLength(1);
  });

  it("is tried again after a failure, when the schedule says", async () => {
    const attempts: unknown[] = [];
    const origin = await serve((request, response) => {
      attempts.push(request.headers["x-service-attempt"]);
      response.writeHead(attempts.length === 1 ? 500 : 204).end(attempts.length === 1 ? "not yet" : undefined);
    });
    const id = await fireNow({ targetUrl: origin, delivery: { retryDelaysMs: [1_000] } });
    expect(await ended(id)).toMatchObject({ status: "succeeded", attempts: 2 });
    expect(attempts).toEqual(["1", "2"]);
    const { items } = await new Stopwatch().schedules.attempts(id);
    expect(items.map(({ status_code, error_text }) => [status_code, error_text])).toEqual([
      [500, "not yet"],
      [204, ""],
    ]);
    const [first, second] = items.map(({ attempted_at }) => Date.parse(attempted_at));
    expect(Number(second) - Number(first)).toBeGreaterThanOrEqual(1_000);
  });

  it("is not held up by another one that has no answer yet", async () => {
    const { url, taken } = await serveReceiver();
    const origin = await serve(async (_request, response) => {
      await fireNow({ targetUrl: url, json: "inner" });
      await waitFor("the inner delivery", () => taken[0]);
      response.end();
    });
    const id = await fireNow({ targetUrl: origin });
    expect(await ended(id)).toMatchObject({ status: "succeeded" });
  });

  it("waits while a hundred others are under way, and is made then", async () => {
    const waiting: ServerResponse[] = [];
    let most = 0;
    let isHeld = true;
    const origin = await serve((_request, response) => {
      waiting.push(response);
      most = Math.max(most, waiting.length);
      if (!isHeld) for (const one of waiting.splice(0)) one.end();
    });
    const ids = await Promise.all(Array.from({ length: 120 }, () => fireNow({ targetUrl: origin })));
    await waitFor("a hundred requests", () => waiting.length === 100);
    isHeld = false;
    for (const one of waiting.splice(0)) one.end();
    for (const id of ids) expect(await ended(id)).toMatchObject({ status: "succeeded", attempts: 1 });
    expect(most).toBe(100);
  });

  it("to another machine is not sent, and its attempt says why", async () => {
    const sent = vi.spyOn(globalThis, "fetch");
    onTestFinished(() => sent.mockRestore());
    const id = await fireNow({ targetUrl: "https://example.com/hook" });
    const schedule = await ended(id);
    expect(schedule).toMatchObject({ status: "dead", end_reason: "blocked", attempts: 1, last_status_code: null });
    expect(schedule.last_error).toContain("STOPWATCH_DEV sends to this machine only");
    expect(sent).not.toHaveBeenCalled();
    expect(warned).toHaveBeenCalledWith(expect.stringContaining(`${id} failed: blocked`));
  });

  it("does not follow a redirect", async () => {
    const paths: unknown[] = [];
    const origin = await serve((request, response) => {
      paths.push(request.url);
      response.writeHead(307, { Location: "/other" }).end();
    });
    const id = await fireNow({ targetUrl: `${origin}/hook`, delivery: { retryDelaysMs: [] } });
    expect(await ended(id)).toMatchObject({ status: "dead", last_status_code: 307 });
    expect(paths).toEqual(["/hook"]);
  });

  it("fails in the words of the service where nothing listens, or nothing is answered in time", async () => {
    const retryDelaysMs: number[] = [];
    const silent = await serve(() => {});
    const { port, close } = await serveHttp(() => {});
    await close();
    const ids = [await fireNow({ targetUrl: silent, delivery: { timeoutMs: 1_000, retryDelaysMs } })];
    ids.push(await fireNow({ targetUrl: `http://127.0.0.1:${port}/`, delivery: { retryDelaysMs } }));
    const errors = await Promise.all(ids.map(async (id) => (await ended(id)).last_error));
    expect(errors).toEqual(["no answer within 1 s", "connection: ECONNREFUSED"]);
  });

  it("takes the start of an answer that does not end, and closes its connection", async () => {
    let isClosed = false;
    const origin = await serve((_request, response) => {
      response.writeHead(500);
      const timer = setInterval(() => response.write("x".repeat(1_000)), 1);
      response.on("close", () => {
        clearInterval(timer);
        isClosed = true;
      });
    });
    const id = await fireNow({ targetUrl: origin, delivery: { retryDelaysMs: [] } });
    expect(await ended(id)).toMatchObject({ status: "dead", last_status_code: 500 });
    const { items } = await new Stopwatch().schedules.attempts(id);
    expect(items[0]?.error_text).toBe("x".repeat(1_024));
    await waitFor("the connection is closed", () => isClosed);
  });
});

describe("in development a target on this machine", () => {
  it.each([
    "http://localhost",
    "http://LOCALHOST.:3000/x",
    "http://app.localhost:8080",
    "https://127.9.8.7:1",
    "http://[::1]:3000",
  ])("is accepted: %s", async (targetUrl) => {
    expect(await new Stopwatch().schedules.create({ targetUrl, fireIn: "24h" })).toMatchObject({ status: "scheduled" });
  });

  it.each([
    "http://example.com",
    "http://localhost.example.com",
    "http://127.0.0.1.example.com",
    "http://10.0.0.1:3000",
    "https://notlocalhost",
  ])("is none of the others, which are judged as by the service: %s", async (targetUrl) => {
    const refused = new Stopwatch().schedules.create({ targetUrl, fireIn: "24h" });
    await expect(refused).rejects.toMatchObject({ code: "VALIDATION", details: [{ path: "targetUrl" }] });
  });
});
