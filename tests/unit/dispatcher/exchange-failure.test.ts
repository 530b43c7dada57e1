import { describe, expect, it } from "vitest";
import { ConnectionGone } from "#dispatcher/delivery/connection.ts";
import { failed, mayRetryOnAnother } from "#dispatcher/sending/exchange-failure.ts";

const withCode = (code: string) => Object.assign(new Error("to 10.0.0.1:443"), { code });

describe("the stored error of an attempt without an answer", () => {
  it.each([
    ["UND_ERR_SOCKET", "the connection was closed without an answer"],
    ["UND_ERR_HEADERS_OVERFLOW", "the answer's headers are too long"],
    ["STOPWATCH_SWITCHED_PROTOCOLS", "the target switched protocols (status 101)"],
    ["ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED", "the target demands a client certificate"],
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

  it("includes the error code of the system or of TLS", () => {
    expect(failed(withCode("ECONNRESET"))).toMatchObject({ error: "the connection was reset (ECONNRESET)" });
    expect(failed(withCode("ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE"))).toMatchObject({
      error: "the target ended the TLS connection (ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE)",
    });
    expect(failed(withCode("EHOSTUNREACH"))).toMatchObject({ error: "the request failed (EHOSTUNREACH)" });
  });
});

describe("a request that was not written", () => {
  it.each(["ECONNRESET", "UND_ERR_SOCKET", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH", "ENETDOWN"])(
    "goes over another connection when its own has ended by %s",
    (code) => {
      expect(mayRetryOnAnother(withCode(code))).toBe(true);
    },
  );

  // undici reads its parser from a file at the first request, which has no descriptor left under EMFILE.
  it.each(["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM", "EAGAIN"])(
    "goes over another connection when this machine was out of resources by %s",
    (code) => {
      expect(mayRetryOnAnother(withCode(code))).toBe(true);
    },
  );

  it("goes over another connection when its own was gone, and over none when it cannot be sent", () => {
    expect(mayRetryOnAnother(new ConnectionGone())).toBe(true);
    for (const code of ["UND_ERR_INVALID_ARG", "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED", "HPE_INVALID_CONSTANT"])
      expect(mayRetryOnAnother(withCode(code))).toBe(false);
  });
});
