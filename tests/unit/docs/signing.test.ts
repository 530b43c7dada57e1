import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { generateSigningSecret, loadSigningSecret, signRequest } from "#domain/signing.ts";
import { SDK_NAME } from "#server/sdk-package.ts";
import { loadSample, sampleOf, samplesOf } from "../../helpers/doc-samples.ts";
import { typeProblems } from "../../helpers/sdk-samples.ts";

const PAGE = "signing.md";
const TEXT = readFileSync(`docs/${PAGE}`, "utf8");
const SECRETS = { current: generateSigningSecret(), next: generateSigningSecret() };
const BODY = '{"customer": "cus_81"}';

type Verify = (secrets: string[], body: string | Buffer, headers: Headers | Record<string, string>) => boolean;

const SAMPLES = {
  "the standardwebhooks library": async () =>
    (await loadSample<{ verify: Verify }>(sampleOf(PAGE, "With the `standardwebhooks` library", "js"))).verify,
  "by hand": async () => (await loadSample<{ verifyByHand: Verify }>(sampleOf(PAGE, "By hand", "js"))).verifyByHand,
};

function headersBy(secrets: string[], body = BODY, ageS = 0): Record<string, string> {
  const signed = signRequest({
    keys: secrets.map(loadSigningSecret),
    scheduleId: "sch_1",
    timestampSeconds: Math.floor(Date.now() / 1_000) - ageS,
    body: Buffer.from(body),
  });
  return Object.fromEntries(Object.entries(signed).map(([name, value]) => [name.toLowerCase(), value]));
}

describe.each(Object.entries(SAMPLES))("the sample of docs/signing.md with %s", (_, load) => {
  const both = [SECRETS.current, SECRETS.next];

  it("accepts what either secret signed, with the headers of fetch and with those of Node.js", async () => {
    const verify = await load();
    for (const by of [[SECRETS.current], [SECRETS.next], [generateSigningSecret(), SECRETS.next]]) {
      const headers = headersBy(by);
      for (const body of [BODY, Buffer.from(BODY)]) {
        expect(verify(both, body, headers)).toBe(true);
        expect(verify(both, body, new Headers(headers))).toBe(true);
      }
    }
  });

  it("refuses another secret, another body, an old request and one without signatures", async () => {
    const verify = await load();
    for (const wrap of [(headers: Record<string, string>) => headers, (plain: object) => new Headers({ ...plain })]) {
      expect(verify(both, BODY, wrap(headersBy([generateSigningSecret()])))).toBe(false);
      expect(verify(both, '{"customer":"cus_81"}', wrap(headersBy(both)))).toBe(false);
      expect(verify(both, BODY, wrap(headersBy(both, BODY, 302)))).toBe(false);
      expect(verify(both, BODY, wrap(headersBy(both, BODY, -302)))).toBe(false);
      expect(verify(both, BODY, wrap({}))).toBe(false);
    }
  });
});

const ROUTES = samplesOf(PAGE)
  .filter(({ language }) => language === "ts")
  .map(({ code }, at) => [`sample${at + 1}`, code] as const);

it("the samples of docs/signing.md with the SDK compile against its types", async () => {
  expect(ROUTES.length).toBe(3);
  expect(await typeProblems(Object.fromEntries(ROUTES))).toEqual([]);
});

describe.each(ROUTES.filter(([, code]) => code.includes("export")))("the route of docs/signing.md, %s", (_, code) => {
  let POST: (request: Request) => Promise<Response>;

  beforeAll(async () => {
    vi.spyOn(console, "log").mockImplementation(() => {});
    vi.stubEnv("STOPWATCH_SECRET", SECRETS.current);
    vi.stubEnv("STOPWATCH_SECRET_NEXT", SECRETS.next);
    const { outputFiles } = await build({
      stdin: { contents: code, loader: "ts", resolveDir: "." },
      alias: { [SDK_NAME]: resolve("sdk/src/index.ts"), [`${SDK_NAME}/receive`]: resolve("sdk/src/receive.ts") },
      bundle: true,
      format: "esm",
      write: false,
    });
    const text = encodeURIComponent(outputFiles[0]?.text ?? "");
    ({ POST } = await import(/* @vite-ignore */ `data:text/javascript,${text}`));
  });
  afterAll(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });

  const post = (body: string, secret: string) =>
    POST(new Request("https://example.com/hook", { method: "POST", headers: headersBy([secret], body), body }));

  it("takes what either secret signed, and answers 401 to anything else", async () => {
    expect((await post('{"order":"ord_1"}', SECRETS.current)).status).toBe(200);
    expect((await post('{"order":"ord_1"}', SECRETS.next)).status).toBe(200);
    expect((await post('{"order":"ord_1"}', generateSigningSecret())).status).toBe(401);
    expect((await POST(new Request("https://example.com/hook"))).status).toBe(401);
  });
});

it("the page names every reason for a refusal, and what to do", () => {
  const reasons = ["missing_header", "malformed_header", "too_old", "too_new", "no_match", "body_parsed", "body_used"];
  for (const reason of [...reasons, "malformed_secret"])
    expect(TEXT).toMatch(new RegExp(`^\\| .*\`${reason}\`.* \\|`, "m"));
});
