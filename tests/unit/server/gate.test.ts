import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { generateApiKey } from "#domain/api-key.ts";
import { parseTrustedProxies } from "#domain/caller-address.ts";
import { generateSessionToken } from "#domain/session-token.ts";
import { FairWaiting } from "#server/edge/fair-waiting.ts";
import { LoopShare } from "#server/edge/loop-share.ts";
import { RequestBudget } from "#server/edge/request-budget.ts";
import { Turns, type Waiting } from "#server/edge/turns.ts";
import { readVisitor } from "#server/edge/visitor.ts";
import { isCountedRoute, registerCountedRoute } from "#server/http/counted-routes.ts";
import { credentialsOfCall, forgetAccepted, rememberAccepted } from "#server/rate-limit/accepted-credentials.ts";

describe("a request that waits", () => {
  const waiting = (max = 100, perPartyMax = 100) => new FairWaiting<string>({ max, perPartyMax });

  it("takes turns by party, so that a single request does not wait behind many of another party", () => {
    const queue = waiting();
    for (const one of ["a1", "a2", "a3", "b1", "b2", "c1"]) queue.add(one.charAt(0), one);
    const order = Array.from({ length: 7 }, () => queue.next());
    expect(order).toEqual(["a1", "b1", "c1", "a2", "b2", "a3", undefined]);
    expect(queue.size).toBe(0);
  });

  it("is refused when its party has too many, and otherwise replaces the last one of the party with most", () => {
    const queue = waiting(4, 3);
    for (const one of ["a1", "a2", "a3"]) expect(queue.add("a", one)).toBeUndefined();
    expect(queue.add("a", "a4")).toBe("a4");
    expect(queue.add("b", "b1")).toBeUndefined();
    expect(queue.add("c", "c1")).toBe("a3");
    expect(queue.size).toBe(4);
  });

  it("is not taken any more after it has left", () => {
    const queue = waiting();
    for (const one of ["a1", "a2"]) queue.add("a", one);
    queue.remove("a", "a1");
    queue.remove("a", "a1");
    queue.remove("nobody", "a2");
    expect([queue.size, queue.next(), queue.next()]).toEqual([1, "a2", undefined]);
  });
});

describe("a budget of requests", () => {
  it("allows a burst and then its rate, and says after how long the next one is allowed", () => {
    const budget = new RequestBudget({ burst: 3, perMinute: 60 });
    const take = (nowMs: number, key = "a") => budget.take(key, nowMs);
    expect([take(0), take(0), take(0), take(0)]).toEqual([0, 0, 0, 1_000]);
    expect([take(400), take(1_000), take(1_000)]).toEqual([600, 0, 1_000]);
    expect(take(1_000, "b")).toBe(0);
    expect([take(60_000), take(60_000), take(60_000), take(60_000)]).toEqual([0, 0, 0, 1_000]);
  });

  it("remembers no more than 50,000 keys", () => {
    const budget = new RequestBudget({ burst: 1, perMinute: 1 });
    expect([budget.take("first", 0), budget.take("first", 0) > 0]).toEqual([0, true]);
    for (let n = 0; n < 50_000; n++) budget.take(`key ${n}`, 0);
    expect(budget.take("first", 0)).toBe(0);
  });
});

/** An event loop of which a test says how long it was idle and busy. */
function loop() {
  const total = { idle: 0, active: 0, utilization: 0 };
  const utilization = (since = { idle: 0, active: 0 }) => ({
    idle: total.idle - since.idle,
    active: total.active - since.active,
    utilization: 0,
  });
  const pass = (idle: number, active: number) => {
    total.idle += idle;
    total.active += active;
  };
  return { share: new LoopShare(utilization as never), pass };
}

describe("the next waiting request", () => {
  it("begins once the loop has been idle for as long as it was busy since the last one began", () => {
    const { share, pass } = loop();
    expect(share.mayBegin()).toBe(true);
    share.begin("page");
    pass(0, 8);
    expect(share.mayBegin()).toBe(false);
    pass(7, 0);
    expect(share.mayBegin()).toBe(false);
    pass(1, 0);
    expect(share.mayBegin()).toBe(true);
  });

  it("begins after a fixed time on a loop that is never idle, sooner after an answer than after a page", () => {
    for (const [work, waitMs] of [
      ["page", 50],
      ["light", 15],
    ] as const) {
      const { share, pass } = loop();
      share.begin(work);
      pass(0, waitMs - 1);
      expect(share.mayBegin()).toBe(false);
      pass(0, 1);
      expect(share.mayBegin()).toBe(true);
    }
  });
});

describe("turns", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const visitor = (party: string, isAccepted = false) => ({ party, isAccepted, budget: party });

  it("go to accepted credentials three times in four, while both wait", () => {
    const { share, pass } = loop();
    const turns = new Turns(share);
    const begun: string[] = [];
    share.begin("light");
    pass(0, 5);
    const wait = (name: string, isAccepted: boolean, mayPass = false) => {
      const one: Waiting = { work: "light", begin: () => begun.push(name), mayPass: () => mayPass };
      return turns.take(visitor(name, isAccepted), one);
    };
    for (let n = 0; n < 6; n++) wait("accepted", true, true);
    for (let n = 0; n < 2; n++) wait("other", false, true);
    pass(10, 0);
    vi.advanceTimersByTime(1);
    expect(begun.join(" ")).toBe("accepted accepted accepted other accepted accepted accepted other");
  });

  it("of requests that have left are skipped", () => {
    const { share, pass } = loop();
    const turns = new Turns(share);
    share.begin("light");
    pass(0, 5);
    const begun: string[] = [];
    const one: Waiting = { work: "light", begin: () => begun.push("gone"), mayPass: () => true };
    turns.take(visitor("a"), one);
    turns.leave(visitor("a"), one);
    turns.take(visitor("b"), { work: "light", begin: () => begun.push("next"), mayPass: () => true });
    pass(10, 0);
    vi.advanceTimersByTime(1);
    expect(begun).toEqual(["next"]);
  });
});

