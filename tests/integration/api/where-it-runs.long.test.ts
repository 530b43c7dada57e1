// Guards: server/http/**, server/routes/**, server/edge/**, proxy.ts, app/v1/**, next.config.ts, server/start.ts, instrumentation.ts
import { afterAll, beforeAll, expect, it } from "vitest";
import { readActionIds } from "#tests/helpers/action-ids.ts";
import { ENCRYPTION_KEYS } from "#tests/helpers/encryption-keys.ts";
import { startWebProcess, type WebProcess } from "#tests/helpers/web-process.ts";
import { type Api, startApi } from "./api.ts";
import { ADDRESS_HEADER, BASE_URL, GUARD_CASES, type Side } from "./guard-cases.ts";

let api: Api;
let guarded: Side;
let unguarded: Side;
const started: WebProcess[] = [];

const NOTHING_LISTENS = "postgres://nobody@127.0.0.1:1/nothing";
const WITHOUT_GUARD = { NODE_OPTIONS: `--import ${new URL("../../helpers/without-guard.ts", import.meta.url).href}` };

beforeAll(async () => {
  api = await startApi();
  const settings = {
    ENCRYPTION_KEYS,
    BASE_URL,
    LOG_LEVEL: "fatal",
    CLIENT_ADDRESS_HEADER: ADDRESS_HEADER,
    TRUSTED_PROXIES: "127.0.0.1",
  };
  const start = async (more: Record<string, string>) => {
    const web = await startWebProcess({ ...settings, ...more });
    started.push(web);
    return web;
  };
  const startSide = async (more: Record<string, string>): Promise<Side> => {
    const web = await start({ DATABASE_URL: api.config.databaseUrl, ...more });
    const actionId = (await readActionIds()).get("/schedules/new") ?? "";
    return { api, web, cutOff: await start({ DATABASE_URL: NOTHING_LISTENS, ...more }), actionId };
  };
  guarded = await startSide({});
  unguarded = await startSide(WITHOUT_GUARD);
});
afterAll(async () => {
  for (const web of started) await web.stop();
  await api?.stop();
});

it("the table in server/edge/where-it-runs.md says what holds with the HTTP guard and without it", async () => {
  const failedWithGuard: string[] = [];
  const rows: string[] = [];
  let last = "";
  for (const { group, what, holds } of GUARD_CASES) {
    if (!(await holds(guarded))) failedWithGuard.push(`${group}: ${what} (${guarded.seen})`);
    const without = (await holds(unguarded)) ? "yes" : "no";
    rows.push(`| ${group === last ? "" : group} | ${what} | ${without} |`);
    last = group;
  }
  expect(failedWithGuard, "all of it holds with the guard").toEqual([]);
  await expect(`${INTRODUCTION}\n${rows.join("\n")}\n`).toMatchFileSnapshot("../../../server/edge/where-it-runs.md");
});

const INTRODUCTION = `# Where it runs

\`npm start\`, \`npm run web\` and \`next start\` own their sockets: the HTTP guard (\`server/edge/\`) stands before Next.js, and
everything in this table holds. A platform that calls the handlers of Next.js itself, such as Vercel, has no guard. There
\`proxy.ts\` and the route handlers do what they can, and what only the owner of a socket can do is the platform's part.

Set \`CLIENT_ADDRESS_HEADER\` on such a platform ([settings](../../docs/settings.md#the-proxy-in-front)). The dispatcher runs elsewhere in any case, and
does the upkeep of billing.

\`tests/integration/api/where-it-runs.long.test.ts\` writes this file (\`npx vitest run\` with its path and \`-u\`): it tries each row on the
same build with the guard and without it, and fails when the file says otherwise.

| Part | What holds with the guard | Without it |
|---|---|---|`;
