import { describe, expect, test, vi } from "vitest";
import { DatabaseUnavailable } from "#db/client.ts";
import { InstallationError } from "#db/installation-error.ts";
import { parseTrustedProxies } from "#domain/caller-address.ts";
import { type Check, failure, ok, warning } from "#scripts/doctor/check.ts";
import { judgeBaseUrl } from "#scripts/doctor/checks/base-url.ts";
import { judgeClock } from "#scripts/doctor/checks/clock.ts";
import { judgeConnections } from "#scripts/doctor/checks/connections.ts";
import { judgeAbsent, judgeDatabases } from "#scripts/doctor/checks/database.ts";
import { judgeDisk } from "#scripts/doctor/checks/disk.ts";
import { judgeFleet } from "#scripts/doctor/checks/dispatchers.ts";
import { judgeExtensions } from "#scripts/doctor/checks/extensions.ts";
import { judgeIncarnation } from "#scripts/doctor/checks/incarnation.ts";
import { judgeKeys } from "#scripts/doctor/checks/keys.ts";
import { judgeMailbox, judgeResend } from "#scripts/doctor/checks/mail.ts";
import { judgePartitions } from "#scripts/doctor/checks/partitions.ts";
import { judgePooled } from "#scripts/doctor/checks/pooler.ts";
import { judgeProxies } from "#scripts/doctor/checks/proxies.ts";
import { judgeRetention } from "#scripts/doctor/checks/retention.ts";
import { judgeRole } from "#scripts/doctor/checks/role.ts";
import { judgeServer } from "#scripts/doctor/checks/server.ts";
import { judgeSettings } from "#scripts/doctor/checks/settings.ts";
import { judgeVersion } from "#scripts/doctor/checks/version.ts";
import { CHECKS } from "#scripts/doctor/checks.ts";
import type { Context } from "#scripts/doctor/context.ts";
import { describeFailure } from "#scripts/doctor/describe-failure.ts";
import { lineOf, overall } from "#scripts/doctor/report.ts";
import { runChecks } from "#scripts/doctor/run-checks.ts";

type Case = [title: string, finding: { status: string; found: string; todo?: string }, status: string, says: RegExp];

const GB = 1e9;
const HOUR_S = 3_600;
const session = (identity: string, more = {}) => ({
  database: "stopwatch",
  role: "r",
  isSuperuser: false,
  isEncrypted: true,
  identity,
  startedAtMs: 0,
  statementTimeoutMs: 0,
  ...more,
});
const member = { host: "a", version: "1.0.0", isAlive: true, skewMs: 2, shards: 64 };
const counts = { used: 50, serverMax: 97, databaseUsed: 10, databaseMax: null, roleUsed: 10, roleMax: null };
const needs = { web: 19, dispatcher: 15 };
const here = { systemIdentifier: "7", timeline: 1, databaseOid: 5, tableOid: 16_500 };
const standing = {
  current: here,
  wasStandby: false,
  nowMs: 1e9,
  ownAtMs: null,
  choice: null,
  newest: { atMs: 1e9 - 2_000, ...here, isCopied: false },
};
const restored = { ...standing, newest: { ...here, atMs: 1e9 - 600_000, systemIdentifier: "8", isCopied: false } };
const answer = { status: 200, body: { status: "ok" }, location: null, ms: 3 };
const domains = [
  { name: "example.com", status: "verified" },
  { name: "new.example.org", status: "pending" },
];
const proxied = (list: string, more = {}) =>
  judgeProxies({
    trustedProxies: parseTrustedProxies(list),
    header: null,
    baseUrl: "https://a.example",
    host: "0.0.0.0",
    ...more,
  });
const resend = (from: string, status: number, name = "") => judgeResend({ from, answer: { status, name, domains } });
const role = { name: "r", isSuperuser: false, isRestricted: true, missing: [], excess: undefined, isEmbedded: false };
const settings = { problems: [], set: 3, ignored: [], misspelt: [], keysFile: null, allowed: "" };
const sample = (sentAtMs: number, databaseMs: number, receivedAtMs: number) => ({ sentAtMs, databaseMs, receivedAtMs });

