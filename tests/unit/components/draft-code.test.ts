import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { curlOf, draftCall, fetchOf, sdkOf } from "#components/schedules/draft-code.ts";
import { NO_DELIVERY_TEXT } from "#domain/delivery-text.ts";
import { emptyDraft, type ScheduleDraft } from "#domain/schedule-draft.ts";
import { SDK_NAME } from "#server/sdk-package.ts";
import { runSample, typeProblems } from "#tests/helpers/sdk-samples.ts";
import { KEY, SCHEDULE_ID } from "../sdk/fake-service.ts";

const AT = {
  baseUrl: "https://own.example.com",
  time: { fireAt: "2031-01-01T09:00:00.000Z" },
  isEarlyByDefault: false,
};

const ORIGINAL = { id: "sch_1", targetUrl: "https://example.com/x", delivery: NO_DELIVERY_TEXT };

function draft(change: Partial<ScheduleDraft> = {}): ScheduleDraft {
  return { ...emptyDraft("UTC"), url: "https://example.com/x", ...change };
}

describe("a draft as a call of the API", () => {
  it("has the typed fields and leaves out empty ones", () => {
    expect(draftCall(draft(), AT)?.body).toEqual({
      targetUrl: "https://example.com/x",
      method: "POST",
      ...AT.time,
      headers: { "Content-Type": "application/json" },
    });
    expect(draftCall(draft({ earlyFire: true, idempotencyKey: "k", payload: "{}" }), AT)?.body).toMatchObject({
      earlyFire: true,
      idempotencyKey: "k",
      payload: "{}",
    });
  });

  it("has a wait as a duration, which stays true when the code is run later", () => {
    const call = draftCall(draft({ payload: '"fireAt": "5m"' }), { ...AT, time: { fireIn: "5m" } });
    expect(call?.body).toMatchObject({ fireIn: "5m" });
    expect(curlOf(call ?? { url: "", body: {} }).shown).toContainEqual({ text: '"5m"', as: "instant" });
  });

  it("of a clone is a call of clone or replay, and null when neither can make it", () => {
    const at = { ...AT, original: ORIGINAL };
    const url = (change: Partial<ScheduleDraft>) => draftCall(draft(change), at)?.url;
    expect(url({ keepsHeaders: true, keepsPayload: true })).toBe("https://own.example.com/v1/schedules/sch_1/replay");
    expect(url({ keepsHeaders: true, keepsPayload: false })).toBe("https://own.example.com/v1/schedules/sch_1/clone");
    expect(url({ keepsHeaders: false, keepsPayload: true })).toBeUndefined();
    const to = { url: "https://example.com/y" };
    expect(url({ ...to, keepsHeaders: true, keepsPayload: true })).toBeUndefined();
    expect(url({ ...to, keepsHeaders: true, keepsPayload: false })).toBeUndefined();
    expect(draftCall(draft({ ...to, headers: [], payload: "x" }), at)?.body).toEqual({
      targetUrl: to.url,
      ...AT.time,
      payload: "x",
      headers: {},
    });
    const elsewhere = { url: "https://other.example.com/", keepsHeaders: true, payload: "x" };
    expect(draftCall(draft(elsewhere), at)?.body).toEqual({ targetUrl: elsewhere.url, ...AT.time, payload: "x" });
  });

  it("has its delivery options, and those of a clone where they are not the original's", () => {
    const typed = { timeout: "5s", retryDelays: "none", giveUp: "410, 400-404", expires: "2h" };
    const delivery = { timeoutMs: 5_000, retryDelaysMs: [], giveUpStatuses: [410, "400-404"], expiresIn: "2h" };
    expect(draftCall(draft(typed), AT)?.body).toMatchObject({ delivery });
    const call = (change: Partial<ScheduleDraft>) =>
      draftCall(draft({ ...typed, keepsHeaders: true, ...change }), {
        ...AT,
        original: { ...ORIGINAL, delivery: typed },
      });
    expect(call({ keepsPayload: true })?.method).toBe("replay");
    expect(call({ keepsPayload: true, timeout: "6s" })).toBeNull();
    expect(call({ payload: "x" })?.body).not.toHaveProperty("delivery");
    expect(call({ payload: "x", timeout: "" })?.body).toMatchObject({ delivery: { retryDelaysMs: [] } });
    expect(call({ payload: "x", ...NO_DELIVERY_TEXT })?.body).toMatchObject({ delivery: null });
  });

  it("survives a shell, whatever quotes and line breaks the payload has", () => {
    const payload = `it's "$HOME" \`x\` \\ \n'; echo '`;
    const call = draftCall(draft({ payload }), AT) ?? { url: "", body: {} };
    const { copied } = curlOf(call);
    const said = execFileSync("/bin/sh", ["-c", copied.replace(/^curl /, "printf '%s\\0' ")], { encoding: "utf8" });
    const body = said.split("\0").at(-2) ?? "";
    expect(JSON.parse(body)).toEqual(call.body);
  });

  it("is copied in full although a long payload is shown cut", () => {
    const call = draftCall(draft({ payload: "x".repeat(5_000) }), AT) ?? { url: "", body: {} };
    const { shown, copied } = curlOf(call);
    expect(JSON.stringify(shown).length).toBeLessThan(2_000);
    expect(copied).toContain("x".repeat(5_000));
  });

  it("by fetch is JavaScript that sends the same request", async () => {
    const call = draftCall(draft({ payload: "it's\n`$x`" }), AT) ?? { url: "", body: {} };
    const sent: unknown[] = [];
    const fake = (url: string, init: { body: string }) => sent.push([url, JSON.parse(init.body)]);
    const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
    await new AsyncFunction("fetch", "process", fetchOf(call).copied)(fake, { env: {} });
    expect(sent).toEqual([[call.url, call.body]]);
  });
});

