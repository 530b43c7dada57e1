import { header } from "#contract/headers.ts";

/** `webhooks`: the request sent to a schedule's target, as dispatcher/sending/preparer.ts composes it. */
export const WEBHOOKS = {
  delivery: {
    post: {
      operationId: "receiveDelivery",
      tags: ["Delivery"],
      summary: "What your target receives.",
      description: `Sent to the schedule's \`targetUrl\` with its method, headers and payload, byte for byte, plus the headers below. Nothing
is added to the body and no \`Content-Type\` is set but yours. It is delivered at least once: \`webhook-id\` is the same on every attempt.
Both signatures are made afresh for each attempt with the current signing secret; for 24 h after a rotation each holds a second one,
made with the former secret. Redirects are not followed.`,
      security: [],
      parameters: Object.entries(deliveredHeaders()).map(([name, described]) => ({ name, in: "header", ...described })),
      requestBody: {
        description: "The payload; absent when the schedule has none.",
        content: { "*/*": { schema: { type: "string" }, example: '{"hello":"world"}' } },
      },
      responses: {
        "2XX": { description: "Delivered, whatever the body holds." },
        410: { description: "Never again: the schedule is `dead` at once." },
        429: retryAfter("Too much at once."),
        503: retryAfter("Not now."),
        default: { description: "Failed, 3xx included. It is repeated while retries are left." },
      },
    },
  },
};

function deliveredHeaders() {
  return {
    "X-Service-Signature": header(
      "`t=<unix seconds>,v1=<hex>`: HMAC-SHA256 over `{t}.{body}`, keyed with the whole text of the signing secret.",
      { pattern: "^t=\\d+(,v1=[0-9a-f]{64}){1,2}$" },
      true,
    ),
    "webhook-id": header("The schedule's id.", { pattern: "^sch_" }, true),
    "webhook-timestamp": header("Unix seconds.", { pattern: "^\\d+$" }, true),
    "webhook-signature": header(
      "Standard Webhooks: `v1,<base64>` of HMAC-SHA256 over `{webhook-id}.{webhook-timestamp}.{body}`, keyed with the 32 bytes that `whsec_` and base64 stand for; several are separated by a space.",
      { pattern: "^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)?$" },
      true,
    ),
    "X-Service-Schedule-Id": header("The schedule's id.", { pattern: "^sch_" }, true),
    "X-Service-Attempt": header("Counts from 1.", { type: "integer", minimum: 1 }, true),
    "X-Service-Fire-At": header("The instant that was asked for.", { format: "date-time" }, true),
    "User-Agent": header("`Stopwatch/<version>` unless the schedule's headers set one.", {}, true),
  };
}

function retryAfter(description: string) {
  return {
    description: `${description} \`Retry-After\` is obeyed, up to two hours beyond the wait that was due anyway.`,
    headers: { "Retry-After": header("Seconds, or a date.") },
  };
}
