import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AppError } from "#domain/errors.ts";
import { type PlanLimits, parsePlans, RETRY_STRATEGIES } from "#domain/plans.ts";
import {
  clampRelaySettings,
  effectiveRelaySettings,
  INHERITED_RELAY_SETTINGS,
  presentRelaySettings,
  relaySettingsPatch,
  type SavedRelaySettings,
} from "#domain/relay-settings.ts";

const { free, indie } = parsePlans(undefined);
const fixedOnly = parsePlans('{"free":{"retryStrategies":["fixed"],"retryStrategy":"fixed"}}').free;

const anyNumber = fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.constantFrom(-1, -0, 0, 1, 1e300, -1e300));
const anySaved = fc.record({
  cpsLimit: fc.option(anyNumber),
  retryAttempts: fc.option(anyNumber),
  retryBackoffMs: fc.option(anyNumber),
  retryStrategy: fc.option(fc.constantFrom(...RETRY_STRATEGIES)),
  earlyFire: fc.option(fc.boolean()),
});

const present = (saved: SavedRelaySettings, plan: PlanLimits) =>
  presentRelaySettings({ ...saved, testDeliveriesUntil: null }, plan);

describe("presentRelaySettings", () => {
  test("shows the plan's defaults for an account that saved nothing", () => {
    const defaults = {
      cpsLimit: 20,
      retryAttempts: 4,
      retryBackoffMs: 30_000,
      retryStrategy: "exponential",
      earlyFire: false,
    };
    expect(present(INHERITED_RELAY_SETTINGS, free)).toStrictEqual({
      cpsLimit: null,
      retryAttempts: null,
      retryBackoffMs: null,
      retryStrategy: null,
      earlyFire: null,
      testDeliveriesToListeners: false,
      testDeliveriesToListenersUntil: null,
      effective: defaults,
      limits: {
        cpsLimit: { min: 1, max: 20 },
        retryAttempts: { min: 0, max: 4 },
        retryBackoffMs: { min: 1_000, max: 3_600_000 },
        retryStrategy: ["exponential", "linear", "fixed"],
      },
      defaults,
    });
  });

  test("shows saved values as they were saved, even when a smaller plan restricts them", () => {
    const saved = {
      cpsLimit: 400,
      retryAttempts: 9,
      retryBackoffMs: 5_000,
      retryStrategy: "linear",
      earlyFire: true,
    } as const;
    expect(present(saved, indie)).toMatchObject({ ...saved, effective: saved });
    expect(present(saved, free)).toMatchObject({
      ...saved,
      effective: { ...saved, cpsLimit: 20, retryAttempts: 4 },
    });
  });
});

describe("effectiveRelaySettings", () => {
  test("returns values within the plan's limits and never null, whatever was saved", () => {
    fc.assert(
      fc.property(anySaved, fc.constantFrom(free, indie, fixedOnly), (saved, plan) => {
        const effective = effectiveRelaySettings(saved, plan);
        const { limits } = present(saved, plan);
        for (const knob of ["cpsLimit", "retryAttempts", "retryBackoffMs"] as const) {
          expect(effective[knob]).toBeGreaterThanOrEqual(limits[knob].min);
          expect(effective[knob]).toBeLessThanOrEqual(limits[knob].max);
        }
        expect(limits.retryStrategy).toContain(effective.retryStrategy);
        expect(Object.values(effective)).not.toContain(null);
      }),
    );
  });

  test("respects false and zero as saved values", () => {
    const early = parsePlans('{"free":{"earlyFire":true}}').free;
    const saved = { ...INHERITED_RELAY_SETTINGS, earlyFire: false, retryAttempts: 0 };
    expect(effectiveRelaySettings(saved, early)).toMatchObject({ earlyFire: false, retryAttempts: 0 });
    expect(effectiveRelaySettings(INHERITED_RELAY_SETTINGS, early).earlyFire).toBe(true);
  });
});

describe("relaySettingsPatch", () => {
  test.each([
    {},
    { cpsLimit: null, retryAttempts: null, retryBackoffMs: null, retryStrategy: null, earlyFire: null },
    { retryAttempts: -1 },
    { cpsLimit: 1e300, retryBackoffMs: 0 },
    { retryStrategy: "fixed", earlyFire: true },
  ])("accepts a patch with the right types unchanged: %j", (patch) => {
    expect(relaySettingsPatch.parse(patch)).toStrictEqual(patch);
  });

  test.each([
    { cpsLimit: "20" },
    { cpsLimit: 1.5 },
    { cpsLimit: Number.POSITIVE_INFINITY },
    { retryAttempts: true },
    { retryBackoffMs: [1_000] },
    { retryStrategy: "Exponential" },
    { retryStrategy: 1 },
    { earlyFire: "true" },
    { earlyFire: 1 },
    { retries: 3 },
    [],
    null,
  ])("refuses a wrong type, an unknown strategy or an unknown field: %j", (patch) => {
    expect(relaySettingsPatch.safeParse(patch).success).toBe(false);
  });
});

describe("clampRelaySettings", () => {
  test("moves numbers outside the limits to the nearest limit, and leaves the others", () => {
    expect(clampRelaySettings({ cpsLimit: 0, retryAttempts: -1, retryBackoffMs: 999 }, free)).toStrictEqual({
      cpsLimit: 1,
      retryAttempts: 0,
      retryBackoffMs: 1_000,
    });
    expect(clampRelaySettings({ cpsLimit: 21, retryAttempts: 5, retryBackoffMs: 3_600_001 }, free)).toStrictEqual({
      cpsLimit: 20,
      retryAttempts: 4,
      retryBackoffMs: 3_600_000,
    });
    expect(clampRelaySettings({ cpsLimit: 7, retryAttempts: 3, retryBackoffMs: 5_000 }, free)).toStrictEqual({
      cpsLimit: 7,
      retryAttempts: 3,
      retryBackoffMs: 5_000,
    });
  });

  test("leaves omitted settings omitted and null settings null", () => {
    expect(clampRelaySettings({}, free)).toStrictEqual({});
    expect(clampRelaySettings({ cpsLimit: null, earlyFire: null }, free)).toStrictEqual({
      cpsLimit: null,
      earlyFire: null,
    });
  });

  test("gives values that take effect as they were written", () => {
    fc.assert(
      fc.property(anySaved, fc.constantFrom(free, indie), (patch, plan) => {
        const saved = { ...INHERITED_RELAY_SETTINGS, ...clampRelaySettings(patch, plan) };
        const { effective, defaults } = present(saved, plan);
        for (const knob of Object.keys(effective) as (keyof typeof effective)[]) {
          expect(effective[knob]).toBe(saved[knob] ?? defaults[knob]);
        }
      }),
    );
  });

  test("refuses a strategy that the plan does not offer with VALIDATION", () => {
    const write = () => clampRelaySettings({ retryStrategy: "linear" }, fixedOnly);
    expect(write).toThrow(AppError);
    expect(write).toThrow(expect.objectContaining({ code: "VALIDATION" }));
  });
});
