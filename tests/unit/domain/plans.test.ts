import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formBytesMax, graceLimit, parsePlans } from "#domain/plans.ts";

describe("parsePlans", () => {
  test("returns the plans of the contract when there is no override", () => {
    const same = {
      testMonthlyQuota: 1_000,
      retryAttempts: 4,
      retryBackoffMs: 30_000,
      retryBackoffMsMin: 1_000,
      retryBackoffMsMax: 3_600_000,
      retryStrategy: "exponential",
      retryStrategies: ["exponential", "linear", "fixed"],
      earlyFire: false,
      sessionsMax: 50,
      identitiesMax: 10,
      apiKeysMax: 100,
      apiKeysPerDay: 200,
    };
    expect(parsePlans(undefined)).toEqual({
      free: {
        ...same,
        monthlyQuota: 2_000,
        payloadBytesMax: 51_200,
        bulkItemsMax: 100,
        retentionDays: 7,
        terminalDays: 90,
        requestsPerMinute: 600,
        operationsPerDay: 200,
        recurrencesMax: 10,
        recurrenceSpacingMsMin: 60_000,
        cpsLimit: 20,
        retryAttemptsMax: 4,
      },
      indie: {
        ...same,
        monthlyQuota: 50_000,
        payloadBytesMax: 262_144,
        bulkItemsMax: 500,
        retentionDays: 30,
        terminalDays: 365,
        requestsPerMinute: 6_000,
        operationsPerDay: 2_000,
        recurrencesMax: 500,
        recurrenceSpacingMsMin: 10_000,
        cpsLimit: 500,
        retryAttemptsMax: 9,
      },
    });
  });

  test("changes only the key that is overridden, and not the table that later calls start from", () => {
    const plans = parsePlans('{"free":{"monthlyQuota":100000,"cpsLimit":500},"indie":{"retryBackoffMs":1000}}');
    const table = parsePlans(undefined);
    expect(plans.free).toEqual({ ...table.free, monthlyQuota: 100_000, cpsLimit: 500 });
    expect(plans.indie).toEqual({ ...table.indie, retryBackoffMs: 1_000 });
  });

  test("can override every limit of either plan", () => {
    const table = parsePlans(undefined);
    expect(parsePlans(JSON.stringify(table))).toEqual(table);
    expect(parsePlans(JSON.stringify({ free: table.indie })).free).toEqual(table.indie);
  });

  test.each([
    ["{", "expected JSON such as"],
    ["[]", "the whole: expected an object with the plans free and indie, got []"],
    ["null", "the whole: expected an object with the plans free and indie, got null"],
    ['{"pro":{}}', "pro: unknown, expected one of free, indie"],
    ['{"free":7}', "free: expected an object of limits, got 7"],
    ['{"free":{"cps":1}}', "free.cps: unknown, expected one of monthlyQuota, "],
    ['{"free":{"__proto__":1}}', "free.__proto__: unknown"],
    ['{"free":{"cpsLimit":"500"}}', 'free.cpsLimit: expected an integer from 1 to 100000, got "500"'],
    ['{"free":{"cpsLimit":0}}', "free.cpsLimit: expected an integer from 1 to 100000, got 0"],
    ['{"free":{"cpsLimit":1.5}}', "free.cpsLimit: expected an integer from 1 to 100000, got 1.5"],
    ['{"free":{"cpsLimit":null}}', "free.cpsLimit: expected an integer from 1 to 100000, got null"],
    ['{"indie":{"earlyFire":"yes"}}', 'indie.earlyFire: expected true or false, got "yes"'],
    ['{"indie":{"retryStrategy":"random"}}', "indie.retryStrategy: expected one of exponential, linear, fixed"],
    ['{"indie":{"retryStrategies":[]}}', "indie.retryStrategies: expected at least one strategy, got []"],
    ['{"indie":{"retryStrategies":["fixed","no"]}}', "indie.retryStrategies.1: expected one of exponential"],
    ['{"indie":{"retryStrategies":["fixed","fixed"]}}', "indie.retryStrategies: expected each strategy once"],
  ])("refuses an unusable value with its path, what was expected and what came: %s", (json, message) => {
    expect(() => parsePlans(json)).toThrow(message);
  });

  test.each([
    ['{"free":{"terminalDays":6}}', "free.terminalDays: expected at least retentionDays (7), got 6"],
    ['{"free":{"retryAttempts":5}}', "free.retryAttempts: expected at most retryAttemptsMax (4), got 5"],
    ['{"indie":{"retryAttemptsMax":3}}', "indie.retryAttempts: expected at most retryAttemptsMax (3), got 4"],
    [
      '{"free":{"retryBackoffMs":999}}',
      "free.retryBackoffMs: expected retryBackoffMsMin to retryBackoffMsMax (1000 to",
    ],
    ['{"free":{"retryBackoffMsMax":29999}}', "(1000 to 29999), got 30000"],
    ['{"free":{"retryStrategies":["fixed"]}}', 'free.retryStrategy: expected one of retryStrategies (fixed), got "exp'],
  ])("refuses limits that contradict each other: %s", (json, message) => {
    expect(() => parsePlans(json)).toThrow(message);
  });

  test("reports every problem at once", () => {
    expect(() => parsePlans('{"free":{"cpsLimit":0,"x":1},"indie":{"bulkItemsMax":-1}}')).toThrow(
      /free\.cpsLimit: .*free\.x: .*indie\.bulkItemsMax: /,
    );
  });
});

describe("graceLimit", () => {
  test.each([
    [0, 0],
    [1, 1],
    [9, 9],
    [10, 11],
    [19, 20],
    [2_000, 2_200],
    [50_000, 55_000],
  ])("of %d schedules a month is %d", (quota, grace) => {
    expect(graceLimit(quota)).toBe(grace);
  });

  test("is exactly a tenth more than the quota, rounded down", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000_000 }), (quota) => {
        expect(BigInt(graceLimit(quota))).toBe((BigInt(quota) * 11n) / 10n);
      }),
    );
  });
});

test("the form of a new schedule may carry the largest payload twice, between 1 and 8 MiB", () => {
  const largest = (payloadBytesMax: number) =>
    formBytesMax(parsePlans(JSON.stringify({ free: { payloadBytesMax }, indie: { payloadBytesMax: 1 } })));
  expect(formBytesMax(parsePlans(undefined))).toBe(8 * 262_144 + 65_536);
  expect([largest(1), largest(200_000), largest(2_000_000)]).toEqual([1_048_576, 1_665_536, 8_388_608]);
});
