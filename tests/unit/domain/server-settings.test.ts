import { describe, expect, it } from "vitest";
import { type FoundSettings, judgeSettings, NEEDED } from "#domain/server-settings.ts";

const FITTING: FoundSettings = {
  settings: {
    ...NEEDED,
    server_encoding: "UTF8",
    session_replication_role: "origin",
    synchronous_commit: "on",
    fsync: "on",
    full_page_writes: "on",
    statement_timeout: "0",
    transaction_timeout: "0",
  },
  user: "stopwatch",
  database: "prod",
  searchPath: '"$user", public',
  schema: "public",
  hidden: [],
  guarded: [],
  home: "public",
  isInstalled: true,
};
const judged = (settings: Record<string, string>, of = {}) =>
  judgeSettings({ ...FITTING, settings: { ...FITTING.settings, ...settings } }, of);

it("settings that fit are neither refused nor warned of", () => {
  for (const isPooled of [false, true]) {
    expect(judgeSettings(FITTING, { isPooled, creates: true })).toEqual({ refused: [], warnings: [], session: {} });
  }
});

describe("a setting that changes answers is refused by its name, with the statement that sets it:", () => {
  it.each([
    ["DateStyle", "German, DMY", "'ISO, MDY'"],
    ["TimeZone", "Europe/Berlin", "UTC"],
    ["extra_float_digits", "0", "1"],
    ["standard_conforming_strings", "off", "on"],
    ["array_nulls", "off", "on"],
    ["default_transaction_isolation", "repeatable read", "'read committed'"],
    ["gin_fuzzy_search_limit", "100", "0"],
    ["exit_on_error", "on", "off"],
    ["session_replication_role", "replica", "origin"],
  ])("%s = %s", (name, value, wanted) => {
    const { refused } = judged({ [name]: value }, { isPooled: true });
    expect(refused).toHaveLength(1);
    expect(refused[0]).toContain(`${name} is "${value}"`);
    expect(refused[0]).toContain(`run: ALTER ROLE "stopwatch" IN DATABASE "prod" SET ${name} = ${wanted}`);
  });

  it.each([
    ["DateStyle", "ISO, DMY"],
    ["TimeZone", "Etc/UTC"],
    ["extra_float_digits", "3"],
  ])("but not %s = %s, which changes none", (name, value) => {
    expect(judged({ [name]: value }).refused).toEqual([]);
  });
});

it("an encoding that lacks characters is refused, and one that knows none is warned of", () => {
  expect(judged({ server_encoding: "LATIN1" }).refused).toEqual([expect.stringContaining("LATIN1")]);
  expect(judged({ server_encoding: "SQL_ASCII" })).toMatchObject({
    refused: [],
    warnings: [expect.stringContaining("SQL_ASCII")],
  });
});

it("a search_path that does not lead to a table is refused, and one that leads elsewhere first", () => {
  const found = { ...FITTING, searchPath: "", schema: null, hidden: ["accounts", "lanes"] };
  expect(judgeSettings(found).refused).toEqual([
    'search_path is empty, which does not lead to accounts and 1 more of the schema public: run: ALTER ROLE "stopwatch" IN DATABASE "prod" SET search_path = public',
  ]);
  const app = { ...FITTING, searchPath: "app, public", schema: "app" };
  expect(judgeSettings(app, { creates: true }).refused).toEqual([
    expect.stringContaining("search_path is app, public"),
  ]);
});

it("what a crash could lose is set for each session on the server, and warned of behind a pooler", () => {
  const off = { synchronous_commit: "off" };
  expect(judged(off)).toEqual({ refused: [], warnings: [], session: { synchronous_commit: "on" } });
  expect(judged(off, { isPooled: true })).toMatchObject({
    warnings: [expect.stringContaining("synchronous_commit is off")],
    session: {},
  });
  for (const kept of ["local", "remote_write", "remote_apply"]) {
    expect(judged({ synchronous_commit: kept })).toEqual({ refused: [], warnings: [], session: {} });
  }
  expect(judged({ fsync: "off", full_page_writes: "off" }).warnings).toHaveLength(2);
});

it("a timeout for transactions is lifted on the server, and behind a pooler short ones are warned of", () => {
  expect(judged({ transaction_timeout: "40" }).session).toEqual({ transaction_timeout: "0" });
  const short = { transaction_timeout: "40", statement_timeout: "999", lock_timeout: "3000" };
  expect(judged(short, { isPooled: true }).warnings).toEqual([
    expect.stringContaining("statement_timeout is 999 ms"),
    expect.stringContaining("transaction_timeout is 40 ms"),
  ]);
});

it("a table of which row level security hides rows is refused by its name, with what lets this user see them", () => {
  expect(judgeSettings({ ...FITTING, guarded: ["accounts", "schedules"] }).refused).toEqual([
    expect.stringMatching(
      /^row level security hides the rows of accounts and 1 more .*ALTER ROLE "?stopwatch"? BYPASSRLS/,
    ),
  ]);
});
