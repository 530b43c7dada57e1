import { encodeEvent } from "#domain/server-sent-events.ts";
import { endpoint } from "./endpoint.ts";
import { AnswerInput, ListenInput } from "./inputs/listen-input.ts";

const LISTENER = "lsn_01k2n8b4t6v7w9x0y1z2a3b4c5";
const EXCHANGE = "exc_01k2n8b5d6e7f8g9h0j1k2m3n4";

const EVENTS_EXAMPLE = [
  encodeEvent("ready", { listener: LISTENER, scope: "reserved", ends_at: "2031-01-01T09:04:30.000Z" }),
  encodeEvent(
    "delivery",
    {
      id: EXCHANGE,
      schedule_id: "sch_01k2n8b3r4s5t6v7w8x9y0z1a2",
      attempt: 1,
      deadline: "2031-01-01T09:00:30.000Z",
      method: "POST",
      path: "/hooks/trial-ends",
      headers: [["content-type", "application/json"]],
      body: "e30=",
    },
    EXCHANGE,
  ),
].join("");

const tag = "Listeners";

export const listen = endpoint({
  operationId: "listen",
  method: "GET",
  path: "/v1/listen",
  tag,
  summary: "Receive test deliveries over a stream of events.",
  description: `The key must be of the test environment. The stream is the socket of the target: it carries only deliveries whose attempt is under way now,
each once, and never what was delivered before. \`ready\` comes first. \`delivery\` has what a socket would get: \`headers\` are pairs in their
order, \`body\` is base64; answer it by its \`id\` before its \`deadline\`. \`over { id }\`: nobody waits for the answer to this delivery any more.
\`goodbye { reason, retry_ms }\` comes last. After \`restart\` and \`age\` (270 s), connect again with \`listener\`; \`revoked\`: the key is, or its
account is not active; \`replaced\`: another stream has resumed this listener. A comment comes every 10 s. An account has at most five
listeners. These calls do not count towards the requests per minute, and have a limit of their own.`,
  auth: "testKey",
  query: ListenInput,
  repeatable: ["path"],
  responses: { 200: { description: "The stream.", schema: null, eventsExample: EVENTS_EXAMPLE } },
  errors: ["CONFLICT", "UNAVAILABLE"],
});

export const answerDelivery = endpoint({
  operationId: "answerDelivery",
  method: "POST",
  path: "/v1/listen/{id}/answer",
  tag,
  summary: "Answer a delivery that a listener got.",
  description:
    "The key must be of the test environment. The attempt ends as with this answer of the target. Sending the same again is fine: the first answer counts. An answer that comes too late, or by a listener that did not get the delivery, is `CONFLICT`.",
  auth: "testKey",
  body: AnswerInput,
  bodyBytesMax: 128 * 1024,
  bodyExample: { listener: LISTENER, status: 200, latency_ms: 12 },
  responses: { 204: { description: "The answer was taken, now or before.", schema: null } },
  errors: ["NOT_FOUND", "CONFLICT"],
});
