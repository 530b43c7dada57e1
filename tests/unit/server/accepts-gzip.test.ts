import { expect, it } from "vitest";
import { acceptsGzip } from "#server/edge/accepts-gzip.ts";

it.each([...["gzip", "GZIP", "br, gzip", "deflate,gzip;q=0.1", "x-gzip", "*", "br;q=1.0, *;q=0.5", "gzip ; q=1"]])(
  "a kept page is sent compressed to a caller who accepts gzip: %s",
  (header) => {
    expect(acceptsGzip(header)).toBe(true);
  },
);

it.each([
  ...[undefined, "", "identity", "br", "gzip;q=0", "gzip; q=0.000, br", "*;q=0", "gzip;q=0, *", "not-gzip", "gzip;q=x"],
])("a kept page is sent uncompressed to a caller who does not accept gzip: %s", (header) => {
  expect(acceptsGzip(header)).toBe(false);
});
