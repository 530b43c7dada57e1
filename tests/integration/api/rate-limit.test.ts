import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { connect } from "#db/client.ts";
import { generateApiKey } from "#domain/api-key.ts";
import { encodeId, newId } from "#domain/ids.ts";
import { createRateLimiter, type RateLimiter, REJECTIONS_MAX } from "#server/counters/rate-limiter.ts";
import { SOCKET_ADDRESS_HEADER, socketAddressValue } from "#server/http/socket-address.ts";
import { countRunTime } from "../../helpers/run-time.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { withinOneMinute } from "../../helpers/within-one-minute.ts";
import { type Api, startApi, type TestCaller } from "./api.ts";

const LIMIT = 20;
const PLANS = JSON.stringify({
  free: { requestsPerMinute: LIMIT, cpsLimit: 1 },
  indie: { requestsPerMinute: 2 * LIMIT },
});

let api: Api;
let caller: TestCaller;

beforeAll(async () => {
  api = await startApi({ PLANS, TRUSTED_PROXIES: "10.0.0.0/8" });
});
afterAll(() => api.stop());
/** A test with a new account as its caller, within one minute. */
const inOneMinute = (title: string, trial: () => Promise<void>) =>
  it(title, () =>
    withinOneMinute(api.sql, async () => {
      caller = await api.account();
      await trial();
    }),
  );

const list = (key: string | null, headers = {}) => api.call("GET", "/v1/schedules", key, undefined, headers);
const from = (address: string, forwardedFor?: string) => ({
  [SOCKET_ADDRESS_HEADER]: socketAddressValue(address),
  ...(forwardedFor && { "x-forwarded-for": forwardedFor }),
});
const useUp = (key: string) => Promise.all(Array.from({ length: LIMIT }, () => list(key)));

describe("the rate limit of listeners", () => {
  // Twice a second's calls of the plan (cpsLimit 1), for a minute.
  const LISTEN_LIMIT = 120;
  const answer = () => {
    const path = `/v1/listen/${encodeId("exc", newId(Date.now()))}/answer`;
    return api.call("POST", path, caller.test, { listener: encodeId("lsn", newId(0)), error: "x" });
  };

  inOneMinute("bounds answers and streams together, and is apart from that of other calls, both ways", async () => {
    await useUp(caller.live);
    expect(await list(caller.test)).toMatchObject({ status: 429 });
    const answers = await Promise.all(Array.from({ length: LISTEN_LIMIT + 30 }, answer));
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(LISTEN_LIMIT);
    const [refused, ...others] = answers.filter(({ status }) => status === 429);
    expect(others).toHaveLength(29);
    expect(refused?.headers.get("ratelimit-policy")).toBe(`"listen";q=${LISTEN_LIMIT};w=60`);
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await api.call("GET", "/v1/listen", caller.test)).toMatchObject({ status: 429 });
    caller = await api.account();
    expect(await api.call("GET", "/v1/listen", caller.test)).toMatchObject({ status: 200 });
  });
});

