// Guards: server/counters/**, server/rate-limit/**, server/http/**, server/routes/**
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { generateApiKey } from "#domain/api-key.ts";
import { REJECTIONS_MAX } from "#server/counters/rate-limiter.ts";
import { SOCKET_ADDRESS_HEADER } from "#server/http/socket-address.ts";
import { ENCRYPTION_KEYS } from "../../helpers/encryption-keys.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { startWebProcess, type WebProcess } from "../../helpers/web-process.ts";
import { withinOneMinute } from "../../helpers/within-one-minute.ts";
import { type Api, startApi } from "./api.ts";

const LIMIT = 300;

let api: Api;
let direct: WebProcess;
let behindProxy: WebProcess;

beforeAll(async () => {
  api = await startApi();
  const settings = {
    DATABASE_URL: api.config.databaseUrl,
    ENCRYPTION_KEYS,
    PLANS: JSON.stringify({ free: { requestsPerMinute: LIMIT } }),
    LOG_LEVEL: "info",
  };
  direct = await startWebProcess(settings);
  behindProxy = await startWebProcess({ ...settings, TRUSTED_PROXIES: "127.0.0.1" });
});
afterAll(async () => {
  await Promise.all([direct, behindProxy].map((web) => web?.stop()));
  await api.stop();
});

const inOneMinute = (title: string, trial: () => Promise<void>) =>
  it(title, () => withinOneMinute(api.sql, trial), 200_000);

/** The statuses of `n` calls, twenty at a time. */
async function ask(n: number, one: (nth: number) => { web: WebProcess; headers: Record<string, string> }) {
  const statuses: number[] = [];
  let next = 0;
  const worker = async () => {
    while (next < n) {
      const { web, headers } = one(next++);
      const answer = await fetch(`${web.origin}/v1/usage`, { headers });
      await answer.text();
      statuses.push(answer.status);
    }
  };
  await Promise.all(Array.from({ length: 20 }, worker));
  return statuses;
}

const forged = () => ({ authorization: `Bearer ${generateApiKey("live")}` });

describe("the rate limiter of two web processes on one database", () => {
  inOneMinute("counts an account's calls together within a tenth", async () => {
    const { live } = await api.account();
    const headers = { authorization: `Bearer ${live}` };
    const statuses = await ask(3 * LIMIT, (nth) => ({ web: nth % 3 ? direct : behindProxy, headers }));
    const allowed = statuses.filter((status) => status === 200).length;
    expect(statuses.filter((status) => status === 429).length).toBe(3 * LIMIT - allowed);
    expect(allowed).toBeGreaterThanOrEqual(LIMIT * 0.9);
    expect(allowed).toBeLessThanOrEqual(LIMIT * 1.1);
  });
});

describe("a web process", () => {
  it("logs each call in one line with its path and without its query", async () => {
    const { accountId, test } = await api.account();
    const answer = await fetch(`${direct.origin}/v1/schedules?q=from-the-query`, {
      headers: { authorization: `Bearer ${test}` },
    });
    const requestId = answer.headers.get("x-request-id");
    const line = await waitFor("the line is there", () =>
      direct.lines().find((text) => text.includes(`"${requestId}"`)),
    );
    expect(JSON.parse(line)).toEqual({
      level: 30,
      time: expect.any(String),
      part: "web",
      msg: "request completed",
      ms: expect.any(Number),
      requestId,
      accountId,
      method: "GET",
      path: "/v1/schedules",
      status: 200,
    });
    expect(direct.lines().join()).not.toContain("from-the-query");
  });

  inOneMinute(
    "counts refused credentials by the address of the socket, whatever address the caller claims",
    async () => {
      const written = (nth: number) => {
        const address = `203.0.113.${nth % 200}`;
        return {
          "x-forwarded-for": address,
          [SOCKET_ADDRESS_HEADER]: address,
          forwarded: `for=${address}`,
          "x-real-ip": address,
        };
      };
      const statuses = await ask(REJECTIONS_MAX + 100, (nth) => ({
        web: direct,
        headers: { ...forged(), ...written(nth) },
      }));
      expect(statuses.filter((status) => status === 401)).toHaveLength(REJECTIONS_MAX);
      expect(statuses.filter((status) => status === 429)).toHaveLength(100);
    },
  );

  inOneMinute("counts refused credentials by the address that its trusted proxy names", async () => {
    const refusedAs = (last: number, times: number) => {
      const named = { "x-forwarded-for": `198.51.100.7, 203.0.113.${last}` };
      return ask(times, () => ({ web: behindProxy, headers: { ...forged(), ...named } }));
    };
    expect(new Set(await refusedAs(1, REJECTIONS_MAX))).toEqual(new Set([401]));
    expect(await refusedAs(1, 1)).toEqual([429]);
    expect(await refusedAs(2, 1)).toEqual([401]);
  });
});
