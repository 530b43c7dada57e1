import { expect, it } from "vitest";
import { mergeRepeated } from "#server/edge/merge-repeated.ts";

function merge(...lines: [name: string, value: string][]) {
  const joined = lines.filter(([name]) => name.toLowerCase() === "idempotency-key").map(([, value]) => value);
  const headers = joined.length > 0 ? { "idempotency-key": joined.join(", ") } : {};
  const request = { rawHeaders: lines.flat(), headers: { ...headers, host: "x" } };
  return { isOne: mergeRepeated(request, "idempotency-key"), headers: request.headers };
}

it("a header that came several times with one value has that value", () => {
  const merged = merge(["Idempotency-Key", "k"], ["Host", "x"], ["IDEMPOTENCY-KEY", "k"], ["idempotency-key", "k"]);
  expect(merged).toEqual({ isOne: true, headers: { host: "x", "idempotency-key": "k" } });
});

it("a header that came once stays unchanged, even when it has commas or is empty, and an absent one stays absent", () => {
  for (const value of ["k", "k, k", ""])
    expect(merge(["Idempotency-Key", value])).toEqual({
      isOne: true,
      headers: { host: "x", "idempotency-key": value },
    });
  expect(merge(["X", "idempotency-key"], ["idempotency-key-2", "k"])).toEqual({ isOne: true, headers: { host: "x" } });
});

it("two different values are never merged", () => {
  for (const [one, two] of [
    ["k", "l"],
    ["k", "K"],
    ["k", ""],
    ["k", "k, k"],
  ] as [string, string][])
    expect(merge(["Idempotency-Key", one], ["Idempotency-Key", two]).isOne).toBe(false);
});
