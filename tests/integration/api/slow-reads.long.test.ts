// Guards: server/services*.ts, db/client*.ts, server/overview/**, server/read-turns.ts
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startServices } from "#server/services.ts";
import { countRunTime } from "../../helpers/run-time.ts";
import { SERVICE_ROLE } from "../../helpers/service-role.ts";
import { pause } from "../../helpers/time.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { type Api, FUTURE, startApi, TARGET, type TestCaller, testConfig } from "./api.ts";

let api: Api;
let slow: TestCaller;
let other: TestCaller;

beforeAll(async () => {
  api = await startApi();
  // Makes reading the figures of a span hang for every caller.
  await api.sql`ALTER TABLE account_counts RENAME TO counted`;
  await api.sql`CREATE FUNCTION slow_counts() RETURNS SETOF counted LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_sleep(60); END $$`;
  await api.sql`CREATE VIEW account_counts AS SELECT * FROM slow_counts()`;
  await api.sql`GRANT SELECT ON account_counts TO ${api.sql(SERVICE_ROLE)}`;
});
afterAll(() => api.stop());
beforeEach(async () => {
  slow = await api.account();
  other = await api.account();
});

const overview = () => api.call("GET", "/v1/overview", slow.live);
const pids = async () =>
  (
    await api.sql`SELECT pid FROM pg_stat_activity WHERE datname = current_database()
    AND application_name = 'stopwatch web' ORDER BY pid`
  ).map(({ pid }) => pid);
const sleeping = async () =>
  (await api.sql`SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`)
    .length;

/**
 * Makes calls of another account one after the other while `isGoing`. Returns their statuses and the time of the
 * slowest, ms.
 */
async function callMeanwhile(isGoing: () => boolean) {
  const statuses = new Set<number>();
  let slowestMs = 0;
  while (isGoing()) {
    for (const ask of [
      () => api.call("POST", "/v1/schedules", other.live, { targetUrl: TARGET, fireAt: FUTURE }),
      () => api.call("GET", "/v1/schedules?limit=1", other.live),
    ]) {
      const ranMs = countRunTime();
      statuses.add((await ask()).status);
      slowestMs = Math.max(slowestMs, ranMs());
    }
    await pause(10);
  }
  return { statuses: [...statuses].toSorted(), slowestMs };
}

describe.each([
  ["that the database itself cuts off", {}],
  // The service sets no statement_timeout behind a pooler.
  ["behind a pooler", { DATABASE_DIRECT_URL: "postgres://another.example/x" }],
])("thirty slow reads of one account, %s,", (_, settings) => {
  it("delay no call of another account, and close no database connection", async () => {
    const services = startServices(testConfig(api.config.databaseUrl, settings));
    try {
      await Promise.all(Array.from({ length: 10 }, () => api.call("GET", "/v1/me", other.live)));
      const before = await pids();
      let isGoing = true;
      const readsRanMs = countRunTime();
      const reads = Promise.all(Array.from({ length: 30 }, overview)).finally(() => {
        isGoing = false;
      });
      const meanwhile = await callMeanwhile(() => isGoing);
      const answers = await reads;
      expect(readsRanMs()).toBeLessThan(5_500);
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([429, 503]));
      for (const { headers } of answers) expect(headers.get("retry-after")).toMatch(/^\d+$/);
      expect(meanwhile.statuses).toEqual([200, 201]);
      expect(meanwhile.slowestMs).toBeLessThan(2_000);
      expect(await pids()).toEqual(expect.arrayContaining(before));
      const endRanMs = countRunTime();
      await waitFor("nothing sleeps any more", async () => (await sleeping()) === 0);
      expect(endRanMs()).toBeLessThan(2_000);
    } finally {
      await services.close();
      startServices(api.config);
    }
  });
});
