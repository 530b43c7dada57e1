import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { z } from "zod";
import { ENDPOINTS } from "#contract/endpoints.ts";
import { type Api, FUTURE, startApi, TARGET, type TestCaller } from "./api.ts";

let api: Api;
let caller: TestCaller;

beforeAll(async () => {
  api = await startApi();
  caller = await api.account();
});
afterAll(() => api.stop());

/** The messages for each path. */
async function said(...call: Parameters<Api["call"]>): Promise<Record<string, string>> {
  const { status, body } = await api.call(...call);
  expect(status, JSON.stringify(body)).toBe(400);
  return Object.fromEntries(
    body.error.details.map(({ path, message }: { path: string; message: string }) => [path, message]),
  );
}
const ofQuery = (path: string) => said("GET", path, caller.live);
const ofBody = (body: unknown, path = "/v1/schedules") => said("POST", path, caller.live, body);
const ofField = (fields: object) => ofBody({ targetUrl: TARGET, fireAt: FUTURE, ...fields });

const STATUS = "must be one or several of scheduled, firing, succeeded, failed, dead, cancelled, separated by commas";
const INSTANT = "must be an RFC 3339 instant with an offset, such as 2031-01-01T09:00:00Z";

const GIVE_ONE =
  'give one of fireAt ("2031-01-01T09:00:00Z"), fireIn ("90s") and fireAtLocal ("2031-01-01T09:00") with timezone';
const ZONE = "must be a zone of the IANA database, such as Europe/Berlin";

describe("the message about a query", () => {
  it.each([
    ["/v1/schedules?env=prod", { env: "must be live or test" }],
    ["/v1/schedules?status=pending", { status: `${STATUS}; did you mean scheduled?` }],
    ["/v1/schedules?status=dead,canceled", { status: `${STATUS}; did you mean cancelled?` }],
    ["/v1/schedules?status=Failed", { status: `${STATUS}; did you mean failed?` }],
    ["/v1/schedules?status=dead,", { status: STATUS }],
    ["/v1/schedules?starting_after=x", { starting_after: "is unknown; did you mean after?" }],
    ["/v1/schedules?status[]=dead", { "status[]": "is unknown; did you mean status?" }],
    ["/v1/logs?scheduleId=x", { scheduleId: "is unknown; did you mean schedule_id?" }],
    ["/v1/logs?zzz=1", { zzz: "is unknown" }],
    ["/v1/schedules?sort=created_at", { sort: "must be -created_at, fire_at, -fire_at or late" }],
    ["/v1/schedules?from=2031-01-01", { from: `${INSTANT}; the time of day is missing` }],
    ["/v1/logs?from=2031-01-01T00:00:00+01:00", { from: /encode the \+ of an offset as %2B in a URL$/ }],
    ["/v1/logs?to=1767225600", { to: `${INSTANT}; Unix seconds are not accepted` }],
    ["/v1/overview?period=1h", { period: "must be one of 24h, 7d, 30d" }],
    ["/v1/overview?range=7d", { range: "is unknown; did you mean period?" }],
  ] as [string, Record<string, string | RegExp>][])("is exact for %s", async (path, expected) => {
    const messages = await ofQuery(path);
    expect(Object.keys(messages)).toEqual(Object.keys(expected));
    for (const [name, message] of Object.entries(expected)) {
      if (typeof message === "string") expect(messages[name]).toBe(message);
      else expect(messages[name]).toMatch(message);
    }
  });
});

