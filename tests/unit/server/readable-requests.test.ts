import { describe, expect, it } from "vitest";
import { makeReadable } from "#server/http/readable-requests.ts";

function readable(url: string, method = "GET") {
  const request = { url, method };
  makeReadable(request);
  return request;
}

describe("a request that Next.js would refuse outside the envelope", () => {
  it.each([
    ["/v1/schedules/%E0%A4%A", "/v1/schedules/%25E0%25A4%25A"],
    ["/v1/%FF?q=%FF", "/v1/%25FF?q=%FF"],
    ["/v1/%?a=b?c", "/v1/%25?a=b?c"],
  ])("%s becomes a path that can be decoded", (url, expected) => {
    expect(readable(url).url).toBe(expected);
    expect(() => decodeURIComponent(expected.split("?")[0] ?? "")).not.toThrow();
  });

  it("with an unknown method becomes one with a method that every route refuses", () => {
    expect(readable("/v1/schedules", "TRACE").method).toBe("PUT");
    expect(readable("/v1", "PROPFIND").method).toBe("PUT");
  });
});

it.each([
  ["/v1/schedules?q=%E0%A4%A", "GET"],
  ["/v1/schedules/%41", "DELETE"],
  ["/v1/schedules", "HEAD"],
  ["/v11/%FF", "TRACE"],
  ["/", "TRACE"],
])("%s %s stays as it is", (url, method) => {
  expect(readable(url, method)).toEqual({ url, method });
});
