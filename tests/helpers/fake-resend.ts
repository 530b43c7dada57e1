import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { serveHttp } from "#scripts/lab/http-server.ts";

export type SentMail = {
  from: string;
  to: string;
  subject: string;
  text: string;
  html: string;
  headers?: Record<string, string>;
};

/** What the fake does with a mail: it accepts the mail, or fails as a provider can. */
export type Behaviour =
  | "accept"
  | { status: number; name?: string; message?: string; headers?: Record<string, string>; body?: string }
  | "hang"
  | "drop before accepting"
  | "drop after accepting"
  | "hang after accepting";

/**
 * A local endpoint that behaves like Resend's `POST /emails`, idempotency keys included: a second mail with a key gets
 * the answer of the first, and 409 when it is a different mail. `behaviour` may be changed at any time.
 */
export async function startFakeResend(apiKey = "re_test_key") {
  const accepted: (SentMail & { idempotencyKey: string | undefined })[] = [];
  const known = new Map<string, { id: string; digest: string }>();
  const state: { behaviour: Behaviour | ((mail: SentMail, nth: number) => Behaviour); calls: number } = {
    behaviour: "accept",
    calls: 0,
  };

  const take = (mail: SentMail, key: string | undefined): [number, object] => {
    const digest = createHash("sha256").update(JSON.stringify(mail)).digest("hex");
    const former = key === undefined ? undefined : known.get(key);
    if (former && former.digest !== digest) return [409, failure(409, "invalid_idempotent_request", "another payload")];
    if (former) return [200, { id: former.id }];
    const id = `mail-${accepted.length + 1}`;
    if (key !== undefined) known.set(key, { id, digest });
    accepted.push({ ...mail, idempotencyKey: key });
    return [200, { id }];
  };

  const { origin: baseUrl, close } = await serveHttp(async (request, response) => {
    const body = await text(request);
    state.calls++;
    if (request.method !== "POST" || request.url !== "/emails")
      return answer(response, 404, failure(404, "not_found", ""));
    if (request.headers.authorization !== `Bearer ${apiKey}`)
      return answer(response, 401, failure(401, "invalid_api_key", "API key is invalid"));
    const mail = JSON.parse(body) as SentMail;
    const key = request.headers["idempotency-key"] as string | undefined;
    const does = typeof state.behaviour === "function" ? state.behaviour(mail, state.calls) : state.behaviour;
    if (does === "hang") return;
    if (does === "drop before accepting") return request.socket.destroy();
    if (does === "drop after accepting" || does === "hang after accepting") {
      take(mail, key);
      if (does === "drop after accepting") request.socket.destroy();
      return;
    }
    if (does === "accept") return answer(response, ...take(mail, key));
    const { status, name = "application_error", message = "no", headers = {} } = does;
    return answer(response, status, does.body ?? failure(status, name, message), headers);
  });
  return {
    baseUrl,
    apiKey,
    /** The accepted mails, oldest first: the contents of people's mailboxes. */
    accepted,
    /** The number of calls so far, whatever their answers were. */
    calls: () => state.calls,
    behave(behaviour: (typeof state)["behaviour"]) {
      state.behaviour = behaviour;
    },
    /** Deletes the idempotency keys, as the provider does after 24 hours. */
    forgetKeys: () => known.clear(),
    settings: {
      from: "Stopwatch <notices@stopwatch.example.com>",
      resendApiKey: apiKey,
      resendBaseUrl: baseUrl,
      mailboxDir: "/nonexistent",
    },
    close,
  };
}

export type FakeResend = Awaited<ReturnType<typeof startFakeResend>>;

const failure = (statusCode: number, name: string, message: string) => ({ statusCode, name, message });

function answer(response: ServerResponse, status: number, body: object | string, headers: Record<string, string> = {}) {
  response.writeHead(status, { "Content-Type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}
