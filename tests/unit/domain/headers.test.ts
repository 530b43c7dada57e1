import fc from "fast-check";
import { Agent, type Dispatcher, request } from "undici";
import { describe, expect, it } from "vitest";
import { parseCustomHeaders, RESERVED_HEADERS } from "#domain/headers.ts";

const isAccepted = (headers: Record<string, string>) => parseCustomHeaders(headers).ok;
const TOKEN_CHARACTERS = "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

describe("custom headers", () => {
  it("are returned in order and unchanged", () => {
    expect(parseCustomHeaders({ "X-Tenant": "a", "content-type": "application/json", "User-Agent": "mine/1" })).toEqual(
      {
        ok: true,
        headers: [
          ["X-Tenant", "a"],
          ["content-type", "application/json"],
          ["User-Agent", "mine/1"],
        ],
      },
    );
    expect(parseCustomHeaders({})).toEqual({ ok: true, headers: [] });
  });

  it("may not be reserved ones, in any letter case and with _ read as -", () => {
    const spellings = [
      (name: string) => name,
      (name: string) => name.toUpperCase(),
      (name: string) => name.replaceAll("-", "_"),
      (name: string) => name.toUpperCase().replace("-", "_"),
    ];
    for (const name of [...RESERVED_HEADERS, "proxy-connection", "proxy-authorization", "proxy-", "proxy-anything"]) {
      for (const spell of spellings) {
        expect(parseCustomHeaders({ [spell(name)]: "x" })).toEqual({
          ok: false,
          problems: [{ path: `headers.${spell(name)}`, message: "is reserved" }],
        });
      }
    }
    expect(RESERVED_HEADERS).toEqual(
      expect.arrayContaining(["host", "x-service-fire-at", "webhook-id", "http2-settings"]),
    );
    for (const name of [
      "User-Agent",
      "Authorization",
      "Accept-Encoding",
      "Cookie",
      "X-Proxy-A",
      "Webhook-Ids",
      "Hosts",
    ]) {
      expect(isAccepted({ [name]: "x" }), name).toBe(true);
    }
  });

  it("have names that are RFC 9110 tokens of at most 256 characters", () => {
    expect(isAccepted({ [TOKEN_CHARACTERS]: "x" })).toBe(true);
    for (const name of [
      "",
      " ",
      "a b",
      "a:b",
      "a\n",
      "a\r\nb",
      "a\0",
      "\u00e4",
      "a(b)",
      'a"',
      "a/b",
      "a=b",
      "{a}",
      "a@b",
      "\ud800",
    ]) {
      expect(isAccepted({ [name]: "x" }), JSON.stringify(name)).toBe(false);
    }
    expect(isAccepted({ ["a".repeat(256)]: "x" })).toBe(true);
    expect(isAccepted({ ["a".repeat(257)]: "x" })).toBe(false);
  });

  it("may not contain one name in two letter cases", () => {
    expect(parseCustomHeaders({ "X-A": "1", "x-a": "2" })).toEqual({
      ok: false,
      problems: [{ path: "headers.x-a", message: "is given twice" }],
    });
    expect(isAccepted({ "X-A": "1", X_A: "2" })).toBe(true);
  });

  it("have values of visible ASCII, spaces and tabs, which may be empty", () => {
    for (const value of ["", "a", " a\tb ", "~!\"'\\"]) expect(isAccepted({ "X-A": value }), value).toBe(true);
    for (const value of ["a\rb", "a\nb", "a\0", "\x7f", "\x1b", "\u00e9", "\u20ac", "\u{1f600}", "\ud800", "a\n"]) {
      expect(isAccepted({ "X-A": value }), JSON.stringify(value)).toBe(false);
    }
    for (const value of [1, null, undefined, true, ["a"], {}]) {
      expect(parseCustomHeaders({ "X-A": value } as never)).toMatchObject({ ok: false });
    }
  });

  it("number at most 50 and take at most 8 KiB together", () => {
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`X-${i}`, "v"]));
    expect(isAccepted(many(50))).toBe(true);
    expect(parseCustomHeaders(many(51))).toMatchObject({ ok: false, problems: [{ path: "headers" }] });
    expect(isAccepted({ "X-A": "v".repeat(8192 - 3) })).toBe(true);
    expect(parseCustomHeaders({ "X-A": "v".repeat(8192 - 2) })).toMatchObject({
      ok: false,
      problems: [{ path: "headers" }],
    });
    expect(isAccepted({ "X-A": "v".repeat(4096), "X-B": "v".repeat(4096) })).toBe(false);
  });

  it("may be named like properties of Object", () => {
    const input = JSON.parse('{"constructor":"1","__proto__":"2","toString":"3","hasOwnProperty":"4"}');
    expect(parseCustomHeaders(input)).toEqual({
      ok: true,
      headers: [
        ["constructor", "1"],
        ["__proto__", "2"],
        ["toString", "3"],
        ["hasOwnProperty", "4"],
      ],
    });
  });

  it("are refused with every problem and the header name it is about", () => {
    expect(parseCustomHeaders({ Host: "a", "b c": "x", "X-A": "\n" })).toMatchObject({
      ok: false,
      problems: [{ path: "headers.Host" }, { path: "headers.b c" }, { path: "headers.X-A" }],
    });
  });

  it("that are accepted are never refused by the HTTP client", async () => {
    const name = fc.oneof(
      fc.string({ unit: fc.constantFrom(...TOKEN_CHARACTERS), minLength: 1, maxLength: 20 }),
      fc.constantFrom(
        ...RESERVED_HEADERS,
        "constructor",
        "__proto__",
        "Accept",
        "Cookie",
        "Date",
        "Via",
        "Content-Type",
        "Content-Encoding",
      ),
      fc.string({ maxLength: 4, unit: "binary" }),
    );
    const value = fc.string({
      maxLength: 20,
      unit: fc.oneof(
        { weight: 50, arbitrary: fc.string({ minLength: 1, maxLength: 1 }) },
        fc.constantFrom("\t", "\0", "\u00e9"),
      ),
    });
    await fc.assert(
      fc.asyncProperty(fc.dictionary(name, value, { maxKeys: 8 }), async (input) => {
        const parsed = parseCustomHeaders(input);
        if (parsed.ok) await expectClientTakes(parsed.headers);
      }),
      { numRuns: 300 },
    );
    await expectClientTakes(Object.entries(JSON.parse('{"constructor":"1","__proto__":"2"}')));
  });
});

class NeverConnects extends Error {}

// undici checks headers before it connects. Whatever it does not refuse reaches our connector.
async function expectClientTakes(headers: [string, string][]): Promise<void> {
  const dispatcher: Dispatcher = new Agent({ connect: (_, callback) => callback(new NeverConnects(), null) });
  const sent = request("http://receiver.invalid/", { method: "POST", body: "x", headers: headers.flat(), dispatcher });
  await expect(sent).rejects.toThrow(NeverConnects);
  await dispatcher.destroy();
}
