import { describe, expect, it } from "vitest";
import { z } from "zod";
import { CreateInput } from "#contract/inputs/create-input.ts";
import { decodeText } from "../../../../cli/src/import/decode-text.ts";
import { DELIVERY_OPTIONS } from "../../../../cli/src/import/fields.ts";
import { FIELDS } from "../../../../cli/src/import/find-problems.ts";
import { readRows } from "../../../../cli/src/import/read-rows.ts";
import type { Row, RowOptions } from "../../../../cli/src/import/row.ts";
import { hashInput, keyOf } from "../../../../cli/src/import/row-key.ts";
import { UnreadableInput } from "../../../../cli/src/import/unreadable-input.ts";

const AT = "2031-01-01T09:00:00Z";
const TO = "https://example.com/hook";

describe("the rows of an import", () => {
  it("have the fields of the contract", () => {
    expect([...FIELDS].sort()).toEqual(Object.keys(CreateInput.shape).sort());
    const { properties = {} } =
      z.toJSONSchema(CreateInput, { io: "input", unrepresentable: "any" }).$defs?.DeliveryOptions ?? {};
    expect([...DELIVERY_OPTIONS].sort()).toEqual(Object.keys(properties).sort());
  });

  it("come from CSV by the names of its first line, empty cells not given", () => {
    const rows = csv(
      `targetUrl,fireAt,fireIn,payload,headers.X-A,headers,earlyFire\n${TO},,90s,"a,b",1,"{""B"":""2""}",true\n`,
    );
    expect(rows).toEqual([
      {
        number: 1,
        line: 2,
        item: { targetUrl: TO, fireIn: "90s", payload: "a,b", headers: { B: "2", "X-A": "1" }, earlyFire: true },
        problems: [],
      },
    ]);
  });

  it("have their delivery options from columns of their own, lists with commas or spaces between, or as JSON", () => {
    const names = "delivery.timeoutMs,delivery.retryDelaysMs,delivery.giveUpStatuses,delivery.expiresIn";
    const rows = csv(
      `targetUrl,fireIn,${names},delivery\n${TO},1h,5000,"2000, 60000",410 400-404,2h,"{""timeoutMs"":1}"\n`,
    );
    const delivery = {
      timeoutMs: 5_000,
      retryDelaysMs: [2_000, 60_000],
      giveUpStatuses: [410, "400-404"],
      expiresIn: "2h",
    };
    expect(rows[0]).toMatchObject({ item: { delivery }, problems: [] });
    const none = csv(`targetUrl,fireIn,${names}\n${TO},1h,,none,none,\n`);
    expect(none[0]?.item).toEqual({ targetUrl: TO, fireIn: "1h", delivery: { retryDelaysMs: [], giveUpStatuses: [] } });
    expect(csv(`targetUrl,fireIn,delivery\n${TO},1h,5s\n`)[0]?.problems[0]?.message).toContain(
      "delivery must be JSON such as",
    );
    const map = new Map([["limit", "delivery.timeoutMs"]]);
    expect(json(JSON.stringify({ targetUrl: TO, fireIn: "1h", limit: 5_000 }), { map })[0]?.item).toMatchObject({
      delivery: { timeoutMs: 5_000 },
    });
  });

  it("come from JSON lines, CRLF, a byte order mark and empty lines included", () => {
    const text = decodeText(
      Buffer.from(`\uFEFF{"targetUrl":"${TO}","fireAt":"${AT}"}\r\n\r\n{"targetUrl":"${TO}","fireIn":"1h"}`),
    );
    expect(json(text).map(({ number, line, problems }) => ({ number, line, problems }))).toEqual([
      { number: 1, line: 1, problems: [] },
      { number: 2, line: 3, problems: [] },
    ]);
  });

  it("take other names by --map, and leave out what is mapped to nothing", () => {
    const map = new Map([
      ["url", "targetUrl"],
      ["when", "fireAt"],
      ["trace", "headers.X-Trace"],
      ["note", ""],
    ]);
    const item = { targetUrl: TO, fireAt: AT, headers: { "X-Trace": "7" } };
    expect(csv(`url,when,trace,note\n${TO},${AT},7,mine\n`, { map })[0]).toMatchObject({ item, problems: [] });
    const line = JSON.stringify({ url: TO, when: AT, trace: "7", note: { any: "thing" } });
    expect(json(line, { map })[0]).toMatchObject({ item, problems: [] });
  });

  it.each([
    ["targetUrl,paylod\n", 1, 11, "did you mean payload?"],
    ["targetUrl,delivery.timoutMs\n", 1, 11, "did you mean delivery.timeoutMs?"],
    ["targetUrl,sendAt\n", 1, 11, "did you mean fireAt?"],
    ["targetUrl;fireAt\n", 1, 1, "must be separated by commas"],
    ["targetUrl,payload,payload\n", 1, 19, '"payload" comes twice'],
    ['targetUrl,fireAt\nx,"y\n', 2, 3, "this quote is never closed"],
  ])("cannot be read from CSV %j, with line %i and column %i", (text, line, column, message) => {
    const problem = unreadable(() => csv(text));
    expect([problem.line, problem.column]).toEqual([line, column]);
    expect(problem.message).toContain(message);
  });

  it("cannot be read from a JSON array", () => {
    expect(unreadable(() => json(`[{"fireIn":"1h"}]`)).message).toContain("write one object a line");
  });

  it("cannot be read where --map names a column that is not there", () => {
    expect(unreadable(() => csv(`targetUrl\n`, { map: new Map([["url", "targetUrl"]]) })).message).toBe(
      'there is no column "url"',
    );
  });

  it.each([
    [Buffer.from([0x61, 0x0a, 0x62, 0xff, 0x63]), 2, 2, "not UTF-8"],
    [Buffer.from("\uFEFFa,b", "utf16le"), 1, 1, "UTF-16"],
  ])("cannot be read from other encodings", (bytes, line, column, message) => {
    const problem = unreadable(() => decodeText(bytes));
    expect([problem.line, problem.column]).toEqual([line, column]);
    expect(problem.message).toContain(message);
  });

  it("name each problem by line and column", () => {
    const rows = csv(`targetUrl,fireAt,method\n${TO},tomorrow,post\nftp://x,${AT},GET\n${TO}\n`);
    expect(rows.flatMap(({ problems }) => problems)).toEqual([
      { line: 2, column: TO.length + 2, message: expect.stringMatching(/^fireAt must be an RFC 3339 instant/) },
      { line: 2, column: TO.length + 11, message: expect.stringMatching(/^method must be one of GET, POST/) },
      { line: 3, column: 1, message: 'targetUrl must be an address such as "https://example.com/hook"' },
      { line: 4, message: "has 1 field, but the first line has 3 fields" },
    ]);
  });

  it.each([
    [{ targetUrl: TO }, "fireAt is missing, or another time"],
    [{ targetUrl: TO, fireAt: AT, fireIn: "1h" }, "fireIn cannot stand beside fireAt"],
    [{ targetUrl: TO, fireAtLocal: "2031-01-01T09:00" }, "timezone is missing beside fireAtLocal"],
    [{ targetUrl: TO, fireAt: AT, timezone: "Europe/Berlin" }, "timezone goes with fireAtLocal"],
    [{ targetUrl: TO, fireAtLocal: "2031-01-01T09:00", timezone: "CET2" }, "timezone must be a zone"],
    [{ targetUrl: TO, fireIn: "5x" }, "fireIn must be a duration"],
    [{ fireIn: "5m" }, "targetUrl is missing"],
    [{ targetUrl: "https://me:secret@example.com/", fireIn: "5m" }, "targetUrl must have no credentials"],
    [{ targetUrl: TO, fireIn: "5m", payload: { a: 1 } }, "payload must be a string"],
    [{ targetUrl: TO, fireIn: "5m", headers: { Host: "x" } }, "headers Host: is reserved"],
    [{ targetUrl: TO, fireIn: "5m", headers: ["x"] }, "headers must be an object of strings"],
    [{ targetUrl: TO, fireIn: "5m", idempotencyKey: "k".repeat(256) }, "idempotencyKey must have 1 to 255 characters"],
    [{ targetUrl: TO, fireIn: "5m", earlyFire: "yes" }, "earlyFire must be true or false"],
    [{ targetUrl: TO, fireIn: "5m", uri: TO }, 'the field "uri" is unknown: did you mean targetUrl?'],
    [TO, "must be an object: one schedule a line"],
  ])("refuse %j", (value, message) => {
    expect(json(JSON.stringify(value))[0]?.problems[0]?.message).toContain(message);
  });

  it.each([
    ['{"a": b}', 7],
    ['{"a":1,}', 8],
    ['{"a":1', 7],
    ['{"a":"x\ty"}', 8],
    [`{"payload":"${"x".repeat(500)}", b:1}`, 516],
    ["nonsense", 2],
  ])("say at which column %j is no JSON", (text, column) => {
    expect(json(text)[0]?.problems).toEqual([{ line: 1, column, message: expect.stringMatching(/^is not JSON: /) }]);
  });

  it("take what an export wrote, as far as an export holds it", () => {
    const exported = {
      id: "sch_01kbm5qk4f8rz3c2x7w9v6n1ta",
      target_url: TO,
      method: "PUT",
      status: "scheduled",
      fire_at: "2031-01-01T09:00:00.000Z",
      early_fire: false,
      has_payload: false,
      a_field_of_a_later_version: 1,
    };
    const item = { targetUrl: TO, method: "PUT", fireAt: exported.fire_at, earlyFire: false };
    const rowOf = (line: object, options = {}) => json(JSON.stringify(line), options)[0];
    expect(rowOf(exported)).toMatchObject({ item, problems: [] });
    expect(rowOf({ ...exported, fireIn: "1h" })?.item).toEqual({ ...item, fireAt: undefined, fireIn: "1h" });

    const delivery = { timeout_ms: 5_000, retry_delays_ms: [1_000], give_up_statuses: null, expires_at: null };
    const options = { timeoutMs: 5_000, retryDelaysMs: [1_000], giveUpStatuses: null, expiresAt: null };
    expect(rowOf({ ...exported, delivery })).toMatchObject({ item: { ...item, delivery: options }, problems: [] });
    expect(rowOf({ ...exported, delivery: null })?.item).toEqual(item);

    const withPayload = { ...exported, has_payload: true, payload_size_bytes: 120 };
    expect(rowOf(withPayload)?.problems[0]?.message).toContain("had a payload, which is never returned");
    expect(rowOf({ ...withPayload, payload: "hi" })).toMatchObject({ item: { ...item, payload: "hi" }, problems: [] });
    expect(rowOf(withPayload, { withoutPayloads: true })).toMatchObject({ item, problems: [] });
  });
});

describe("the key of a row", () => {
  it("is the given one, otherwise the hash of all bytes and the row's number, within the API's limit", () => {
    expect(keyOf("h", 1, "order-1")).toBe("order-1");
    const hash = hashInput(Buffer.from("abc"));
    expect(hash).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect(keyOf(hash, 7, undefined)).toBe(`import-${hash}-7`);
    expect(keyOf(hash, Number.MAX_SAFE_INTEGER, undefined).length).toBeLessThan(255);
  });
});

function csv(text: string, options: Partial<RowOptions> = {}): Row[] {
  return [...readRows(text, { format: "csv", map: new Map(), withoutPayloads: false, ...options })];
}

function json(text: string, options: Partial<RowOptions> = {}): Row[] {
  return [...readRows(text, { format: "jsonl", map: new Map(), withoutPayloads: false, ...options })];
}

function unreadable(read: () => unknown): UnreadableInput {
  try {
    read();
  } catch (error) {
    if (error instanceof UnreadableInput) return error;
    throw error;
  }
  throw new Error("it was read");
}