describe("the rate limit of an account", () => {
  inOneMinute("allows the calls of its plan within a minute, for both its keys together", async () => {
    const answers = await Promise.all(
      Array.from({ length: 3 * LIMIT }, (_, n) => list(n % 2 ? caller.live : caller.test)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(LIMIT);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(2 * LIMIT);
  });

  inOneMinute("is that of its plan, and does not count another account's calls", async () => {
    await useUp(caller.live);
    const indie = await api.account("indie");
    const answers = await Promise.all(Array.from({ length: 3 * LIMIT }, () => list(indie.live)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2 * LIMIT);
    expect(await list(caller.live)).toMatchObject({ status: 429 });
  });

  inOneMinute("is in the headers of every answer with the number of calls left, errors included", async () => {
    const policy = `"account";q=${LIMIT};w=60`;
    const answers = [
      await list(caller.live),
      await api.call("GET", "/v1/schedules?limit=0", caller.live),
      await api.call("GET", "/v1/schedules/nope", caller.live),
      await api.call("POST", "/v1/schedules", caller.live, "{"),
      await api.call("HEAD", "/v1/schedules", caller.live),
      await api.call("GET", "/v1/api-keys", caller.live),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 404, 400, 200, 403]);
    for (const [n, { headers }] of answers.entries()) {
      expect(headers.get("ratelimit-policy")).toBe(policy);
      expect(headers.get("ratelimit")).toMatch(new RegExp(`^"account";r=${LIMIT - 1 - n};t=([1-9]|[1-5]\\d|60)$`));
    }
  });

  inOneMinute("answers further calls with 429 and the time to try again", async () => {
    await useUp(caller.live);
    const { status, headers, body } = await list(caller.live);
    const seconds = headers.get("retry-after");
    expect(status).toBe(429);
    expect(body.error).toEqual({
      code: "RATE_LIMITED",
      message: `This account is limited to ${LIMIT} requests per minute. Try again in ${seconds} s.`,
      doc_url: `${api.config.baseUrl}/docs/errors#rate_limited`,
    });
    expect(headers.get("ratelimit")).toBe(`"account";r=0;t=${seconds}`);
    expect(headers.get("ratelimit-policy")).toBe(`"account";q=${LIMIT};w=60`);
  });
});

describe("the rate limit for refused credentials", () => {
  const forged = () => generateApiKey("live");
  const refuse = async (headers: object, times = REJECTIONS_MAX) => {
    for (let left = times; left > 0; left -= 50) {
      const answers = await Promise.all(Array.from({ length: Math.min(left, 50) }, () => list(forged(), headers)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    }
  };

  inOneMinute("is 600 a minute from one address, then 429 without a query to the database", async () => {
    await refuse(from("203.0.113.1"));
    const query = vi.spyOn(api.services.database, "run");
    const answer = await list(forged(), from("203.0.113.1"));
    const known = await list(caller.live, from("203.0.113.1"));
    expect(query).not.toHaveBeenCalled();
    query.mockRestore();
    for (const { status, body, headers } of [answer, known]) {
      expect([status, body.error.code]).toEqual([429, "RATE_LIMITED"]);
      expect(headers.get("ratelimit")).toBe(`"refused";r=0;t=${headers.get("retry-after")}`);
      expect(headers.get("ratelimit-policy")).toBe('"refused";q=600;w=60');
    }
    expect(await list(forged(), from("203.0.113.2"))).toMatchObject({ status: 401 });
  });

  inOneMinute(
    "does not affect a credential that was accepted before, so that nobody can lock out others at the same address",
    async () => {
      expect(await list(caller.live, from("203.0.113.3"))).toMatchObject({ status: 200 });
      await refuse(from("203.0.113.3"));
      expect(await list(forged(), from("203.0.113.3"))).toMatchObject({ status: 429 });
      expect(await list(caller.live, from("203.0.113.3"))).toMatchObject({ status: 200 });
      await api.sql`UPDATE api_keys SET revoked_at = now() WHERE account_id = ${caller.accountId}`;
      expect(await list(caller.live, from("203.0.113.3"))).toMatchObject({ status: 429 });
    },
  );

  inOneMinute(
    "affects a credential that was refused after it was accepted, even if it was accepted long before",
    async () => {
      expect(await list(caller.live, from("203.0.113.6"))).toMatchObject({ status: 200 });
      await api.sql`UPDATE api_keys SET revoked_at = now() WHERE account_id = ${caller.accountId}`;
      expect(await list(caller.live, from("203.0.113.6"))).toMatchObject({ status: 401 });
      await refuse(from("203.0.113.6"), REJECTIONS_MAX - 1);
      const query = vi.spyOn(api.services.database, "run");
      expect(await list(caller.live, from("203.0.113.6"))).toMatchObject({ status: 429 });
      expect(query).not.toHaveBeenCalled();
      query.mockRestore();
    },
  );

  inOneMinute("counts by the address that a trusted proxy names, and by the /64 of an IPv6 address", async () => {
    await refuse(from("10.0.0.1", "198.51.100.9, 203.0.113.4"));
    expect(await list(forged(), from("10.0.0.2", "198.51.100.10, 203.0.113.4"))).toMatchObject({ status: 429 });
    expect(await list(forged(), from("10.0.0.1", "203.0.113.4, 198.51.100.9"))).toMatchObject({ status: 401 });
    await refuse(from("2001:db8::1"));
    expect(await list(forged(), from("2001:db8::ffff:1"))).toMatchObject({ status: 429 });
    expect(await list(forged(), from("2001:db8:0:1::1"))).toMatchObject({ status: 401 });
  });

  inOneMinute(
    "does not count requests without a credential, which lock out nobody at their address and cost no query",
    async () => {
      const { cookie } = await api.session(caller.accountId);
      const query = vi.spyOn(api.services.database, "run");
      const bare = await Promise.all(
        Array.from({ length: REJECTIONS_MAX + 50 }, () => list(null, from("203.0.113.8"))),
      );
      expect(query).not.toHaveBeenCalled();
      query.mockRestore();
      for (const { status, headers } of bare) {
        expect(status).toBe(401);
        expect(headers.get("ratelimit")).toMatch('"refused";r=600;');
      }
      const wrong = await list(forged(), from("203.0.113.8"));
      expect([wrong.status, wrong.headers.get("ratelimit")]).toEqual([401, expect.stringMatching('"refused";r=599;')]);
      expect(await list(caller.test, from("203.0.113.8"))).toMatchObject({ status: 200 });
      expect(await list(null, { ...from("203.0.113.8"), cookie })).toMatchObject({ status: 200 });
    },
  );

  inOneMinute("counts a malformed key and a malformed session", async () => {
    await refuse(from("203.0.113.9"), REJECTIONS_MAX - 2);
    const remaining = async (headers: object) => (await list(null, { ...from("203.0.113.9"), ...headers })).headers;
    expect((await remaining({ authorization: "Bearer x" })).get("ratelimit")).toMatch('"refused";r=1;');
    expect((await remaining({ cookie: "sw_session=x" })).get("ratelimit")).toMatch('"refused";r=0;');
    expect(await list(null, { ...from("203.0.113.9"), cookie: "sw_session=x" })).toMatchObject({ status: 429 });
    expect(await list(null, from("203.0.113.9"))).toMatchObject({ status: 401 });
  });

  inOneMinute("does not count the valid calls of an account", async () => {
    await refuse(from("203.0.113.5"), 100);
    const { headers } = await list(caller.live, from("203.0.113.5"));
    expect(headers.get("ratelimit")).toMatch(`"account";r=${LIMIT - 1};`);
  });
});

describe("the rate limiter of three web processes on one database", () => {
  const start = () =>
    createRateLimiter(connect({ url: api.config.databaseUrl, name: "counts", connectionsMax: 1 }), api.services.log);

  inOneMinute("counts the calls of all processes together within a tenth, in bursts and in streams", async () => {
    const processes = [start(), start(), start()];
    const countAllowed = async (answers: Promise<{ isOver: boolean }>[]) =>
      (await Promise.all(answers)).filter(({ isOver }) => !isOver).length;
    const ask = (n: number, account: string, limit: number) =>
      (processes[n % 3] as RateLimiter).countRequest(account, limit);

    for (const limit of [600, 6_000]) {
      const burst = await countAllowed(Array.from({ length: 3 * limit }, (_, n) => ask(n, `burst ${limit}`, limit)));
      expect(burst).toBeGreaterThanOrEqual(limit * 0.9);
      expect(burst).toBeLessThanOrEqual(limit * 1.1);
    }
    let trickle = 0;
    for (let n = 0; n < 1_500; n++) {
      trickle += await countAllowed([ask(n, "trickle", 600)]);
      if (n % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(trickle).toBeGreaterThanOrEqual(540);
    expect(trickle).toBeLessThanOrEqual(660);
    await Promise.all(processes.map((one) => one.close()));
  });

  inOneMinute("refuses an account within a second after it used up its calls at another process", async () => {
    const [one, other] = [start(), start()];
    for (let n = 0; n < 600; n++) await one.countRequest("elsewhere", 600);
    const ranMs = countRunTime();
    await waitFor("the other one refuses", async () => (await other.countRequest("elsewhere", 600)).isOver);
    expect(ranMs()).toBeLessThan(2_000);
    await Promise.all([one.close(), other.close()]);
  });

  it("keeps no counts older than two minutes", async () => {
    const minute = 29_000_000;
    await api.sql`INSERT INTO request_counts (minute, key, n) VALUES (${minute}, 'account old', 1)`;
    const one = start();
    await Promise.all(Array.from({ length: 10 }, () => one.countRequest("purge", 600)));
    await waitFor("it is gone", async () => {
      const [row] = await api.sql`SELECT count(*)::int AS n FROM request_counts WHERE minute = ${minute}`;
      return row?.n === 0;
    });
    await one.close();
  });
});

describe("the rate limiter without a database", () => {
  inOneMinute("goes on counting in each process and delays no call", async () => {
    const alone = createRateLimiter(
      connect({ url: "postgres://u:p@127.0.0.1:1/d", name: "counts", connectionsMax: 1 }),
      api.services.log,
    );
    const ranMs = countRunTime();
    const answers = await Promise.all(Array.from({ length: 1_000 }, () => alone.countRequest("a", 600)));
    expect(answers.filter(({ isOver }) => !isOver)).toHaveLength(600);
    expect(ranMs()).toBeLessThan(3_000);
    await alone.close();
  });
});
