import { generateApiKey } from "#domain/api-key.ts";
import { type FakeOptions, type FakeStopwatch, fakeStopwatch } from "../../../sdk/src/testing.ts";
import { type Answer, FUTURE, TARGET } from "./api.ts";
import type { Case } from "./case-fixture.ts";

/**
 * The cases whose callers or connections the SDK's fake of the service does not have: sessions, keys that were revoked, and
 * what HTTP servers do.
 */
export function isBeyondFake({ name, auth }: Case): boolean {
  return /^(session.*|key_(revoked|rotated_out|deactivated))$/.test(auth) || BEYOND_FAKE.has(name);
}

/** A header of 60 KB, a body of 100 MB and a parameter that Next.js would drop are dealt with before any endpoint. */
export const BEYOND_FAKE: ReadonlySet<string> = new Set([
  "authn: 64 KB key",
  "http: body of 100 MB",
  "list: schedules?__proto__[x]=1",
]);

/** What the fake answers to a case, in the place of `createFixture` and its `send`. */
export async function answerOfFake(one: Case): Promise<Answer> {
  const { auth, setup = "", path, headers = {}, body, body_raw: raw } = one;
  const text = JSON.stringify([path, headers, body ?? null, raw ?? null]);
  const made = new Set(text.match(/\$\{SCH_?(DONE|DEAD|CANCELLED|WITH_CANARY)?\}/g)).size;
  const fakes = {
    live: start({ env: "live", scheduled: setup === "usage = grace_limit" ? 2_200 - made : 0 }),
    test: start({ env: "test" }),
    other: start({ env: "live" }),
  };
  const own =
    auth === "key_test" && setup.startsWith("fresh fixture in the same environment") ? fakes.test : fakes.live;
  const known = new Map<string, string>();
  for (const [whole, name = ""] of text.matchAll(/\$\{([^}]+)\}/g))
    if (!known.has(whole)) known.set(whole, await standFor(name, own, fakes.other));
  const resolve = (written: string) => written.replaceAll(/\$\{[^}]+\}/g, (whole) => known.get(whole) ?? whole);

  for (const [, idempotencyKey] of setup.matchAll(/"(.+?)"/g)) await createOn(own, { idempotencyKey });
  if (setup === "created with k4, then DELETE") await cancelOn(own, await createOn(own, { idempotencyKey: "k4" }));
  const key = keyOf(auth, fakes);
  return sendToFake(auth === "key_test" ? fakes.test : fakes.live, one.method, resolve(path), {
    headers: { ...(key && { authorization: `Bearer ${key}` }), ...JSON.parse(resolve(JSON.stringify(headers))) },
    body: raw === undefined && body === undefined ? undefined : resolve(raw ?? JSON.stringify(body)),
  });
}

function start(options: FakeOptions): FakeStopwatch {
  return fakeStopwatch({ onError: () => {}, ...options });
}

function keyOf(auth: string, fakes: { live: FakeStopwatch; test: FakeStopwatch }): string | undefined {
  switch (auth) {
    case "key_live":
      return fakes.live.apiKey;
    case "key_test":
      return fakes.test.apiKey;
    case "key_unknown":
      return generateApiKey("live");
    case "key_malformed":
      return "sw_live_not-a-key!";
    default:
      return undefined;
  }
}

async function standFor(name: string, own: FakeStopwatch, other: FakeStopwatch): Promise<string> {
  const [, base = "", seconds = "0"] = /^(\w+?)([+-]\d+)?$/.exec(name) ?? [];
  const [, repeated = "", count = ""] = /^REPEAT:(.+):(.+)$/.exec(name) ?? [];
  if (repeated) return repeated.repeat(count.startsWith("CAP") ? 51_200 + Number(count.slice(3)) : Number(count));
  const inSeconds = (ahead: number) => new Date(own.now().getTime() + ahead * 1_000).toISOString();
  switch (base) {
    case "FUTURE":
      return inSeconds(3_600 + Number(seconds));
    case "NOW":
      return inSeconds(Number(seconds));
    case "URL":
      return TARGET;
    case "COOKIE_DOMAIN":
      return "example.com";
    case "KEY_LIVE":
      return own.apiKey;
    case "ACCOUNT_B":
      return "acc_0000000000000000000000000b";
    case "KEY_ID":
      return "key_0000000000000000000000000b";
    case "SCH":
      return createOn(own);
    case "SCH_B":
      // The fake counts its ids: skip those that the own account has, too.
      await createOn(other);
      await createOn(other);
      return createOn(other);
    case "SCH_WITH_CANARY":
      return createOn(own, { payload: "the-canary" });
    case "SCH_DONE":
      return endOn(own, 200);
    case "SCH_DEAD":
      return endOn(own, 410);
    case "SCH_CANCELLED":
      return cancelOn(own, await createOn(own, { payload: "hello" }));
    default:
      throw new Error(`no placeholder is called ${name}`);
  }
}

async function createOn(fake: FakeStopwatch, body: object = {}): Promise<string> {
  const answer = await sendToFake(fake, "POST", "/v1/schedules", {
    headers: { authorization: `Bearer ${fake.apiKey}` },
    body: JSON.stringify({ targetUrl: TARGET, fireAt: FUTURE, ...body }),
  });
  return answer.body.id;
}

async function cancelOn(fake: FakeStopwatch, id: string): Promise<string> {
  await sendToFake(fake, "DELETE", `/v1/schedules/${id}`, { headers: { authorization: `Bearer ${fake.apiKey}` } });
  return id;
}

async function endOn(fake: FakeStopwatch, status: number): Promise<string> {
  const id = await createOn(fake, { payload: "hello", fireAt: new Date(fake.now().getTime() + 1).toISOString() });
  fake.onDelivery = () => new Response(null, { status });
  await fake.advance("1s");
  return id;
}

/** Sends a request to the fake as `call` sends one to the service. */
export async function sendToFake(
  fake: FakeStopwatch,
  method: string,
  path: string,
  { headers, body }: { headers: Record<string, string>; body?: string | undefined },
): Promise<Answer> {
  const type: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
  const response = await fake.fetch(`${fake.baseUrl}${path}`, {
    method,
    headers: { ...type, ...headers },
    ...(body !== undefined && { body }),
  });
  // Each points to its own documentation.
  const text = (await response.text()).replaceAll(`${fake.baseUrl}/docs/`, "https://api.example.com/docs/");
  return { status: response.status, headers: response.headers, text, body: text ? JSON.parse(text) : undefined };
}
