import { expect, it } from "vitest";
import { isOfListeners, Routes } from "#dispatcher/connections/routes.ts";
import { newDelivery, retryOf } from "#dispatcher/delivery/delivery.ts";
import { LISTEN_ORIGIN } from "#domain/listen-origin.ts";
import { dueSchedule } from "#tests/helpers/due-schedule.ts";

const delivery = (overrides: Parameters<typeof dueSchedule>[0] = {}) =>
  newDelivery(dueSchedule({ env: "test", path: "/orders/1", ...overrides }), 0, "known");

/** What the routes make of a delivery. */
function routed(routes: Routes, one = delivery()) {
  routes.route(one);
  return one;
}

it("a live delivery goes to its target, whatever listens", () => {
  const routes = new Routes();
  routes.update([{ accountId: "a", paths: [] }]);
  const live = routed(routes, delivery({ env: "live", origin: LISTEN_ORIGIN }));
  expect(live).toMatchObject({ via: null, origin: LISTEN_ORIGIN, place: `a ${LISTEN_ORIGIN}` });
});

it("a test delivery to the reserved origin goes to the listeners of its account, and no other one does", () => {
  const routes = new Routes();
  expect(routed(routes)).toMatchObject({ via: null, origin: "https://a.example" });
  const reserved = routed(routes, delivery({ origin: LISTEN_ORIGIN }));
  expect(reserved.via).toBe("listener");
  expect(isOfListeners(reserved.origin)).toBe(true);
  expect(reserved.place).toBe(`a ${reserved.origin}`);
  expect(reserved.targetOrigin).toBe(LISTEN_ORIGIN);
  const other = routed(routes, delivery({ origin: LISTEN_ORIGIN, accountId: "b" }));
  expect(other.origin).not.toBe(reserved.origin);
});

it("a listener of scope all takes the test deliveries of its account by their path, while it is there", () => {
  const routes = new Routes();
  routes.update([{ accountId: "a", paths: ["/x", "/orders/"] }]);
  const taken = routed(routes);
  expect(taken).toMatchObject({ via: "listener", targetOrigin: "https://a.example" });
  expect(routed(routes, delivery({ path: "/else" })).via).toBeNull();
  expect(routed(routes, delivery({ accountId: "b" })).via).toBeNull();
  expect(retryOf(taken, 2, 5)).toMatchObject({ origin: "https://a.example", path: "/orders/1" });

  routes.update([]);
  expect(routed(routes, taken)).toMatchObject({ via: null, origin: "https://a.example", place: "a https://a.example" });
});
