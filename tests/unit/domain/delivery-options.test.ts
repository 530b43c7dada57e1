import { describe, expect, test } from "vitest";
import { copiedOptions, isGivenUp, orNone, rangeOf, retryPolicyOf } from "#domain/delivery-options.ts";
import { parsePlans } from "#domain/plans.ts";
import { effectiveRelaySettings, INHERITED_RELAY_SETTINGS } from "#domain/relay-settings.ts";

const { free, indie } = parsePlans(undefined);

describe("statuses that end a schedule", () => {
  test("are a number, or a range with both its ends, among the failures", () => {
    expect(rangeOf(410)).toEqual({ from: 410, to: 410 });
    expect(rangeOf("400-404")).toEqual({ from: 400, to: 404 });
    expect(rangeOf("300-599")).toEqual({ from: 300, to: 599 });
  });

  test.each([200, 299, 600, 99, 410.5, "410", "404-400", "200-404", "500-600", "4xx", "400-", "-404", "400 - 404", ""])(
    "are not %j",
    (status) => expect(rangeOf(status)).toBeNull(),
  );

  test("are 410 alone unless they are given", () => {
    expect([400, 410, 411, 500].map((code) => isGivenUp(code))).toEqual([false, true, false, false]);
    expect(isGivenUp(410, [])).toBe(false);
  });
});

describe("the retries of a schedule", () => {
  const settings = effectiveRelaySettings({ ...INHERITED_RELAY_SETTINGS, retryAttempts: 2 }, indie);

  test("are by the account's settings unless it has delays of its own", () => {
    expect(retryPolicyOf(null, settings, indie)).toEqual({
      ...{ retryAttempts: 2, retryBackoffMs: 30_000, retryStrategy: "exponential" },
    });
    expect(retryPolicyOf({ timeoutMs: 1_000 }, settings, indie)).toMatchObject({ retryAttempts: 2 });
  });

  test("are its own delays, and none where it has an empty list", () => {
    expect(retryPolicyOf({ retryDelaysMs: [1_000, 2_000, 3_000] }, settings, indie)).toMatchObject({
      retryAttempts: 3,
    });
    expect(retryPolicyOf({ retryDelaysMs: [] }, settings, indie)).toMatchObject({
      retryAttempts: 0,
      retryDelaysMs: [],
    });
  });

  test("are as many as the plan allows now, which may have changed", () => {
    const retryDelaysMs = Array.from({ length: 9 }, () => 1_000);
    expect(retryPolicyOf({ retryDelaysMs }, settings, indie).retryAttempts).toBe(9);
    expect(retryPolicyOf({ retryDelaysMs }, settings, free).retryAttempts).toBe(4);
  });
});

test("a copy expires as long after its own due time as the original, or at the same instant", () => {
  expect(copiedOptions({ timeoutMs: 2_000, expiresAtMs: 5, expiresInMs: 3 })).toEqual({
    timeoutMs: 2_000,
    expiresInMs: 3,
  });
  expect(copiedOptions({ expiresAtMs: 5 })).toEqual({ expiresAtMs: 5 });
  expect(copiedOptions(null)).toBeNull();
});

test("options without any are none", () => {
  expect(orNone({})).toBeNull();
  expect(orNone({ retryDelaysMs: [] })).toEqual({ retryDelaysMs: [] });
});