const CASES: Case[] = [
  ["right settings", judgeSettings(settings), "ok", /^3 set/],
  [
    "a wrong setting",
    judgeSettings({ ...settings, problems: ["PORT: no", "HSTS: no"] }),
    "failure",
    /PORT: no; HSTS: no/,
  ],
  [
    "keys of npm start beside an own database",
    judgeSettings({ ...settings, keysFile: "d/keys.env" }),
    "warning",
    /d\/keys\.env/,
  ],
  ["ignored parameters", judgeSettings({ ...settings, ignored: ["pgbouncer"] }), "ok", /pgbouncer/],
  [
    "a misspelt setting",
    judgeSettings({ ...settings, misspelt: [{ name: "DELIVERY_ALOW", meant: "DELIVERY_ALLOW" }] }),
    "warning",
    /DELIVERY_ALOW is no setting/,
  ],
  ["allowed targets", judgeSettings({ ...settings, allowed: "localhost:1" }), "ok", /every account reach localhost:1/],
  ["no embedded database", judgeAbsent({ isEmbedded: true, dataDir: "d", problems: [] }), "failure", /on d.*npm start/],
  ["no address", judgeAbsent({ isEmbedded: false, dataDir: "d", problems: ["x"] }), "failure", /settings/],
  [
    "one database",
    judgeDatabases({ where: "x on y:1", direct: session("1"), others: [], answeredMs: 3, nowMs: 60_000 }),
    "ok",
    /x on y:1 answers in 3 ms, encrypted.*60 s/,
  ],
  [
    "a pooled address of another database",
    judgeDatabases({
      where: "x",
      direct: session("1"),
      others: [{ name: "DATABASE_URL", ...session("2") }],
      answeredMs: 3,
      nowMs: 0,
    }),
    "failure",
    /^DATABASE_URL leads to another/,
  ],
  ["a version with all fixes", judgeVersion({ number: 180006, text: "18.6" }, false), "ok", /18\.6/],
  ["a version that is new here", judgeVersion({ number: 190001, text: "19.1" }, false), "ok", /19\.1/],
  [
    "a version without fixes",
    judgeVersion({ number: 170002, text: "17.2 (Debian)" }, false),
    "warning",
    /17\.2, which lacks.*Update/s,
  ],
  ["no pooler", judgePooled(null), "ok", /keeps them/],
  ["a pooler with a limit", judgePooled({ role: "r", statementTimeoutMs: 3_500 }), "ok", /3500 ms/],
  [
    "a pooler without a limit",
    judgePooled({ role: "r", statementTimeoutMs: 0 }),
    "warning",
    /ALTER ROLE "r" SET statement_timeout/,
  ],
  ["a server with good settings", judgeServer([]), "ok", /lose nothing/],
  [
    "a server that can lose data",
    judgeServer(["fsync is off: x", "fsync is off: x", "y"]),
    "warning",
    /^fsync is off: x; y\. Correct/,
  ],
  ["equal clocks", judgeClock([sample(0, 5, 10)]), "ok", /0 ms ahead of the database \(± 5 ms\)/],
  [
    "a clock that is behind",
    judgeClock([sample(0, 3_605_000, 10_000), sample(0, 3_600_001, 2)]),
    "warning",
    /3600 s behind .*± 1 ms.*NTP/s,
  ],
  ["a clock that is ahead", judgeClock([sample(2_000, 0, 2_002)]), "warning", /2001 ms ahead/],
  [
    "a skew within the round trip",
    judgeClock([sample(0, 0, 4_000)]),
    "ok",
    /2000 ms ahead of the database \(± 2000 ms\)/,
  ],
  ["connections enough", judgeConnections(counts, needs), "ok", /50 of 97 are used, 47 left.*19.*15/],
  [
    "no room for a replacement",
    judgeConnections({ ...counts, used: 60 }, needs),
    "warning",
    /37 left.*max_connections.*38/s,
  ],
  ["none left", judgeConnections({ ...counts, used: 97 }, needs), "failure", /0 left/],
  [
    "a limit of the role",
    judgeConnections({ ...counts, roleMax: 20 }, needs),
    "warning",
    /10 of 20.*CONNECTION LIMIT of the role/s,
  ],
  [
    "a limit of the database",
    judgeConnections({ ...counts, databaseMax: 11 }, needs),
    "failure",
    /10 of 11.*of the database/s,
  ],
  ["extensions", judgeExtensions([{ name: "e", isAvailable: true, schema: "s", isUsable: true }]), "ok", /e in s/],
  [
    "an extension to create",
    judgeExtensions([{ name: "e", isAvailable: true, schema: null, isUsable: false }]),
    "failure",
    /database lacks e.*migrate/s,
  ],
  [
    "an extension to install",
    judgeExtensions([{ name: "e", isAvailable: false, schema: null, isUsable: false }]),
    "failure",
    /server lacks e.*contrib/s,
  ],
  [
    "an extension in a closed schema",
    judgeExtensions([{ name: "e", isAvailable: true, schema: "S", isUsable: false }]),
    "failure",
    /GRANT USAGE ON SCHEMA "S"/,
  ],
  ["a restricted role", judgeRole(role), "ok", /may not change the tables/],
  [
    "a role without a right",
    judgeRole({ ...role, missing: ["UPDATE on schedules"] }),
    "failure",
    /r lacks UPDATE on schedules.*migrate/s,
  ],
  ["a role without many", judgeRole({ ...role, missing: [..."abcdefg"] }), "failure", /a, b, c, d, e and 2 more/],
  ["a role with too many", judgeRole({ ...role, excess: "The role r can create tables: run X." }), "warning", /run X/],
  ["a superuser", judgeRole({ ...role, isRestricted: false, isSuperuser: true }), "warning", /superuser/],
  [
    "a superuser of the embedded database",
    judgeRole({ ...role, isRestricted: false, isSuperuser: true, isEmbedded: true }),
    "ok",
    /embedded/,
  ],
  ["the owner", judgeRole({ ...role, isRestricted: false }), "ok", /may change the tables too/],
  ["one key", judgeKeys({ isUsed: true, keys: 1 }), "ok", /^1 key, which opens/],
  ["two keys", judgeKeys({ isUsed: true, keys: 2 }), "ok", /^2 keys, which open.*keys:rotate/],
  ["keys of an empty database", judgeKeys({ isUsed: false, keys: 1 }), "ok", /nothing .* sealed/],
  [
    "the database that dispatchers know",
    judgeIncarnation({ standing, hold: null, isPending: false }),
    "ok",
    /system 7, timeline 1; .*2 s old/,
  ],
  [
    "a new database",
    judgeIncarnation({ standing: { ...standing, newest: null }, hold: null, isPending: false }),
    "ok",
    /no heartbeat/,
  ],
  [
    "a database that tells no incarnation",
    judgeIncarnation({
      standing: { ...standing, current: { ...here, systemIdentifier: null, timeline: null } },
      hold: null,
      isPending: false,
    }),
    "ok",
    /reconcile -- --hold/,
  ],
  [
    "a hold",
    judgeIncarnation({
      standing,
      hold: { id: "1", reason: "operator", newestBeatAtMs: null, beganAtMs: 0 },
      isPending: false,
    }),
    "failure",
    /Nothing is sent: an operator.*reconcile/s,
  ],
  [
    "a restored database with nothing pending",
    judgeIncarnation({ standing: restored, hold: null, isPending: false }),
    "warning",
    /restored/,
  ],
  [
    "a restored database with something pending",
    judgeIncarnation({ standing: restored, hold: null, isPending: true }),
    "failure",
    /send nothing.*reconcile/s,
  ],
  ["a dispatcher", judgeFleet([member], "1.0.0"), "ok", /^1 alive\.$/],
  ["no dispatcher", judgeFleet([{ ...member, isAlive: false }], "1.0.0"), "failure", /nothing is sent.*Start one/s],
  [
    "a silent one beside another",
    judgeFleet([member, { ...member, isAlive: false }], "1.0.0"),
    "ok",
    /1 alive, 1 silent/,
  ],
  [
    "one of another version",
    judgeFleet([member, { ...member, version: "0.9.0" }], "1.0.0"),
    "warning",
    /0\.9\.0, and this is 1\.0\.0/,
  ],
  ["one with a wrong clock", judgeFleet([{ ...member, skewMs: -5_000 }], "1.0.0"), "warning", /5000 ms/],
  ["partitions", judgePartitions(8), "ok", /8 days/],
  ["few partitions", judgePartitions(2), "warning", /2 days.*dispatcher/s],
  ["one partition", judgePartitions(1), "warning", /for 1 day ahead/],
  ["no partition", judgePartitions(0), "failure", /0 days.*default/s],
  ["nothing to delete", judgeRetention([{ job: "sessions", rows: 0, oldestS: 0 }]), "ok", /nothing/],
  [
    "rows since the last hour",
    judgeRetention([{ job: "sessions", rows: 12, oldestS: HOUR_S }]),
    "ok",
    /12 rows.*60 min \(sessions\)/,
  ],
  [
    "rows since hours",
    judgeRetention([
      { job: "a", rows: 1, oldestS: 9 },
      { job: "b", rows: 10_000, oldestS: 7 * HOUR_S },
    ]),
    "warning",
    /10,001 or more.*7 h \(b\)/,
  ],
  ["rows since days", judgeRetention([{ job: "b", rows: 5, oldestS: 100 * HOUR_S }]), "failure", /4 days \(b\)/],
  [
    "a roomy disk",
    judgeDisk({ dataDir: "d", freeBytes: 20 * GB, totalBytes: 100 * GB }),
    "ok",
    /20\.0 GB of 100\.0 GB/,
  ],
  ["a disk that fills", judgeDisk({ dataDir: "d", freeBytes: GB, totalBytes: 100 * GB }), "warning", /1\.0 GB/],
  [
    "a full disk",
    judgeDisk({ dataDir: "d", freeBytes: 1e6, totalBytes: 100 * GB }),
    "failure",
    /1 MB.*Free space now/s,
  ],
  ["a mailbox on this machine", judgeMailbox({ folder: "m", isWritable: true, isHere: true }), "ok", /files in m/],
  ["a mailbox for others", judgeMailbox({ folder: "m", isWritable: true, isHere: false }), "warning", /RESEND_API_KEY/],
  [
    "a mailbox that cannot be written",
    judgeMailbox({ folder: "m", isWritable: false, isHere: true }),
    "failure",
    /m, cannot be written/,
  ],
  ["a verified domain", resend("S <a@example.com>", 200), "ok", /example\.com is verified; nothing was sent/],
  ["a domain below a verified one", resend("a@mail.example.com", 200), "ok", /verified/],
  ["a domain that is not verified yet", resend("a@new.example.org", 200), "failure", /new\.example\.org.* is pending/],
  ["a domain of nobody", resend("a@other.example", 200), "failure", /not among/],
  ["a domain with the same end", resend("a@notexample.com", 200), "failure", /not among/],
  ["a key that may only send", resend("a@example.com", 401, "restricted_api_key"), "ok", /was not checked/],
  ["a wrong key", resend("a@example.com", 403, "invalid_api_key"), "failure", /403 invalid_api_key.*RESEND_API_KEY/s],
  ["a provider that is down", resend("a@example.com", 503), "warning", /503/],
  [
    "a provider that cannot be reached",
    judgeResend({ from: "a@b.example", answer: { error: "ENOTFOUND" } }),
    "failure",
    /ENOTFOUND/,
  ],
  [
    "an https base URL",
    judgeBaseUrl({ url: "https://a.example", health: answer, isSame: true }),
    "ok",
    /3 ms, with this database/,
  ],
  [
    "a base URL that tells no database",
    judgeBaseUrl({ url: "https://a.example", health: answer, isSame: null }),
    "ok",
    /could not be seen/,
  ],
  [
    "one of this machine",
    judgeBaseUrl({ url: "http://localhost:3000", health: answer, isSame: true }),
    "ok",
    /localhost/,
  ],
  [
    "one without TLS",
    judgeBaseUrl({ url: "http://a.example", health: answer, isSame: true }),
    "warning",
    /without TLS/,
  ],
  [
    "a dispatcher's port",
    judgeBaseUrl({
      url: "http://localhost:9464",
      health: { ...answer, body: { status: "ok", part: "dispatcher" } },
      isSame: null,
    }),
    "failure",
    /a dispatcher's own port/,
  ],
  [
    "one of another database",
    judgeBaseUrl({ url: "https://a.example", health: answer, isSame: false }),
    "failure",
    /another database/,
  ],
  [
    "a redirect",
    judgeBaseUrl({
      url: "http://a.example",
      health: { ...answer, status: 301, location: "https://a.example/healthz" },
      isSame: null,
    }),
    "failure",
    /redirects to https:\/\/a\.example/,
  ],
  [
    "something else there",
    judgeBaseUrl({ url: "https://a.example", health: { ...answer, body: null }, isSame: null }),
    "failure",
    /not as Stopwatch/,
  ],
  [
    "an error there",
    judgeBaseUrl({ url: "https://a.example", health: { ...answer, status: 502 }, isSame: null }),
    "failure",
    /502/,
  ],
  [
    "nobody there",
    judgeBaseUrl({ url: "https://a.example", health: { error: "ECONNREFUSED" }, isSame: null }),
    "failure",
    /ECONNREFUSED.*Start the web part/s,
  ],
  ["a proxy", proxied("10.0.0.0/8"), "ok", /10\.0\.0\.0\/8 may name a caller, by X-Forwarded-For/],
  ["a proxy with a header of its own", proxied("10.0.0.0/8", { header: "cf-connecting-ip" }), "ok", /cf-connecting-ip/],
  ["everybody as a proxy", proxied("0.0.0.0/0"), "failure", /everybody/],
  ["everybody of IPv6 as a proxy", proxied("10.0.0.1,::/0"), "failure", /everybody/],
  ["https without a proxy", proxied(""), "warning", /TRUSTED_PROXIES/],
  ["plain http without a proxy", proxied("", { baseUrl: "http://localhost:3000" }), "ok", /none/],
  ["a header without a proxy", proxied("", { header: "x-real-ip" }), "warning", /x-real-ip/],
  [
    "a proxy elsewhere, and a port for this machine alone",
    proxied("10.0.0.1", { host: "127.0.0.1" }),
    "warning",
    /127\.0\.0\.1.*10\.0\.0\.1\/32/,
  ],
  ["a proxy of this machine", proxied("127.0.0.1", { host: "127.0.0.1" }), "ok", /127\.0\.0\.1\/32/],
];

