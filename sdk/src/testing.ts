export type { DeliveryHandler, FakeDelivery } from "./testing/deliver.ts";
export { type FakeOptions, type FakeStopwatch, fakeStopwatch } from "./testing/fake-stopwatch.ts";
export type { Plan } from "./testing/limits.ts";
