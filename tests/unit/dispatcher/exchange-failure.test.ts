import { describe, expect, it } from "vitest";
import { failed } from "#dispatcher/sending/exchange-failure.ts";

const withCode = (code: string) => Object.assign(new Error("to 10.0.0.1:443"), { code });

describe("the stored error of an attempt without an answer", () => {
  it.each([
    ["UND_ERR_SOCKET", "the connection was closed without an answer"],
    ["UND_ERR_HEADERS_OVERFLOW", "the answer's headers are too long"],
    ["UND_ERR_INVALID_ARG", "the stored request cannot be sent"],
    ["HPE_INVALID_CONSTANT", "the answer is not HTTP"],
    ["UND_ERR_SOMETHING_NEW", "the request failed"],
  ])("describes %s in words alone", (code, error) => {
    expect(failed(withCode(code))).toEqual({ kind: "unreachable", error });
  });

  it("describes an error without a code in words alone", () => {
    const parser = Object.assign(new Error(), { name: "HTTPParserError" });
    expect(failed(parser)).toEqual({ kind: "unreachable", error: "the answer is not HTTP" });
    expect(failed(new TypeError("boom"))).toEqual({ kind: "unreachable", error: "the request failed" });
  });

  it("includes the system's error code", () => {
    expect(failed(withCode("ECONNRESET"))).toMatchObject({ error: "the connection was reset (ECONNRESET)" });
    expect(failed(withCode("EHOSTUNREACH"))).toMatchObject({ error: "the request failed (EHOSTUNREACH)" });
  });
});