describe("the message about a field", () => {
  it("proposes the field that was probably meant", async () => {
    expect(await ofBody({ target_url: TARGET, fire_at: FUTURE })).toEqual({
      targetUrl: "is required",
      fireAt: `is required, or another time: ${GIVE_ONE}`,
      target_url: "is unknown; did you mean targetUrl?",
      fire_at: "is unknown; did you mean fireAt?",
    });
    expect(await ofField({ delay: "5m", tz: "UTC", fire_at_local: "2031-01-01T09:00", dst: "first" })).toEqual({
      delay: "is unknown; did you mean fireIn?",
      tz: "is unknown; did you mean timezone?",
      fire_at_local: "is unknown; did you mean fireAtLocal?",
      dst: "is unknown; did you mean onClockChange?",
    });
    expect(await ofBody({ items: [] }, "/v1/schedules/bulk")).toEqual({
      schedules: "is required",
      items: "is unknown; did you mean schedules?",
    });
    const { body } = await api.call("POST", "/v1/schedules/bulk", caller.live, { schedules: [{ url: TARGET }] });
    expect(body.rejected[0].message).toContain("url is unknown; did you mean targetUrl?");
  });

  it("says that a payload is a text", async () => {
    for (const payload of [{ a: 1 }, [1], 7, true]) {
      expect(await ofField({ payload })).toEqual({ payload: "must be a string: JSON.stringify it" });
    }
  });

  it("says that null is not a value", async () => {
    const optional = { payload: null, headers: null, method: null, idempotencyKey: null, earlyFire: null };
    expect(await ofField(optional)).toEqual(
      Object.fromEntries(Object.keys(optional).map((name) => [name, "must not be null: leave the field out"])),
    );
    expect(await ofField({ fireAt: null })).toEqual({ fireAt: "must not be null: leave the field out" });
    const id = await api.create(caller.live);
    expect(await said("PATCH", `/v1/schedules/${id}`, caller.live, { fireAt: null })).toEqual({
      fireAt: "must not be null: leave the field out",
    });
    expect(await ofBody({ payload: null }, `/v1/schedules/${id}/clone`)).toEqual({ payload: "must not be null" });
  });

  it.each([
    [{ method: "post" }, { method: "must be GET, POST, PUT, PATCH or DELETE, in capitals" }],
    [{ method: "HEAD" }, { method: "must be GET, POST, PUT, PATCH or DELETE" }],
    [{ fireAt: 1_767_225_600 }, { fireAt: "must be a string, such as 2031-01-01T09:00:00Z" }],
    [{ fireAt: "1767225600" }, { fireAt: `${INSTANT}; Unix seconds are not accepted` }],
    [{ fireAt: "1767225600000" }, { fireAt: `${INSTANT}; Unix milliseconds are not accepted` }],
    [
      { fireAt: "2031-01-01T09:00:00" },
      {
        fireAt: `${INSTANT}; the offset is missing: add Z for UTC, or an offset such as +01:00; or give fireAtLocal and timezone in its place`,
      },
    ],
    [{ fireAt: "2031-01-01 09:00:00Z" }, { fireAt: `${INSTANT}; separate date and time by T` }],
    [{ fireAt: "2031-01-01t09:00:00z" }, { fireAt: `${INSTANT}; T and Z must be upper case` }],
    [{ fireAt: "2031-01-01T09:00:00+0100" }, { fireAt: `${INSTANT}; write the offset as +01:00` }],
    [
      { fireAt: "2031-01-01T09:00:00+01:00[Europe/Berlin]" },
      { fireAt: `${INSTANT}; time zone names are not accepted` },
    ],
    [{ fireAt: "2031-01-01T09:00:00.0123456789Z" }, { fireAt: `${INSTANT}; seconds have at most nine decimals` }],
    [{ fireAt: "5m" }, { fireAt: `${INSTANT}; fireIn takes durations` }],
    [{ fireAt: "in 5 minutes" }, { fireAt: `${INSTANT}; relative times are not accepted` }],
    [{ fireAt: "" }, { fireAt: INSTANT }],
    [
      { fireAt: "2031-02-30T09:00:00Z" },
      {
        fireAt: "must be an existing date and time (no 24:00, no leap second, offsets up to 23:59)",
      },
    ],
    [{ fireAt: "9999-12-31T23:59:59-01:00" }, { fireAt: "must lie in the years 0001 to 9999, in UTC" }],
    [
      { fireAt: "9999-12-31T23:59:59.9990001Z" },
      {
        fireAt: "must be at most 9999-12-31T23:59:59.999Z after rounding up to a millisecond",
      },
    ],
  ])("is exact for %j", async (fields, expected) => {
    expect(await ofField(fields)).toEqual(expected);
  });
});

