import { spawnSync } from "node:child_process";
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
      req: { ...methodsOf(new Request("https://example.com", { method: "POST", body })), header: () => headers },
      body: (_: null, status: number) => status,
    };
    return (handle as (context: object) => Promise<number>)(context);
  },
  async Python(code, headers, body) {
    const run = `${code}
import json, sys
given = json.load(sys.stdin)
print(204 if is_signed(given["secrets"], given["body"].encode(), given["headers"]) else 401)`;
    const input = JSON.stringify({ secrets: Object.values(SECRETS), body, headers });
    const { stdout, stderr } = spawnSync("python3", ["-c", run], { input, encoding: "utf8" });
    if (stderr !== "") throw new Error(stderr);
    return Number(stdout);
  },
};

const methodsOf = (request: Request) => ({
  text: () => request.text(),
  arrayBuffer: () => request.arrayBuffer(),
});

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

function headersBy(secret: string, body = BODY): Record<string, string> {
  const signed = signRequest({
    keys: [loadSigningSecret(secret)],
    scheduleId: "sch_1",
    timestampSeconds: Math.floor(Date.now() / 1_000),
    body: Buffer.from(body),
  });
  return Object.fromEntries(Object.entries(signed).map(([name, value]) => [name.toLowerCase(), value]));
}

const hasPython = !spawnSync("python3", ["--version"]).error;

describe.each(Object.keys(RUNS))("the receiver code for %s", (label) => {
  if (label === "Python" && !hasPython) {
    it.skip("not run: python3 is missing", () => {});
    return;
  }
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

  it("accepts a payload that begins with a byte order mark, and one beyond ASCII", async () => {
    for (const body of ['\ufeff{"a":1}', "größe \u{1F600}", "\ufeff\ufeff", "x"])
      expect(await run(code, headersBy(SECRETS.current, body), body), JSON.stringify(body)).toBe(204);
  });

  it.each<[string, Record<string, string | undefined>]>([
    ["no headers", { "webhook-id": undefined, "webhook-timestamp": undefined, "webhook-signature": undefined }],
    ["no timestamp", { "webhook-timestamp": undefined }],
    ["a timestamp that is no number", { "webhook-timestamp": "now" }],
    ["a timestamp beyond all numbers", { "webhook-timestamp": "9".repeat(400) }],
    ["an old timestamp", { "webhook-timestamp": "1" }],
    ["a signature beyond ASCII", { "webhook-signature": "v1,\xe9\xff" }],
    ["an empty signature", { "webhook-signature": "" }],
    ["an id beyond ASCII", { "webhook-id": "\xe9" }],
  ])("refuses a request with %s, and does not fail", async (_, forged) => {
    const headers = Object.entries({ ...headersBy(SECRETS.current), ...forged }).filter(
      ([, value]) => value !== undefined,
    );
    expect(await run(code, Object.fromEntries(headers) as Record<string, string>, BODY)).toBe(401);
  });
});
