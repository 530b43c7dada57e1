import type { Dispatcher } from "undici";
import { expect, it } from "vitest";
import type { ClaimedSchedule } from "#db/queries/schedules/claim.ts";
import { listenerConnection, type OnAnswer } from "#dispatcher/connections/listener-connection.ts";
import type { ExchangeAnswer, ExchangeRequest } from "#domain/listen-exchange.ts";

const ATTEMPT = { claim: { row: { targetUrl: "https://listen.invalid/a" } as ClaimedSchedule, startedAtMs: 0 } };
const OK: ExchangeAnswer = { status: 200, retryAfter: null, body: "", latencyMs: 1 };

/** Begins a request on a connection to a listener. `log` is what its handler was told, in order. */
async function begin(
  options: Partial<Dispatcher.DispatchOptions> = {},
  onStart: (controller: Dispatcher.DispatchController) => void = () => {},
) {
  const log: string[] = [];
  const bytes: string[] = [];
  const passed: { request: ExchangeRequest; on: OnAnswer }[] = [];
  const relay = {
    pass(_attempt: unknown, request: ExchangeRequest, on: OnAnswer) {
      passed.push({ request, on });
      return { drop: () => void log.push("dropped") };
    },
  };
  let controller: Dispatcher.DispatchController | undefined;
  const connection = listenerConnection("listeners:a", relay, 0);
  connection.onBytes = (chunk) => {
    bytes.push(chunk.toString());
    return chunk;
  };
  connection.onBroken = () => log.push("broken");
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(given) {
      log.push("start");
      controller = given;
      onStart(given);
    },
    onResponseStart: (_controller, status) => void log.push(`status ${status}`),
    onResponseData: (_controller, chunk) => void log.push(`data ${chunk}`),
    onResponseEnd: () => void log.push("end"),
    onResponseError: (_controller, error) => void log.push(`error ${error.message}`),
  };
  const whole = {
    path: "/a",
    method: "POST",
    headers: ["X-b", "c"],
    body: null,
    ...options,
  } as Dispatcher.DispatchOptions;
  connection.client.dispatch(whole, handler, ATTEMPT);
  await Promise.resolve();
  return { connection, controller, log, bytes, passed };
}

it("an answer is told as that of a socket, with the bytes of its head", async () => {
  const { log, bytes, passed } = await begin();
  passed[0]?.on.answered({ ...OK, status: 503, retryAfter: "3", body: "later" });
  expect(log).toEqual(["start", "status 503", "data later", "end"]);
  expect(bytes).toEqual(["HTTP/1.1 503 \r\nRetry-After: 3\r\n\r\n"]);
});

it("the words of a local failure are told as a body, for the same comparison as an answer's", async () => {
  const { log, passed } = await begin();
  passed[0]?.on.answered({ error: "it refused" });
  const text = "unreachable: the local server did not answer";
  expect(log).toEqual(["start", `data ${text}: it refused`, `error ${text}`]);
});

it("a Retry-After with a line break adds no header", async () => {
  const { bytes, passed } = await begin();
  passed[0]?.on.answered({ ...OK, status: 503, retryAfter: "3\r\nRetry-After: 9" });
  expect(bytes).toEqual(["HTTP/1.1 503 \r\n\r\n"]);
});

it.each([
  ["POST", null, [["content-length", "0"]]],
  ["GET", null, []],
  ["DELETE", Buffer.from("xy"), [["content-length", "2"]]],
] as const)("%s with the body %s has the headers that a socket would get", async (method, body, length) => {
  const { passed } = await begin({ method, body });
  expect(passed[0]?.request.headers).toEqual([["host", "listen.invalid"], ["X-b", "c"], ...length]);
});

it("a request that is refused when it starts is not passed on", async () => {
  const { log, passed } = await begin({}, (controller) => controller.abort(new Error("not now")));
  expect(passed).toEqual([]);
  expect(log).toEqual(["start", "error not now"]);
});

it("a request that is aborted is dropped, and an answer that comes later is not told", async () => {
  const { log, controller, passed } = await begin();
  controller?.abort(new Error("too late"));
  controller?.abort(new Error("again"));
  expect(log).toEqual(["start", "dropped", "error too late"]);
  passed[0]?.on.answered(OK);
  passed[0]?.on.failed(new Error("left"));
  expect(log).toEqual(["start", "dropped", "error too late"]);
});

it("a connection that is closed drops its request, and says so once", async () => {
  const { connection, log } = await begin();
  connection.destroy();
  connection.destroy();
  expect(connection.broken).toBe(true);
  await Promise.resolve();
  expect(log).toEqual(["start", "dropped", expect.stringMatching(/^error /), "broken"]);
});