describe("the message about a time", () => {
  it.each([
    [{}, { fireAt: `is required, or another time: ${GIVE_ONE}` }],
    [{ fireAt: FUTURE, fireIn: "90s" }, { fireIn: `cannot stand beside fireAt: ${GIVE_ONE}` }],
    [
      { fireAt: FUTURE, fireIn: "90s", fireAtLocal: "2031-01-01T09:00", timezone: "UTC" },
      {
        fireIn: `cannot stand beside fireAt: ${GIVE_ONE}`,
        fireAtLocal: `cannot stand beside fireAt: ${GIVE_ONE}`,
      },
    ],
    [
      { fireIn: "90s", timezone: "UTC", onClockChange: "first" },
      {
        timezone: 'goes with fireAtLocal, such as "2031-01-01T09:00", which is missing',
        onClockChange: 'goes with fireAtLocal, such as "2031-01-01T09:00", which is missing',
      },
    ],
    [{ timezone: "UTC" }, { timezone: 'goes with fireAtLocal, such as "2031-01-01T09:00", which is missing' }],
    [{ fireAtLocal: "2031-01-01T09:00" }, { timezone: "is required with fireAtLocal, such as Europe/Berlin" }],
    [{ fireAtLocal: "2031-01-01T09:00", timezone: "Mars/Olympus" }, { timezone: ZONE }],
    [{ fireAtLocal: "2031-01-01T09:00", timezone: " Europe/Berlin" }, { timezone: ZONE }],
    [{ fireAtLocal: "2031-01-01T09:00", timezone: "+01:00" }, { timezone: `${ZONE}; with an offset, use fireAt` }],
    [{ fireAtLocal: "2031-01-01T09:00", timezone: "CEST" }, { timezone: `${ZONE}; abbreviations are ambiguous` }],
    [{ fireAtLocal: "2031-01-01T09:00", timezone: null }, { timezone: "must not be null: leave the field out" }],
    [
      { fireAtLocal: "2031-01-01T09:00", timezone: "UTC", onClockChange: "later" },
      { onClockChange: "must be first, second or refuse" },
    ],
    [
      { fireAtLocal: "2031-02-30T09:00", timezone: "UTC" },
      { fireAtLocal: "must be an existing date and time (no 24:00, no leap second)" },
    ],
    [
      { fireAtLocal: "2031-01-01T09:00+01:00", timezone: "UTC" },
      {
        fireAtLocal:
          "must be a date and a time of day without an offset, such as 2031-01-01T09:00; leave the offset out, or use fireAt",
      },
    ],
    [{ fireIn: 90 }, { fireIn: 'must be a string, such as "90s"' }],
    [{ fireIn: "0.5s" }, { fireIn: "must be at least 1 second" }],
    [
      { fireIn: "90" },
      {
        fireIn: 'must be a duration, such as "90s", "1h30m" or "PT90M"; the unit is missing: write 90s for 90 seconds',
      },
    ],
    // Together with problems of other fields.
    [
      { fireAt: "soon", fireIn: "90s", method: "post" },
      {
        fireAt: `${INSTANT}; relative times are not accepted`,
        fireIn: `cannot stand beside fireAt: ${GIVE_ONE}`,
        method: "must be GET, POST, PUT, PATCH or DELETE, in capitals",
      },
    ],
    [
      { fireAt: FUTURE, fireIn: "90s", headers: "none", method: "POST" },
      { fireIn: `cannot stand beside fireAt: ${GIVE_ONE}`, headers: "must be an object of strings" },
    ],
  ] as const)("is exact for %j, in every place that takes one", async (times, expected) => {
    expect(await ofBody({ targetUrl: TARGET, ...times })).toEqual(expected);
    const item = await api.call("POST", "/v1/schedules/bulk", caller.live, {
      schedules: [{ targetUrl: TARGET, ...times }],
    });
    expect(item.body).toMatchObject({ accepted: [], rejected: [{ index: 0, code: "VALIDATION" }] });
    for (const [path, message] of Object.entries(expected)) {
      expect(item.body.rejected[0].message).toContain(`${path} ${message}`);
    }
    if (!Object.keys(times).length || "method" in times) return;
    const id = await api.create(caller.live);
    expect(await said("PATCH", `/v1/schedules/${id}`, caller.live, { earlyFire: true, ...times })).toEqual(expected);
    expect(await ofBody(times, `/v1/schedules/${id}/replay`)).toEqual(expected);
    expect(await ofBody({ payload: "", ...times }, `/v1/schedules/${id}/clone`)).toEqual(expected);
  });
});

describe("the message about a body", () => {
  it("says where it stops being JSON, and repeats nothing of it", async () => {
    const messages = await ofBody('{\n  "payload": "c4n4ry",\n  c4n4ry\n}');
    expect(messages).toEqual({
      "": "The body is not valid JSON at position 27 (line 3, column 3): a name in double quotes is missing.",
    });
  });

  it("says what it is when it is not an object", async () => {
    expect(await ofBody("[]")).toEqual({ "": "The body must be a JSON object, not an array." });
    expect(await ofBody(JSON.stringify(JSON.stringify({})))).toEqual({
      "": "The body must be a JSON object, not a string. Was it encoded twice?",
    });
  });

  it("says with 415 that it is compressed, a form, or without a type", async () => {
    const unsupported = async (headers: Record<string, string>) => {
      const { status, body } = await api.call(
        "POST",
        "/v1/schedules",
        caller.live,
        new Uint8Array([123, 125]),
        headers,
      );
      expect(status).toBe(415);
      return body.error.message;
    };
    expect(await unsupported({ "content-encoding": "gzip" })).toContain("Content-Encoding, such as gzip");
    const form = { "content-type": "application/x-www-form-urlencoded" };
    expect(await unsupported(form)).toContain("form data is not supported");
    expect(await unsupported({ "content-type": "text/plain" })).toContain("application/json, in UTF-8.");
  });
});

it("no message has the words of the validation library", () => {
  const texts = ["\0", "nope", "-1", "1.5", "2031"];
  const wrong = [undefined, null, true, -1, 1.5, "", [], [[]], {}, { a: 1 }, ...texts];
  for (const { operationId, body, query } of ENDPOINTS) {
    // A query contains only texts.
    for (const [schema, given] of [[body, wrong] as const, [query, texts] as const]) {
      const names = Object.keys((schema as { shape?: object } | undefined)?.shape ?? {});
      for (const value of [{}, { a: 1 }, ...names.flatMap((name) => given.map((one) => ({ [name]: one })))]) {
        for (const { code, message } of (schema as z.ZodType | undefined)?.safeParse(value).error?.issues ?? []) {
          if (code === "unrecognized_keys") continue;
          expect(message, `${operationId} ${JSON.stringify(value)}`).not.toMatch(/invalid|expected|too (big|small)/i);
        }
      }
    }
  }
});