describe("a draft as a call of the SDK", () => {
  const json = { name: "Content-Type", value: "application/json" };
  const CALLS = {
    "with a JSON payload": draftCall(draft({ payload: '{ "a": [1, "x y"] }' }), AT),
    "with text, headers and a key": draftCall(
      draft({ payload: "it's\n`$x`", headers: [{ name: "X-A", value: "1" }], idempotencyKey: "k", earlyFire: true }),
      { ...AT, time: { fireIn: "1h30m" } },
    ),
    "with delivery options": draftCall(
      draft({ timeout: "5s", retryDelays: "2s, 10s, 1m, 5m, 1h", giveUp: "410, 400-404", expires: "2h" }),
      AT,
    ),
    "without a payload": draftCall(draft({ method: "GET", headers: [] }), AT),
    "that replays": draftCall(draft({ keepsHeaders: true, keepsPayload: true }), {
      ...AT,
      original: { ...ORIGINAL, id: SCHEDULE_ID },
    }),
    "that clones with the original's headers": draftCall(draft({ keepsHeaders: true, payload: "[1]" }), {
      ...AT,
      original: { ...ORIGINAL, id: SCHEDULE_ID },
    }),
    "that clones with one header": draftCall(draft({ headers: [json], payload: "[1]" }), {
      ...AT,
      original: { ...ORIGINAL, id: SCHEDULE_ID },
    }),
    "that clones without headers": draftCall(draft({ headers: [], payload: "[1]" }), {
      ...AT,
      original: { ...ORIGINAL, id: SCHEDULE_ID },
    }),
    "that clones to another target": draftCall(
      draft({ url: "https://other.example.com/", keepsHeaders: true, payload: "text" }),
      { ...AT, original: { ...ORIGINAL, id: SCHEDULE_ID } },
    ),
  };
  const sdkCode = (call: ReturnType<typeof draftCall>) => (call ? sdkOf(call, SDK_NAME) : { shown: [], copied: "" });

  it.each(Object.entries(CALLS))("%s sends the same request as by curl", async (_, call) => {
    const sent: { url: string; body: Record<string, string> }[] = [];
    await runSample(sdkCode(call).copied, KEY, async (url, { body = "" }) => {
      sent.push({ url: new URL(url).pathname, body: JSON.parse(body) });
      return Response.json({});
    });
    const [{ url, body } = { url: "", body: {} as Record<string, unknown> }, ...others] = sent;
    const compact = (payload: unknown) =>
      /^[[{]/.test(`${payload}`) ? JSON.stringify(JSON.parse(`${payload}`)) : payload;
    const { payload, ...rest } = call?.body ?? {};
    expect(others).toEqual([]);
    expect(url).toBe(new URL(call?.url ?? "").pathname);
    expect({ idempotencyKey: undefined, ...body, payload: compact(body.payload) }).toEqual({
      idempotencyKey: expect.any(String),
      ...rest,
      payload: compact(payload),
    });
  });

  it("compiles, is copied in full although a long payload is shown cut, and has its time marked", async () => {
    const codes = Object.values(CALLS).map((call, at) => [`draft-${at}`, sdkCode(call).copied]);
    expect(await typeProblems(Object.fromEntries(codes))).toEqual([]);
    const { shown, copied } = sdkCode(draftCall(draft({ payload: `["${"x".repeat(5_000)}"]` }), AT));
    expect(JSON.stringify(shown).length).toBeLessThan(2_000);
    expect(copied).toContain("x".repeat(5_000));
    expect(shown).toContainEqual({ text: `"${AT.time.fireAt}"`, as: "instant" });
  });
});
