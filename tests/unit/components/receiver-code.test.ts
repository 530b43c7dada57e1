import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { RECEIVER_SAMPLES } from "#components/signing/receiver-code.ts";
import { generateSigningSecret, loadSigningSecret, signRequest } from "#domain/signing.ts";

const SECRETS = { current: generateSigningSecret(), next: generateSigningSecret() };
const BODY = '{"customer": "cus_81"}';

beforeAll(() => {
  vi.stubEnv("STOPWATCH_SECRET", SECRETS.current);
  vi.stubEnv("STOPWATCH_SECRET_NEXT", SECRETS.next);
});
afterAll(() => {
  vi.unstubAllEnvs();
});

type Handler = (...arguments_: never[]) => unknown;

/** The status with which the sample of a framework answers a request with these headers and body. */
const RUNS: Record<string, (code: string, headers: Record<string, string>, body: string) => Promise<number>> = {
  async "Next.js"(code, headers, body) {
    const { POST } = (await load(code)) as { POST: (request: Request) => Promise<Response> };
    return (await POST(new Request("https://example.com/hook", { method: "POST", headers, body }))).status;
  },
  async Express(code, headers, body) {
    const [, , handle] = await registered(`const express = { raw: () => null };\n${code}`);
    let status = 0;
    const response = {
      status(code: number) {
        status = code;
        return { end: () => {} };
      },
    };
    (handle as (request: object, response: object) => void)({ body: Buffer.from(body), headers }, response);
    return status;
  },
  async Hono(code, headers, body) {
    const [, handle] = await registered(code);
    const context = {
      req: { text: async () => body, header: () => headers },
      body: (_: null, status: number) => status,
    };
    return (handle as (context: object) => Promise<number>)(context);
  },
};

/** The arguments that the code passed to `app.post`. */
async function registered(code: string): Promise<Handler[]> {
  const { registered: all } = await load(`export const registered = [];
    const app = { post: (...all) => registered.push(...all) };\n${code}`);
  return all as Handler[];
}

async function load(code: string): Promise<Record<string, unknown>> {
  const library = pathToFileURL(createRequire(import.meta.url).resolve("standardwebhooks")).href;
  const complete = code.replace(
    'import { Webhook } from "standardwebhooks";',
    `import library from "${library}"; const { Webhook } = library;`,
  );
  return import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(complete)}`);
}

function headersBy(secret: string): Record<string, string> {
  const signed = signRequest({
    keys: [loadSigningSecret(secret)],
    scheduleId: "sch_1",
    timestampSeconds: Math.floor(Date.now() / 1_000),
    body: Buffer.from(BODY),
  });
  return Object.fromEntries(Object.entries(signed).map(([name, value]) => [name.toLowerCase(), value]));
}

describe.each(Object.keys(RUNS))("the receiver code for %s", (label) => {
  const code = RECEIVER_SAMPLES.find((sample) => sample.label === label)?.code ?? "";
  const run = RUNS[label] as (typeof RUNS)[string];

  it("accepts a request signed with the current or the next secret", async () => {
    expect(await run(code, headersBy(SECRETS.current), BODY)).toBe(204);
    expect(await run(code, headersBy(SECRETS.next), BODY)).toBe(204);
  });

  it("refuses another secret, and a body that was reformatted", async () => {
    expect(await run(code, headersBy(generateSigningSecret()), BODY)).toBe(401);
    expect(await run(code, headersBy(SECRETS.current), '{"customer":"cus_81"}')).toBe(401);
  });
});
