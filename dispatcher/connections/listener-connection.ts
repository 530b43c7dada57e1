import type { Dispatcher } from "undici";
import type { HeaderPairs } from "#domain/headers.ts";
import type { ExchangeAnswer, ExchangeRequest } from "#domain/listen-exchange.ts";
import { type CarriedAttempt, type Connection, ConnectionGone, ListenerFailed } from "../delivery/connection.ts";

export type OnAnswer = { answered(answer: ExchangeAnswer): void; failed(error: Error): void };

/** Passes requests to listeners. */
export type ListenerRelay = {
  /** Calls one function of `on`, once. `drop`: nobody waits for the answer any more, and none is called. */
  pass(attempt: CarriedAttempt, request: ExchangeRequest, on: OnAnswer): { drop(): void };
};

/**
 * The way to a listener of an account, in place of a socket. It carries one request and is then closed. Its `dispatch`
 * calls the handler as undici does: `onRequestStart` in the event-loop turn in which the request is given to the relay.
 */
export function listenerConnection(origin: string, relay: ListenerRelay, openedAtMs: number): Connection {
  let passing: Passing | undefined;
  let isBroken = false;
  const connection: Connection = {
    client: {
      dispatch(options, handler, attempt) {
        passing = new Passing(connection, relay, { options, handler, attempt });
        queueMicrotask(passing.begin);
        return true;
      },
    },
    origin,
    connectMs: 0,
    roundTripMs: 0,
    openedAtMs,
    used: false,
    answeredAtMs: Number.NaN,
    requestsLeft: Number.POSITIVE_INFINITY,
    hasUnread: false,
    reading: undefined,
    error: undefined,
    onBroken: undefined,
    onBytes: undefined,
    get broken() {
      return isBroken;
    },
    destroy() {
      if (isBroken) return;
      isBroken = true;
      passing?.abort(new ConnectionGone());
      queueMicrotask(() => connection.onBroken?.());
    },
  };
  return connection;
}

type Sent = { options: Dispatcher.DispatchOptions; handler: Dispatcher.DispatchHandler; attempt: CarriedAttempt };

/** One request on its way to a listener. It is the handler's controller. */
class Passing {
  readonly #connection: Connection;
  readonly #relay: ListenerRelay;
  readonly #sent: Sent;
  #state: "new" | "passed" | "over" = "new";
  #drop: (() => void) | undefined;
  aborted = false;
  reason: Error | null = null;

  constructor(connection: Connection, relay: ListenerRelay, sent: Sent) {
    this.#connection = connection;
    this.#relay = relay;
    this.#sent = sent;
  }

  readonly begin = (): void => {
    const { handler, options, attempt } = this.#sent;
    if (!this.aborted) handler.onRequestStart?.(this.#controller, null);
    if (this.reason !== null) {
      this.#fail(this.reason);
      return;
    }
    this.#state = "passed";
    this.#drop = this.#relay.pass(attempt, requestOf(options, attempt), {
      answered: (answer) => this.#answer(answer),
      failed: (error) => this.#fail(error),
    }).drop;
  };

  abort(error: Error): void {
    if (this.aborted || this.#state === "over") return;
    this.aborted = true;
    this.reason = error;
    if (this.#state === "new") return;
    this.#drop?.();
    this.#fail(error);
  }

  #fail(error: Error): void {
    if (this.#state === "over") return;
    this.#state = "over";
    this.#sent.handler.onResponseError?.(this.#controller, error);
  }

  #answer(answer: ExchangeAnswer): void {
    if (this.#state === "over") return;
    const { handler } = this.#sent;
    if ("error" in answer) {
      const failure = new ListenerFailed("the local server did not answer");
      // As a body, since its words may repeat parts of the request. The record's text is made of it as of an answer's.
      handler.onResponseData?.(this.#controller, Buffer.from(failure.message + inWords(answer.error)));
      this.#fail(failure);
      return;
    }
    // What reads the bytes of a socket finds the status and Retry-After in these.
    this.#connection.onBytes?.(Buffer.from(headOf(answer)));
    handler.onResponseStart?.(this.#controller, answer.status, { connection: "close" });
    if (answer.body !== "") handler.onResponseData?.(this.#controller, Buffer.from(answer.body));
    this.#state = "over";
    handler.onResponseEnd?.(this.#controller, {});
  }

  get #controller(): Dispatcher.DispatchController {
    return this as unknown as Dispatcher.DispatchController;
  }
}

/** The head of an answer as a socket would have it. A Retry-After that no header could have is left out. */
function headOf({ status, retryAfter }: { status: number; retryAfter: string | null }): string {
  const hasHeader = retryAfter !== null && /^[\t\x20-\x7e]*$/.test(retryAfter);
  return `HTTP/1.1 ${status} \r\n${hasHeader ? `Retry-After: ${retryAfter}\r\n` : ""}\r\n`;
}

/** A code as the texts of other failures have it, or words. */
const inWords = (error: string): string => (/^[A-Z][A-Z0-9_]{1,63}$/.test(error) ? ` (${error})` : `: ${error}`);

/** Methods whose requests have a Content-Length even without a body. */
const EXPECTS_BODY = new Set(["POST", "PUT", "PATCH"]);

/** The request with the headers that undici writes on a socket, but `connection`, which is the socket's. */
function requestOf({ method, path, headers, body }: Dispatcher.DispatchOptions, attempt: CarriedAttempt) {
  const { claim } = attempt;
  if (!claim) throw new Error("a request without a claim cannot be sent");
  const bytes = (body ?? Buffer.alloc(0)) as Buffer;
  const flat = headers as string[];
  const pairs: HeaderPairs = [["host", new URL(claim.row.targetUrl).host]];
  for (let at = 0; at < flat.length; at += 2) pairs.push([flat[at] ?? "", flat[at + 1] ?? ""]);
  if (bytes.length > 0 || EXPECTS_BODY.has(method)) pairs.push(["content-length", String(bytes.length)]);
  return { method, path, headers: pairs, body: bytes };
}
