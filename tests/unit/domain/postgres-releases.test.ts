import { expect, test } from "vitest";
import { securityNotice, tooOldNotice } from "#domain/postgres-releases.ts";

test.each([
  [180_004, "18.4", "18.4", "18.6"],
  [180_005, "18.5 (Homebrew)", "18.5", "18.6"],
  [170_010, "17.10 (Debian 17.10-1.pgdg13+1)", "17.10", "17.11"],
  [160_000, "16.0", "16.0", "16.15"],
  [150_004, "15.4-YB-2.25.1.0-b0", "15.4-YB-2.25.1.0-b0", "15.19"],
  [180_000, "18beta1", "18beta1", "18.6"],
])("an operator is told that a server of version %d (%s) lacks security fixes", (number, text, shown, fixed) => {
  const notice = securityNotice({ number, text });
  expect(notice).toContain(`PostgreSQL ${shown}, which lacks the security fixes of ${fixed} `);
});

test.each([
  [180_006, "18.6"],
  [180_007, "18.7 (Ubuntu 18.7-0ubuntu1)"],
  [170_011, "17.11"],
  [160_015, "16.15"],
  [150_019, "15.19"],
  [150_100, "15.100"],
  [190_000, "19beta2"],
  [200_001, "20.1"],
  [0, ""],
])("nothing is said of a server of version %d (%s), which has them or is not known", (number, text) => {
  expect(securityNotice({ number, text })).toBeUndefined();
});

test.each([
  [140_023, "14.23 (Debian 14.23-1.pgdg13+1)", "14.23"],
  [90_624, "9.6.24", "9.6.24"],
])("a server of version %d (%s) is too old", (number, text, shown) => {
  expect(tooOldNotice({ number, text })).toContain(`PostgreSQL ${shown}, and Stopwatch needs 15 or later`);
});

test.each([
  [150_000, "15beta1"],
  [190_000, "19devel"],
  [0, ""],
])("a server of version %d (%s), which is new enough or not known, is not too old", (number, text) => {
  expect(tooOldNotice({ number, text })).toBeUndefined();
});
