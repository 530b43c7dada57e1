import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readActionIds } from "#tests/helpers/action-ids.ts";
import { createTestDatabase, type TestDatabase } from "#tests/helpers/database.ts";
import { ENCRYPTION_KEYS } from "#tests/helpers/encryption-keys.ts";
import { sendRaw } from "#tests/helpers/raw-request.ts";
import { startWebProcess, type WebProcess } from "#tests/helpers/web-process.ts";
import { assertSchema } from "./documented.ts";

let database: TestDatabase;
let web: WebProcess;
/** The pages with a form that has an action, and the ids of these actions in this build. */
const PAGES = ["/schedules/new", "/recurrences/one"] as const;
let actionIds: Map<string, string>;

beforeAll(async () => {
  database = await createTestDatabase();
  web = await startWebProcess({ DATABASE_URL: database.serviceUrl, ENCRYPTION_KEYS, LOG_LEVEL: "fatal" });
  actionIds = await readActionIds();
  expect([...actionIds.keys()].toSorted()).toEqual(PAGES.toSorted());
});
afterAll(async () => {
  await web?.stop();
  await database.drop();
});

type Fields = [name: string, content: string][];

/** Posts a form to a page without a credential: as its script does, or as a browser without scripts. */
function post(page: string, fields: Fields, { byScript }: { byScript: boolean }) {
  const parts = fields.map(
    ([name, content]) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${content}\r\n`,
  );
  const body = `${parts.join("")}--x--`;
  const head = [
    `POST ${page} HTTP/1.1`,
    ...["Host: x", "Connection: close", "Content-Type: multipart/form-data; boundary=x"],
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(byScript ? [`Next-Action: ${actionIds.get(page)}`] : []),
  ];
  return sendRaw(web.port, `${head.join("\r\n")}\r\n\r\n${body}`);
}

const BIGINT = `["$n${"9".repeat(300_000)}"]`;

const ARGUMENTS: [string, string][] = [
  ["a number of 300,000 digits", BIGINT],
  ["no JSON", "nonsense"],
  ["no arguments", "[]"],
  ["arguments of other types", '["a","b"]'],
  ["null", "null"],
  ["a field that is missing", '["$7","$K9"]'],
  ["no date", '["$Dx"]'],
];

describe.each(PAGES)("a form of %s whose arguments cannot be read", (page) => {
  it.each([
    ...ARGUMENTS.map(([what, content]): [string, Fields] => [what, [["0", content]]]),
    ["no list", [["0", "5"]] as Fields],
    ["an action of its own", [["0", '["$h1"]']] as Fields],
    ["none of them", [["5", "[]"]] as Fields],
    ["nothing", [] as Fields],
  ])("is VALIDATION for its script: %s", async (_, fields) => {
    const answer = await post(page, fields, { byScript: true });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([400, "application/json"]);
    assertSchema("/components/schemas/Error", JSON.parse(answer.text));
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });

  it.each(ARGUMENTS)("is 400 for a browser without scripts: %s", async (_, content) => {
    const bound = JSON.stringify({ id: actionIds.get(page), bound: "$@1" });
    const fields: Fields = [
      ["$ACTION_REF_1", ""],
      ["$ACTION_1:0", bound],
      ["$ACTION_1:1", content],
    ];
    expect((await post(page, fields, { byScript: false })).status).toBe(400);
  });
});

describe.each(PAGES)("a form of %s that can be read", (page) => {
  it("is taken with its script and without", async () => {
    const byScript = await post(
      page,
      [
        ["1_words", "in 5m"],
        ["0", '[null,"$K1"]'],
      ],
      { byScript: true },
    );
    expect([byScript.status, byScript.text]).toEqual([200, expect.stringContaining("You are signed out.")]);
    const without = await post(
      page,
      [
        ["$ACTION_REF_1", ""],
        ["$ACTION_1:0", JSON.stringify({ id: actionIds.get(page), bound: "$@1" })],
        ["$ACTION_1:1", "[null]"],
        ["words", "in 5m"],
      ],
      { byScript: false },
    );
    expect([without.status, without.text]).toEqual([401, expect.stringContaining("You are signed out")]);
  });
});
