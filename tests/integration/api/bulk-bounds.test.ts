import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Api, FUTURE, startApi, TARGET, type TestCaller } from "./api.ts";

const MIB = 1024 * 1024;
const PATH = "/v1/schedules/bulk";
const valid = { targetUrl: TARGET, fireAt: FUTURE };
const validText = JSON.stringify(valid);
const json = { "content-type": "application/json" };

let api: Api;
let caller: TestCaller;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());
beforeEach(async () => {
  caller = await api.account();
});

const post = (text: string | Uint8Array | ReadableStream, key = caller.live) => api.call("POST", PATH, key, text, json);
const stored = async () =>
  (await api.sql`SELECT count(*)::int AS n FROM schedules WHERE account_id = ${caller.accountId}`)[0]?.n;

/** A body of one item, filled up with white space to `bytes`. */
const filled = (bytes: number) => `{"schedules":[${validText}${" ".repeat(bytes - 16 - validText.length)}]}`;

/** A body that begins with `start` and repeats `piece` until somebody stops reading; `read` says how much was. */
function endless(start: string, piece: string) {
  const state = { read: 0 };
  const repeated = Buffer.from(piece.repeat(Math.ceil(65_536 / piece.length)));
  const stream = new ReadableStream(
    {
      pull(controller) {
        const next = state.read === 0 ? Buffer.from(start) : repeated;
        state.read += next.length;
        controller.enqueue(Uint8Array.from(next));
      },
    },
    { highWaterMark: 0 },
  );
  return { stream, state };
}

describe("the body of a bulk call", () => {
  it("may have as many bytes as the plan's largest batch with all payloads escaped, at most 32 MiB", async () => {
    const tooLarge = { status: 413, body: { error: { code: "PAYLOAD_TOO_LARGE" } } };
    const free = 100 * 51_200 * 6;
    expect((await post(filled(free))).body.accepted).toHaveLength(1);
    expect(await post(filled(free + 1))).toMatchObject(tooLarge);
    const indie = await api.account("indie");
    expect((await post(filled(32 * MIB), indie.live)).body.accepted).toHaveLength(1);
    expect(await post(filled(32 * MIB + 1), indie.live)).toMatchObject(tooLarge);
  });

  it.each<[string, string, string, string, RegExp]>([
    ["an item too many", '{"schedules":[', "{},", "schedules", /at most 100 items on this plan/],
    ["a level of brackets too many", '{"schedules":[', "[", "", /at most 64 levels/],
    ["a name too many in an item", '{"schedules":[{', '"a":1,', "schedules.0", /at most 2000 names/],
    ["an element too many in an item", '{"schedules":[{},{"headers":[', "1,", "schedules.1", /at most 2000 names/],
    ["a name too many beside the list", '{"schedules":[],', '"a":{},', "", /at most 2000 names/],
    ["an element too many of another field", '{"x":[', "0,", "", /at most 2000 names/],
    ["an element too many of no list at all", "[", "{},", "", /at most 2000 names/],
  ])("is refused at %s, and is not read any further", async (_, start, piece, path, message) => {
    const { stream, state } = endless(start, piece);
    const answer = await post(stream);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: "VALIDATION", details: [{ path }] } } });
    expect(answer.body.error.message).toMatch(message);
    expect(state.read).toBeLessThan(300_000);
    expect(await stored()).toBe(0);
  });

  it("may have 64 levels of brackets", async () => {
    const nested = (depth: number) =>
      `{"schedules":[${validText},{"payload":${"[".repeat(depth)}${"]".repeat(depth)}}]}`;
    const { body } = await post(nested(61));
    expect([body.accepted.length, body.rejected[0].message]).toEqual([
      1,
      expect.stringContaining("payload must be a string"),
    ]);
    expect(await post(nested(62))).toMatchObject({ status: 400 });
  });

  it.each<[string, string]>([
    ["its name is written in escapes", `{"\\u0073chedules":[${validText}]}`],
    ["it comes twice, of which the last counts", `{"schedules":[1,2],"schedules":null,"schedules":[${validText}]}`],
    ["it begins with a byte order mark", `\ufeff{"schedules":[${validText}]}`],
    ["it is full of white space", `\r\n{\t"schedules" : [ \n ${validText}\t] }\n`],
  ])("is read as JSON.parse reads it: %s", async (_, text) => {
    const { body } = await post(text);
    expect([body.accepted.length, body.rejected]).toEqual([1, []]);
  });

  it.each<[string, string | Uint8Array, string, RegExp]>([
    ["an unknown name", `{"schedules":[${validText}],"__proto__":{"a":1}}`, "__proto__", /__proto__ is unknown/],
    ["a very long name", `{"schedules":[${validText}],"${"a".repeat(MIB)}":1}`, "a".repeat(300), /^a{300} is unknown/],
    ["null for the list", '{"schedules":null}', "schedules", /must not be null/],
    ["a list that is none", '{"schedules":{"0":{}}}', "schedules", /must be an array/],
    ["a string", '"{\\"schedules\\":[]}"', "", /not a string. Was it encoded twice/],
    ["an item that is not JSON", '{"schedules":[\n{"a":"é"},\nNone]}', "", /position 26 \(line 3, column 1\)/],
    ["an item that is cut off", '{"schedules":[{}', "", /position 16 .* ends unexpectedly/],
    ["text after the end", '{"schedules":[{}]}]', "", /position 18 .* unexpected text/],
    [
      "bytes that are not UTF-8",
      Buffer.concat([Buffer.from('{"schedules":[{"payload":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}]}')]),
      "",
      /not valid UTF-8/,
    ],
    [
      "half a character at its end",
      Buffer.from([...Buffer.from('{"schedules":[]}'), 0xe2, 0x82]),
      "",
      /not valid UTF-8/,
    ],
  ])("is refused as a whole for %s", async (_, text, path, message) => {
    const answer = await post(text);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: "VALIDATION", details: [{ path }] } } });
    expect(answer.body.error.message).toMatch(message);
    expect(await stored()).toBe(0);
  });

  it("may have an item of any size: above 2 MiB it is rejected, and the others are stored", async () => {
    const large = JSON.stringify({ ...valid, payload: "a".repeat(2 * MIB) });
    const { body } = await post(`{"schedules":[${validText},${large},${validText}]}`);
    expect(body.accepted.map(({ index }: { index: number }) => index)).toEqual([0, 2]);
    expect(body.rejected).toEqual([
      {
        index: 1,
        code: "PAYLOAD_TOO_LARGE",
        message: `The item has ${large.length} bytes; an item has at most 2097152 bytes.`,
      },
    ]);
  });
});

