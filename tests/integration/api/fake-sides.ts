import type { IncomingHttpHeaders } from "node:http";
import pino from "pino";
import { startDispatcher } from "#dispatcher/dispatcher.ts";
import { startReceiver } from "#scripts/lab/receiver.ts";
import { stopAudited } from "#tests/helpers/stop-audited.ts";
import { waitFor } from "#tests/helpers/wait-for.ts";
import { fakeStopwatch } from "../../../sdk/src/testing.ts";
import { type Answer, type Method, startApi } from "./api.ts";
import { sendToFake } from "./fake-fixture.ts";

/** What a target answers; status 0 is no answer. */
export type TargetAnswer = { status: number; headers?: Record<string, string>; body?: string };

/** What a target got. */
export type Delivered = { method: string; url: string; headers: Record<string, string>; body: string };

/** The service, or its fake in the SDK: one account, and a target that answers by `answers` and then with 200. */
export type Side = {
  call(method: Method, path: string, body?: object, headers?: Record<string, string>): Promise<Answer>;
  /** Delivers everything that is due now, until `isDone`. */
  settle(isDone: () => Promise<boolean>): Promise<void>;
  answers: TargetAnswer[];
  delivered: Delivered[];
  secrets(): Promise<string[]>;
};

/** Both sides, whose targets have one address. `close` ends them. */
export async function startSides() {
  const receiver = await startReceiver({ tls: false });
  const api = await startApi({ DELIVERY_ALLOW: receiver.origin });
  const dispatcher = await startDispatcher(api.config, { log: pino({ level: "silent" }), version: "0.0.0" });
  const { live: key } = await api.account();
  const real: Side = {
    call: (method, path, body, headers) => api.call(method, path, key, body, headers),
    settle: async (isDone) => void (await waitFor("the service has settled", isDone)),
    answers: [],
    delivered: [],
    secrets: async () => secretsOf(await api.call("GET", "/v1/signing-secrets", key)),
  };
  receiver.respond(({ method, path, headers, body }, response) => {
    const url = `${receiver.origin}${path}`;
    real.delivered.push({ method, url, headers: ownHeaders(headers), body: body.toString() });
    const { status, headers: answered = {}, body: text = "" } = real.answers.shift() ?? { status: 200 };
    if (status === 0) return void response.destroy();
    response.writeHead(status, answered).end(text);
  });

  const stopwatch = fakeStopwatch({ env: "live", allowedTargets: [receiver.origin] });
  const fake: Side = {
    call(method, path, body, headers = {}) {
      const credential = { authorization: `Bearer ${stopwatch.apiKey}` };
      return sendToFake(stopwatch, method, path, {
        headers: { ...credential, ...headers },
        body: body && JSON.stringify(body),
      });
    },
    async settle(isDone) {
      await stopwatch.advance();
      for (let seconds = 0; !(await isDone()); seconds++) {
        if (seconds === 60) throw new Error("the fake has not settled");
        await stopwatch.advance("1s");
      }
    },
    answers: [],
    delivered: [],
    secrets: async () => stopwatch.secrets,
  };
  stopwatch.onDelivery = async (request) => {
    const { method, url, headers } = request;
    fake.delivered.push({ method, url, headers: Object.fromEntries(headers), body: await request.text() });
    const { status, headers: answered = {}, body = "" } = fake.answers.shift() ?? { status: 200 };
    if (status === 0) return Response.error();
    return new Response(body, { status, headers: answered });
  };

  return {
    target: `${receiver.origin}/hook`,
    real,
    fake,
    async close() {
      await stopAudited(dispatcher);
      await api.stop();
      await receiver.close();
    },
  };
}

const secretsOf = ({ body }: Answer): string[] => [body.current, body.next];

/** The headers without those that every HTTP request has. */
function ownHeaders({ host, connection, "content-length": _, ...headers }: IncomingHttpHeaders) {
  return headers as Record<string, string>;
}
