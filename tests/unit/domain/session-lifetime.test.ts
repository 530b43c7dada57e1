import fc from "fast-check";
import { expect, test } from "vitest";
import { isRecentSignIn, SESSION_DAYS, SESSION_DAYS_MAX, sessionCookieSeconds } from "#domain/session-lifetime.ts";

const DAY_S = 86_400;

test("a cookie lasts seven days, and never longer than 30 days after the sign-in", () => {
  expect(sessionCookieSeconds(0)).toBe(SESSION_DAYS * DAY_S);
  expect(sessionCookieSeconds(23 * DAY_S)).toBe(SESSION_DAYS * DAY_S);
  expect(sessionCookieSeconds(25.5 * DAY_S)).toBe(4.5 * DAY_S);
  fc.assert(
    fc.property(fc.double({ min: 0, max: 40 * DAY_S, noNaN: true }), (ageS) => {
      const seconds = sessionCookieSeconds(ageS);
      expect(Number.isInteger(seconds)).toBe(true);
      expect(seconds).toBeGreaterThanOrEqual(0);
      expect(seconds).toBeLessThanOrEqual(SESSION_DAYS * DAY_S);
      if (seconds > 0) expect(ageS + seconds).toBeLessThanOrEqual(SESSION_DAYS_MAX * DAY_S);
    }),
  );
});

test("a sign-in is recent for a day, and also when the clock went back after it", () => {
  expect([-1, 0, DAY_S].map(isRecentSignIn)).toEqual([true, true, true]);
  expect([DAY_S + 0.001, 2 * DAY_S].map(isRecentSignIn)).toEqual([false, false]);
});
