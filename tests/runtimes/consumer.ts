// A developer's code, as far as its types matter. It is compiled, not run; checks.ts is compiled with it.
import {
  type Created,
  type CreateInput,
  type Schedule,
  Stopwatch,
  StopwatchError,
  verifySignature,
} from "stopwatch-sdk";
import { type Once, type ReceiveOptions, receive, receiveNode } from "stopwatch-sdk/receive";
import { type FakeStopwatch, fakeStopwatch } from "stopwatch-sdk/testing";

declare const client: Stopwatch;
declare const maybe: { text: string | undefined; flag: boolean | undefined; signal: AbortSignal | undefined };
declare const method: Schedule["method"] | undefined;

/** What may be undefined can be passed as it is, also under exactOptionalPropertyTypes. */
export const created: Promise<Created> = client.schedules.create(
  {
    targetUrl: new URL("https://example.com/hook"),
    fireAt: new Date(),
    fireIn: undefined,
    method,
    headers: undefined,
    payload: maybe.text,
    idempotencyKey: maybe.text,
    earlyFire: maybe.flag,
  },
  { signal: maybe.signal, timeoutMs: undefined, maxRetries: undefined },
);
export const other = new Stopwatch("key", {
  baseUrl: maybe.text,
  timeoutMs: undefined,
  fetch: undefined,
  onRetry: undefined,
});

// @ts-expect-error two times at once
export const twoTimes: CreateInput = { targetUrl: "https://example.com", fireIn: "90s", fireAt: new Date() };
// @ts-expect-error no time
export const noTime: CreateInput = { targetUrl: "https://example.com" };
// @ts-expect-error a local time without its zone
export const noZone: CreateInput = { targetUrl: "https://example.com", fireAtLocal: "2026-03-29T02:30" };
// @ts-expect-error payload beside json
export const twoBodies: CreateInput = { targetUrl: "https://example.com", fireIn: "90s", payload: "", json: {} };

export async function all(): Promise<Schedule[]> {
  const schedules: Schedule[] = (await client.schedules.list({ status: ["dead"] })).items;
  for await (const schedule of client.schedules.list({ limit: 100 })) schedules.push(schedule);
  return schedules;
}

export function codeOf(error: unknown): string | undefined {
  return StopwatchError.is(error, "QUOTA_EXCEEDED") ? error.code : undefined;
}

export const once: Once = {
  begin: async (id) => (id === "" ? "busy" : "new"),
  finish: async () => {},
  fail: () => {},
};
export const options: ReceiveOptions = {
  secrets: ["whsec_…"],
  once,
  maxBytes: undefined,
  onDelivery: async ({ scheduleId, json }) => console.log(scheduleId, json<{ order: number }>().order),
};
/** As Next.js, Hono, Bun, Deno and Workers take it. */
export const POST: (request: Request) => Promise<Response> = receive(options);
export const onNode = receiveNode(options);

export async function byHand(request: Request): Promise<string> {
  const { text, unsigned } = await verifySignature(request, { secrets: ["whsec_…"], toleranceSeconds: undefined });
  const attempt: number | null = unsigned.attempt;
  return `${attempt} ${text()}`;
}

export async function inTest(): Promise<number | null> {
  const fake: FakeStopwatch = fakeStopwatch({ onDelivery: POST, now: undefined, plan: "indie" });
  new Stopwatch(fake.apiKey, fake.options);
  const [delivery] = await fake.advance("30m");
  return delivery?.status ?? null;
}
