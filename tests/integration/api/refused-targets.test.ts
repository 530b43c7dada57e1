import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { GET } from "#app/metricsz/route.ts";
import { TARGET_RULES } from "#domain/target-url.ts";
import { type Api, FUTURE, startApi } from "./api.ts";

let api: Api;

beforeAll(async () => {
  api = await startApi({ BASE_URL: "http://localhost:3000", LOG_LEVEL: "fatal" });
});
afterAll(() => api.stop());

/** The counter of refused targets, by rule. */
async function counts(): Promise<Record<string, number>> {
  const request = new Request("http://127.0.0.1/metricsz", { headers: { accept: "text/plain" } });
  const text = await (await GET(request, { params: Promise.resolve({}) })).text();
  const found = [...text.matchAll(/^stopwatch_refused_targets_total\{rule="([^"]+)"\} (\d+)$/gm)];
  return Object.fromEntries(found.map(([, rule, n]) => [rule, Number(n)]));
}

it("a target that is refused at creation is counted by the rule's name, and logged without the target", async () => {
  const caller = await api.account();
  const log = vi.spyOn(api.services.log, "info");
  const before = await counts();
  expect(Object.keys(before).sort()).toEqual([...TARGET_RULES].sort());
  const targets = ["https://10.0.0.1/", "https://10.0.0.2/", "https://user:secret@example.com/", "https://a.b:8443/"];
  for (const targetUrl of targets) {
    const answer = await api.call("POST", "/v1/schedules", caller.live, { targetUrl, fireAt: FUTURE });
    expect(answer.status).toBe(400);
    expect(answer.text).not.toMatch(/private-ipv4|userinfo/);
  }
  const schedules = [{ targetUrl: "https://[::1]/", fireAt: FUTURE }];
  expect(await api.call("POST", "/v1/schedules/bulk", caller.live, { schedules })).toMatchObject({ status: 200 });
  const after = await counts();
  const grown = Object.entries(after).filter(([rule, n]) => n !== before[rule]);
  expect(Object.fromEntries(grown.map(([rule, n]) => [rule, n - (before[rule] ?? 0)]))).toEqual({
    "private-ipv4": 2,
    userinfo: 1,
    port: 1,
    "private-ipv6": 1,
  });
  const lines = log.mock.calls.filter(([, message]) => message === "a target was refused");
  expect(lines.map(([fields]) => fields)).toEqual(
    ["private-ipv4", "userinfo", "port", "private-ipv6"].map((rule) => ({
      accountId: caller.accountId,
      rule,
      times: 1,
    })),
  );
});
