import { expect, it } from "vitest";
import { describeConnectionProblem } from "#domain/connection-problem.ts";

it.each([
  ["CERT_HAS_EXPIRED", "Its certificate has expired."],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "Its certificate is for another name than that in the address."],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "Its certificate is not of an authority that this process trusts."],
  ["SELF_SIGNED_CERT_IN_CHAIN", "Its certificate is not of an authority that this process trusts."],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "Its certificate is not of an authority that this process trusts."],
  ["CERT_REVOKED", "Its certificate is not of an authority that this process trusts."],
  ["ERR_SSL_WRONG_VERSION_NUMBER", "No TLS could be agreed on with it."],
  ["ENOENT", "The Unix socket of its address does not exist."],
  ["EAI_FAIL", "The name in its address cannot be looked up."],
  ["EMFILE", "This machine or process has no open files left."],
  ["EUNHEARDOF", "The reason is EUNHEARDOF."],
])("%s is told to operators as: %s", (code, words) => {
  expect(describeConnectionProblem({ code, message: `connect ${code} 10.0.0.7:5432` })).toBe(words);
});

it("a server's or a pooler's own words are told, whatever its code", () => {
  expect(describeConnectionProblem({ code: "XX000", severity: "FATAL", message: "Tenant or user not found" })).toBe(
    "It says: Tenant or user not found.",
  );
  expect(describeConnectionProblem({ severity_local: "FATAL", message: "not today." })).toBe("It says: not today.");
  const long = describeConnectionProblem({ code: "XX000", severity: "FATAL", message: "x".repeat(100_000) });
  expect(long?.length).toBeLessThan(400);
});

it.each(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "CONNECT_TIMEOUT", "CONNECTION_CLOSED", undefined])(
  "%s needs no more words than that the database cannot be reached",
  (code) => {
    expect(describeConnectionProblem({ code, message: "x" })).toBeUndefined();
  },
);
