// Guards: docs/*.md, server/docs/**, contract/**, server/reference/**, components/docs/**, pages/docs/**, sdk/src/**, cli/src/**, scripts/commands/account.ts, scripts/commands/doctor.ts, scripts/commands/keys-rotate.ts, scripts/commands/migrate.ts, scripts/commands/reconcile.ts
// Needs: languages
import { readFileSync } from "node:fs";
import PQueue from "p-queue";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { processEnv } from "#config.ts";
import { DOC_PAGES } from "#server/docs/pages.ts";
import { typeProblems } from "#tests/helpers/sdk-samples.ts";
import { exceptionOf, OTHER_TESTS, wrongExceptions } from "./exceptions.ts";
import { programOf, readFences } from "./fences.ts";
import { type Installation, startInstallation } from "./installation.ts";
import { recordRuns } from "./record.ts";
import { BEFORE, isRunnable, runPage } from "./run-page.ts";

/** Pages that are run at once: most of the time they wait for their deliveries. */
const queue = new PQueue({ concurrency: 4 });

const PAGES = DOC_PAGES.map(({ slug }) => ({ slug, fences: readFences(slug) }));
const ALL = PAGES.flatMap(({ fences }) => fences);
const WITH_EXAMPLES = PAGES.filter(({ fences }) => fences.some(isRunnable));

let installation: Installation;
const ran: string[] = [];

beforeAll(async () => {
  installation = await startInstallation();
});
afterAll(async () => {
  await installation?.stop();
  if (processEnv().RECORD !== undefined) recordRuns(ran, WITH_EXAMPLES, new Date());
});

describe.concurrent("the examples of docs/, run in the order of their page:", () => {
  it.each(WITH_EXAMPLES)(
    "$slug",
    ({ slug, fences }) =>
      queue.add(async () => {
        await runPage(installation, await installation.reader(slug), fences);
        ran.push(slug);
      }),
    600_000,
  );
});

it("every block is in a language that is run, or one that is shown, and none hides commands as text", () => {
  const others = ALL.filter((fence) => !isRunnable(fence) && fence.title !== BEFORE);
  const shown = ["csv", "http", "ini", "json", "jsonl", "text"];
  expect(others.filter(({ language, title }) => !shown.includes(language) || title === "Terminal")).toEqual([]);
});

it("every example in TypeScript compiles", async () => {
  const samples = PAGES.flatMap(({ slug, fences }) =>
    fences.flatMap((fence, at) =>
      fence.language === "ts" && exceptionOf(fence) === null
        ? [[`${slug}-${fence.at}`, programOf(fence, fences.slice(0, at))]]
        : [],
    ),
  );
  expect(await typeProblems(Object.fromEntries(samples))).toEqual([]);
});

it("every exception is needed, and for one block or a whole page, and every test that runs a page in place of this one names it", () => {
  expect(wrongExceptions(ALL)).toEqual([]);
  const unnamed = OTHER_TESTS.filter(({ page, test }) => !readFileSync(test, "utf8").includes(`${page}.md`));
  expect(unnamed).toEqual([]);
});

it("every link of docs/ to the installation leads to a page and an anchor that are there", async () => {
  const links = PAGES.flatMap(({ slug }) =>
    [...readFileSync(`docs/${slug}.md`, "utf8").matchAll(/\]\(http:\/\/localhost:3000([^)\s]*)\)/g)].map(
      ([, to = ""]) => to,
    ),
  );
  const missing = [];
  for (const link of new Set(links)) {
    const [path, anchor] = link.split("#");
    const answer = await fetch(installation.web.origin + path, { headers: { accept: "text/html" } });
    const text = await answer.text();
    if (!answer.ok || (anchor !== undefined && !text.includes(`id="${anchor}"`))) missing.push(link);
  }
  expect(missing).toEqual([]);
});