test.each(CASES)("%s is judged: what was found, and what to do where it is not right", (_, finding, status, says) => {
  expect(finding.status).toBe(status);
  const line = lineOf({ name: "n", ...finding } as Parameters<typeof lineOf>[0]);
  expect(line.slice("ok       n              ".length)).toMatch(says);
  if (finding.status === "warning" || finding.status === "failure") expect(finding.todo).toMatch(/\w{3}.*\.$/);
});

describe("the checks", () => {
  const check = (name: string, needs: string[], run: Check["run"]): Check => ({ name, needs, run });
  const context = { clear: (text: string) => text.replaceAll("secret", "…") } as Context;

  test("each comes after those that it needs, and has a name of its own", () => {
    const names = CHECKS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const [at, { needs }] of CHECKS.entries()) {
      for (const one of needs) expect(names.slice(0, at)).toContain(one);
    }
  });

  test("one that needs a failed one is skipped, names the one that failed first, and is not run", async () => {
    const results = await runChecks(
      [
        check("a", [], async () => failure("x", "Do y.")),
        check("b", ["a"], () => Promise.reject(new Error("ran"))),
        check("c", ["b"], () => Promise.reject(new Error("ran"))),
        check("d", [], async () => warning("x", "Do y.")),
        check("e", ["d"], async () => ok("x")),
      ],
      context,
    );
    expect(results.map(({ status }) => status)).toEqual(["failure", "skipped", "skipped", "warning", "ok"]);
    expect(results[2]?.found).toBe('not checked, since "a" failed');
    expect(overall(results)).toBe("failure");
    expect(overall(results.slice(3))).toBe("warning");
    expect(overall(results.slice(4))).toBe("ok");
  });

  test("one that throws has failed, with its reason in one line, and no secret", async () => {
    const refused = new DatabaseUnavailable(new Error("no secret\nfor you"), "login");
    const [login, installation, bug] = await runChecks(
      [
        check("a", [], () => Promise.reject(refused)),
        check("b", [], () => Promise.reject(new InstallationError("Run x."))),
        check("c", [], () => Promise.reject(Object.assign(new Error("secret"), { code: "EIO" }))),
      ],
      context,
    );
    expect(login?.found).toMatch(/refuses the login .*DATABASE_URL.*\(no …\nfor you\)$/);
    expect(login && lineOf(login)).toMatch(/^failure .*no …; for you\)\.$/);
    expect(installation).toMatchObject({ status: "failure", found: "Run x." });
    expect(bug).toMatchObject({ status: "failure", found: "… (EIO)" });
  });

  test("one that is slow is a warning, in itself and in the database, and others that need it still run", async () => {
    vi.useFakeTimers();
    try {
      const late = new DatabaseUnavailable(new Error("deadline"), "timeout");
      const running = runChecks(
        [
          check("a", [], () => new Promise(() => {})),
          check("b", ["a"], () => Promise.reject(late)),
          check("c", ["b"], async () => ok("x")),
        ],
        context,
      );
      await vi.runAllTimersAsync();
      const results = await running;
      expect(results.map(({ status, found }) => [status, found])).toEqual([
        ["warning", "slow: no result within 5 s"],
        ["warning", "slow: no result within 4.5 s"],
        ["ok", "x"],
      ]);
      expect(overall(results)).toBe("warning");
    } finally {
      vi.useRealTimers();
    }
  });

  test("several addresses of a host that all refuse are reported by the first reason", () => {
    const cause = new AggregateError([new Error("connect ECONNREFUSED ::1:5432"), new Error("other")], "");
    expect(describeFailure(new DatabaseUnavailable(cause), (text) => text)).toMatchObject({
      found: "The database cannot be reached right now (connect ECONNREFUSED ::1:5432)",
      todo: expect.stringMatching(/^Start the server/),
    });
  });
});