describe("a visitor", () => {
  const settings = { trustedProxies: parseTrustedProxies("127.0.0.1"), clientAddressHeader: undefined };
  const read = (headers: Record<string, string>, remoteAddress = "127.0.0.1") =>
    readVisitor({ url: "/v1/schedules", headers, socket: { remoteAddress } }, settings);

  it("is known by their network: an IPv4 address, or the /64 of an IPv6 address, behind trusted proxies", () => {
    expect(read({ "x-forwarded-for": "203.0.113.9" }).party).toBe("network 203.0.113.9");
    expect(read({ "x-forwarded-for": "2001:db8:1:2:3::4" }).party).toBe("network 2001:db8:1:2::/64");
    expect(read({ "x-forwarded-for": "203.0.113.9" }, "198.51.100.1").party).toBe("network 198.51.100.1");
  });

  it("is the account of a credential that was accepted before, whatever their network: one party with one budget for all keys and sessions of it, however each is spelled", () => {
    const [key, other] = [generateApiKey("live"), generateApiKey("test")];
    const token = generateSessionToken();
    expect(read({ authorization: `Bearer ${key}` })).toMatchObject({ isAccepted: false, party: "network 127.0.0.1" });
    for (const one of [key, other]) rememberAccepted(credentialsOfCall(`Bearer ${one}`, null), "account a");
    rememberAccepted(credentialsOfCall(null, `sw_session=${token}`), "account a");
    const cased = (n: number) =>
      [..."bearer"].map((letter, at) => (n & (1 << at) ? letter.toUpperCase() : letter)).join("");
    const spellings = [
      ...Array.from({ length: 64 }, (_, n) => ({ authorization: `${cased(n)} ${key}` })),
      ...Array.from({ length: 64 }, (_, n) => ({
        authorization: `Bearer${" ".repeat(n + 1)}${key}${" ".repeat(n % 3)}`,
      })),
      { authorization: `Bearer ${other}` },
      ...Array.from({ length: 64 }, (_, n) => ({ cookie: `a${n}=1; sw_session=${token}; b=${n}` })),
      ...Array.from({ length: 64 }, () => ({ cookie: `sw_session=${generateSessionToken()}; sw_session=${token}` })),
    ];
    const visitors = spellings.map((headers) => read(headers as Record<string, string>));
    expect(new Set(visitors.map(({ party, budget }) => `${party}, ${budget}`))).toEqual(
      new Set(["account a, account a"]),
    );
    expect(visitors.every(({ isAccepted }) => isAccepted)).toBe(true);
  });

  it("who adds tokens to an accepted session displaces no other accepted credential by them", () => {
    const token = generateSessionToken();
    const added = Array.from({ length: 50 }, () => generateSessionToken());
    rememberAccepted(credentialsOfCall(null, `sw_session=${token}`), "account b");
    for (const one of added) {
      rememberAccepted(credentialsOfCall(null, `sw_session=${token}; sw_session=${one}`), "account b");
    }
    expect(added.filter((one) => read({ cookie: `sw_session=${one}` }).isAccepted)).toEqual([]);
  });

  it("is unknown again once the credential was refused, in any spelling", () => {
    const key = generateApiKey("live");
    rememberAccepted(credentialsOfCall(`Bearer ${key}`, null), "account c");
    forgetAccepted(credentialsOfCall(`bearer  ${key}`, null));
    expect(read({ authorization: `Bearer ${key}` }).isAccepted).toBe(false);
  });

  it("with a well-formed credential has another budget than visitors of the same network without one", () => {
    const budgets = [
      { authorization: `Bearer ${generateApiKey("live")}` },
      { cookie: `sw_session=${generateSessionToken()}` },
      { authorization: "Bearer sw_live_nonsense" },
      { authorization: "nonsense", cookie: `sw_session=${generateSessionToken()}` },
      {},
    ].map((headers) => read(headers as Record<string, string>).budget);
    expect(budgets).toEqual([
      "network 127.0.0.1 with a credential",
      "network 127.0.0.1 with a credential",
      "network 127.0.0.1",
      "network 127.0.0.1",
      "network 127.0.0.1",
    ]);
  });
});

describe("a counted route", () => {
  it("is known by its method and path, with any id in its place and whatever the query", () => {
    registerCountedRoute({ method: "GET", path: "/v1/counted.json/{id}/attempts" });
    registerCountedRoute({ method: "GET", path: "/counted/[id]" });
    registerCountedRoute({ method: "POST", path: "/v1/counted" });
    const counted = [
      "GET /v1/counted.json/x/attempts?limit=1",
      "HEAD /counted/y",
      "POST /v1/counted?",
      "GET /counted/a.b",
    ];
    const others = ["GET /v1/counted", "GET /v1/counted.json/x/y/attempts", "GET /counted/x/y", "GET /counted/"];
    const known = (one: string) => isCountedRoute(...(one.split(" ") as [string, string]));
    expect(counted.map(known)).toEqual(counted.map(() => true));
    expect(others.map(known)).toEqual(others.map(() => false));
  });
});
