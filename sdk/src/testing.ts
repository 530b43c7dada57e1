export { developmentFetch } from "./testing/development-fake.ts";
export { fakeStopwatch } from "./testing/fake-stopwatch.ts";
export type { DeliveryHandler, FakeDelivery, FakeOptions, FakeStopwatch, Plan } from "./testing/public.ts";
