import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { SDK_NAME } from "#server/sdk-package.ts";
import { typeProblems } from "#tests/helpers/sdk-samples.ts";
import { type LocalErrorCode, Stopwatch } from "../../../sdk/src/index.ts";
import { KEY } from "../sdk/fake-service.ts";

const DOCS = globSync(["*.md", "docs/*.md", "sdk/*.md"]);
/** Its code is that of examples/, whose frameworks have types of their own. */
const EXAMPLES = "docs/receivers.md";

const isOfSdk = (code: string) => /from "stopwatch-sdk/.test(code) && !/from "\.\//.test(code);

/** The code blocks of a document, with the language of each. */
function blocksOf(doc: string): { language: string; code: string }[] {
  const blocks = readFileSync(doc, "utf8").matchAll(/^```(\w+)[^\n]*\n(.*?)^```$/gms);
  return [...blocks].map(([, language = "", code = ""]) => ({ language, code }));
}

it("every code of the documentation that uses the SDK compiles against its types", async () => {
  const samples = DOCS.filter((doc) => doc !== EXAMPLES).flatMap((doc) => {
    const codes = blocksOf(doc).flatMap(({ language, code }) => (/^(js|ts)$/.test(language) ? [code] : []));
    return codes.flatMap((code, at) => {
      const begin = codes.slice(0, at).findLast(isOfSdk) ?? "";
      // A block without an import uses the client of the block before it.
      const whole = !isOfSdk(code) && /\bclient\./.test(code) ? begin + code : code;
      return isOfSdk(whole) ? [[`${doc.replaceAll(/\W/g, "-")}-${at + 1}`, whole]] : [];
    });
  });
  expect(samples.length).toBeGreaterThanOrEqual(6);
  expect(await typeProblems(Object.fromEntries(samples))).toEqual([]);
});

it("documents and pages name the package as its manifest does, and never install it from a registry", () => {
  const texts = [...DOCS, ...globSync("{app,components,server,domain}/**/*.{ts,tsx}")].map((file) => ({
    file,
    text: readFileSync(file, "utf8"),
  }));
  const imported = texts.flatMap(({ text }) => [...text.matchAll(/from "(stopwatch[\w-]*)/g)].map(([, name]) => name));
  expect([...new Set(imported)]).toEqual([SDK_NAME]);
  const installed = texts.flatMap(({ file, text }) =>
    [...text.matchAll(/\b(?:npm (?:i|install)|(?:pnpm|bun|yarn|deno) add) (?!-)([^\s`<]\S*)/g)].map(
      ([, what = ""]) => `${file}: ${what}`,
    ),
  );
  const foreign = installed.filter(
    (line) => !/: (\.\/sdk\.tgz|(?:stopwatch-cli@)?http:\/\/localhost:3000\/(?:sdk|cli)\.tgz)/.test(line),
  );
  // The library of Standard Webhooks, for who verifies without the SDK.
  expect(foreign.filter((line) => !/: standardwebhooks\b/.test(line))).toEqual([]);
});

it("docs/sdk.md has every code of the SDK's own errors, and every method of a client", () => {
  const text = readFileSync("docs/sdk.md", "utf8");
  // A missing or an extra code does not compile.
  const codes = {
    INVALID_KEY: true,
    INVALID_ARGUMENT: true,
    INVALID_SIGNATURE: true,
    NETWORK: true,
    TIMEOUT: true,
    BAD_RESPONSE: true,
  } satisfies Record<LocalErrorCode, true>;
  const described = [...text.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, code]) => code);
  expect(described).toEqual(Object.keys(codes));

  const client = new Stopwatch(KEY, { baseUrl: "https://stopwatch.example.com" });
  const { schedules, recurrences, operations, logs, signingSecrets } = client;
  const parts = Object.entries({ schedules, recurrences, operations, logs, signingSecrets });
  const methods = [
    ...parts.flatMap(([part, of]) => Object.keys(of).map((name) => `${part}.${name}`)),
    ...Object.getOwnPropertyNames(Stopwatch.prototype).filter((name) => name !== "constructor"),
  ];
  const [, list = ""] = /^The methods:\n\n(.*?)\n\n/ms.exec(text) ?? [];
  const named = [...list.matchAll(/`([\w.]+)\(/g)].map(([, name = ""]) => name);
  const inFull = named.map((name, at) =>
    name.startsWith(".")
      ? `${
          named
            .slice(0, at)
            .findLast((one) => /^\w/.test(one))
            ?.split(".")[0]
        }${name}`
      : name,
  );
  expect(inFull.toSorted()).toEqual(methods.toSorted());
});