describe("the body of any other call", () => {
  it.each<[string, string, string, RegExp]>([
    ["a name too many", "{", '"a":1,', /at most 2000 names/],
    ["a level of brackets too many", '{"payload":', "[", /at most 64 levels/],
  ])("is refused at %s, and is not read any further", async (_, start, piece, message) => {
    for (const path of ["/v1/schedules", "/v1/operations"]) {
      const { stream, state } = endless(start, piece);
      const answer = await api.call("POST", path, caller.live, stream, json);
      expect(answer).toMatchObject({ status: 400, body: { error: { code: "VALIDATION" } } });
      expect(answer.body.error.message).toMatch(message);
      expect(state.read).toBeLessThan(300_000);
    }
  });

  it("that never begins is answered after 5 s with 408", async () => {
    const began = performance.now();
    const answer = await api.call("POST", "/v1/schedules", caller.live, new ReadableStream(), json);
    expect(answer).toMatchObject({ status: 408, body: { error: { code: "VALIDATION" } } });
    expect(performance.now() - began).toBeGreaterThan(4_900);
  });
});

describe("an answer to many problems", () => {
  it("names the first twenty, and describes no more of them", async () => {
    const names = Object.fromEntries(Array.from({ length: 1_990 }, (_, n) => [`name ${n}`, n]));
    const { body, status } = await api.call("POST", "/v1/schedules", caller.live, { ...valid, ...names });
    expect([status, body.error.details.length]).toEqual([400, 20]);
    const query = Array.from({ length: 4_000 }, (_, n) => n.toString(36)).join("&");
    const listed = await api.call("GET", `/v1/schedules?${query}`, caller.live);
    expect([listed.status, listed.body.error.details.length]).toEqual([400, 20]);
  });
});
