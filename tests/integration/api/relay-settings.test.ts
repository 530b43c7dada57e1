import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Api, startApi, type TestSession } from "./api.ts";

let api: Api;
let accountId: string;
let session: TestSession;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());
beforeEach(async () => {
  ({ accountId } = await api.account("indie"));
  session = await api.session(accountId);
});

const PATH = "/v1/me/relay-settings";
const NOTHING = { cpsLimit: null, retryAttempts: null, retryBackoffMs: null, retryStrategy: null, earlyFire: null };
const DEFAULTS = {
  cpsLimit: 500,
  retryAttempts: 4,
  retryBackoffMs: 30_000,
  retryStrategy: "exponential",
  earlyFire: false,
};

const read = () => api.call("GET", PATH, session);
const patch = (body: unknown) => api.call("PATCH", PATH, session, body);

describe("GET /v1/me/relay-settings 200", () => {
  it("shows the saved values, the effective ones, the limits and the defaults", async () => {
    expect((await read()).body).toEqual({
      ...NOTHING,
      effective: DEFAULTS,
      limits: {
        cpsLimit: { min: 1, max: 500 },
        retryAttempts: { min: 0, max: 9 },
        retryBackoffMs: { min: 1_000, max: 3_600_000 },
        retryStrategy: ["exponential", "linear", "fixed"],
      },
      defaults: DEFAULTS,
    });
  });

  it("applies no more than the current plan allows, and shows what was saved under a larger plan", async () => {
    await patch({ cpsLimit: 400, retryAttempts: 9 });
    await api.sql`UPDATE accounts SET plan = 'free' WHERE id = ${accountId}`;
    expect((await read()).body).toMatchObject({
      cpsLimit: 400,
      retryAttempts: 9,
      effective: { cpsLimit: 20, retryAttempts: 4 },
    });
  });
});

describe("PATCH /v1/me/relay-settings 200", () => {
  it("saves the fields in the body and leaves omitted ones unchanged", async () => {
    const all = { cpsLimit: 7, retryAttempts: 2, retryBackoffMs: 5_000, retryStrategy: "linear", earlyFire: true };
    const first = await patch(all);
    expect(first.body).toMatchObject({ ...all, effective: all, defaults: DEFAULTS });
    expect((await patch({ retryAttempts: 0 })).body).toMatchObject({ ...all, retryAttempts: 0 });
    expect((await patch({})).body).toMatchObject({ ...all, retryAttempts: 0 });
    expect((await read()).body).toEqual((await patch({})).body);
  });

  it("returns to the plan's default for null", async () => {
    await patch({ cpsLimit: 7, retryStrategy: "fixed", earlyFire: true });
    const { body } = await patch({ cpsLimit: null, earlyFire: null });
    expect(body).toMatchObject({
      ...NOTHING,
      retryStrategy: "fixed",
      effective: { ...DEFAULTS, retryStrategy: "fixed" },
    });
    expect((await patch(NOTHING)).body).toMatchObject({ ...NOTHING, effective: DEFAULTS });
  });

  it.each([
    [{ cpsLimit: 0 }, { cpsLimit: 1 }],
    [{ cpsLimit: -5 }, { cpsLimit: 1 }],
    [{ cpsLimit: 501 }, { cpsLimit: 500 }],
    [{ retryAttempts: -1 }, { retryAttempts: 0 }],
    [{ retryAttempts: 1e300 }, { retryAttempts: 9 }],
    [{ retryBackoffMs: 1 }, { retryBackoffMs: 1_000 }],
    [{ retryBackoffMs: Number.MAX_SAFE_INTEGER }, { retryBackoffMs: 3_600_000 }],
  ])("saves %j, clamped to the limits, as %j", async (requested, saved) => {
    expect((await patch(requested)).body).toMatchObject({ ...saved, effective: saved });
    expect((await read()).body).toMatchObject(saved);
  });

  it("loses none of several concurrent changes", async () => {
    const knobs = [{ cpsLimit: 3 }, { retryAttempts: 1 }, { retryBackoffMs: 2_000 }, { retryStrategy: "fixed" }];
    await Promise.all(knobs.map(patch));
    expect((await read()).body).toMatchObject(Object.assign({}, ...knobs));
  });
});

describe("PATCH /v1/me/relay-settings 400", () => {
  it.each<[unknown, string]>([
    [{ cpsLimit: "20" }, "cpsLimit"],
    [{ cpsLimit: 1.5 }, "cpsLimit"],
    [{ retryAttempts: true }, "retryAttempts"],
    [{ retryBackoffMs: [1_000] }, "retryBackoffMs"],
    [{ retryStrategy: "random" }, "retryStrategy"],
    [{ retryStrategy: "" }, "retryStrategy"],
    [{ earlyFire: 1 }, "earlyFire"],
    [{ limits: {} }, "limits"],
    [{ accountId: "acc_x" }, "accountId"],
  ])("for %j names %s, and nothing of the call is saved", async (body, path) => {
    const answer = await patch({ retryAttempts: 1, ...(body as object) });
    expect(answer).toMatchObject({ status: 400, body: { error: { code: "VALIDATION", details: [{ path }] } } });
    expect((await read()).body).toMatchObject(NOTHING);
  });
});
