import { isIPv6 } from "node:net";
import fc from "fast-check";
import { expect, it } from "vitest";
import { orderOfTries } from "#dispatcher/connections/address-order.ts";

it("the families take turns, and the first address stays the first", () => {
  expect(orderOfTries(["192.0.2.1", "192.0.2.2", "192.0.2.3", "2001:db8::1", "2001:db8::2"])).toEqual([
    ...["192.0.2.1", "2001:db8::1", "192.0.2.2", "2001:db8::2", "192.0.2.3"],
  ]);
  expect(orderOfTries(["2001:db8::1", "2001:db8::2", "192.0.2.1"])).toEqual([
    ...["2001:db8::1", "192.0.2.1", "2001:db8::2"],
  ]);
  expect(orderOfTries([])).toEqual([]);
});

it("at most eight addresses are tried, each once, and of both families if there are both", () => {
  const addresses = fc.array(fc.oneof(fc.ipV4(), fc.ipV6()), { maxLength: 40 });
  fc.assert(
    fc.property(addresses, (all) => {
      const order = orderOfTries(all);
      expect(order).toHaveLength(Math.min(new Set(all).size, 8));
      expect(new Set(order).size).toBe(order.length);
      expect(order[0]).toBe(all[0]);
      expect(all).toEqual(expect.arrayContaining(order));
      expect(new Set(order.map(isIPv6))).toEqual(new Set(all.map(isIPv6)));
    }),
  );
});
