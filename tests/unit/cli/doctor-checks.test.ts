import { describe, expect, it } from "vitest";
import { clock } from "../../../cli/src/doctor/clock.ts";
import type { DoctorContext } from "../../../cli/src/doctor/context.ts";
import type { HttpAnswer } from "../../../cli/src/doctor/http-answer.ts";
import { quota } from "../../../cli/src/doctor/quota.ts";
import { rate } from "../../../cli/src/doctor/rate.ts";
import { version } from "../../../cli/src/doctor/version.ts";

const NOW = Date.parse("2026-03-27T14:35:00.400Z");

function answer(status: number, headers: Record<string, string>, text = ""): HttpAnswer {
  return { status, headers: new Headers(headers), text, sentAtMs: NOW, receivedAtMs: NOW + 20 };
}

const contextOf = (parts: Partial<DoctorContext>) => parts as DoctorContext;

describe("the version of the command line", () => {
  const served = (location: string, own: string) =>
    version.run(
      contextOf({
        url: new URL("https://stopwatch.example.com"),
        version: own,
        get: async (path) =>
          path === "/healthz" ? answer(200, {}, '{"status":"ok"}') : answer(307, { Location: location }),
      }),
    );

  it("is right when the installation serves the same", async () => {
    const finding = await served("/cli/stopwatch-cli-0.1.0-b1a2b3c4d5e6f.tgz", "0.1.0-b1a2b3c4d5e6f");
    expect(finding).toEqual({
      status: "ok",
      found: "Stopwatch answers; this is its command line (0.1.0-b1a2b3c4d5e6f)",
    });
  });

  it("is a warning with the command that installs it when it serves another", async () => {
    expect(await served("/cli/stopwatch-cli-0.2.0-bffffffffffff.tgz", "0.1.0-b1a2b3c4d5e6f")).toEqual({
      status: "warning",
      found: "Stopwatch serves the command line 0.2.0-bffffffffffff, and this is 0.1.0-b1a2b3c4d5e6f",
      fix: "npm install --global https://stopwatch.example.com/cli.tgz",
    });
  });

  it("is a warning where the installation serves none", async () => {
    expect(await served("/elsewhere", "0.1.0-b1a2b3c4d5e6f")).toMatchObject({ status: "warning" });
  });
});

it.each([
  [-1_400, "ok", "agrees with the installation's, to a second"],
  [1_000, "ok", "agrees with the installation's, to a second"],
  [-10_400, "warning", "this machine's clock is 9 s ahead of the installation's"],
  [60_600, "warning", "this machine's clock is 61 s behind the installation's"],
  [
    -400_400,
    "failure",
    "this machine's clock is 399 s ahead of the installation's: a receiver here refuses every signature",
  ],
  [
    400_600,
    "failure",
    "this machine's clock is 401 s behind the installation's: a receiver here refuses every signature",
  ],
])("a clock is judged by Date, which has whole seconds: %i ms", async (offsetMs, status, found) => {
  const date = new Date(NOW + offsetMs).toUTCString();
  expect(await clock.run(contextOf({ answer: answer(200, { Date: date }) }))).toMatchObject({ status, found });
});

it("without a Date nothing is said about the clock", async () => {
  expect(await clock.run(contextOf({ answer: answer(200, {}) }))).toMatchObject({ status: "skipped" });
});

it.each([
  [0, "ok"],
  [799, "ok"],
  [800, "warning"],
  [1_000, "warning"],
  [1_100, "failure"],
])("the quota is judged from 80 percent on: %i of 1000", async (scheduled, status) => {
  const usage = { scheduled, limit: 1_000, grace_limit: 1_100, period: "202603" };
  const client = (() => ({ usage: async () => usage })) as unknown as DoctorContext["client"];
  expect(await quota.run(contextOf({ client }))).toMatchObject({ status });
});

it.each([
  ['"account";r=599;t=42', "ok"],
  ['"account";r=12;t=42', "warning"],
  ["", "skipped"],
])("the rate is judged by what is left of a minute: %s", async (RateLimit, status) => {
  const headers = { RateLimit, "RateLimit-Policy": '"account";q=600;w=60' };
  expect(await rate.run(contextOf({ answer: answer(200, headers) }))).toMatchObject({ status });
});
