import { expect, it } from "vitest";
import { assertNextVersion } from "#scripts/release/version.ts";

it.each([
  ["0.1.0", []],
  ["0.1.0", ["", "nightly", "v1", "v0.1.0-rc.1"]],
  ["0.10.0", ["v0.9.9", "v0.2.0"]],
  ["1.0.0", ["v0.99.99"]],
  ["0.1.1", ["v0.1.0"]],
])("%s can follow %j", (version, tags) => {
  expect(() => assertNextVersion(version, tags)).not.toThrow();
});

it.each([
  ["0.1.0", ["v0.1.0"]],
  ["0.9.0", ["v0.8.0", "v0.10.0"]],
  ["0.1.9", ["v0.2.0"]],
])("%s cannot follow %j", (version, tags) => {
  expect(() => assertNextVersion(version, tags)).toThrow("is released");
});

it.each(["", "1", "1.2", "v0.1.0", "0.1.0-rc.1", "01.0.0", "1.2.3.4", "0.1.x"])(
  "'%s' is no version of a release",
  (version) => {
    expect(() => assertNextVersion(version, [])).toThrow("is not a version such as 0.1.0");
  },
);
