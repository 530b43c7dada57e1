import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { type Receiver, startReceiver } from "#scripts/lab/receiver.ts";
import { createDispatchHarness, type DispatchHarness } from "./dispatch-harness.ts";

type DeliveryHarness = Awaited<ReturnType<typeof startDeliveryHarness>>;
/** `settings` come on top of those of the harness. `hasDispatcher` starts a dispatcher on it. */
type Parts = { settings?: Record<string, string>; hasDispatcher?: boolean };

/** An HTTP receiver and a dispatch harness that may deliver to it alone. For tests that run at once, each with its own. */
export async function startDeliveryHarness({ settings = {}, hasDispatcher = false }: Parts = {}) {
  const receiver = await startReceiver({ tls: false });
  const harness = await createDispatchHarness({ DELIVERY_ALLOW: receiver.origin, ...settings });
  if (hasDispatcher) await harness.dispatcher();
  return {
    receiver,
    harness,
    async [Symbol.asyncDispose]() {
      await harness.close();
      await receiver.close();
    },
  };
}

/**
 * `isPerTest` starts a harness for each test. `keepsReceived` leaves the receiver as it is between tests, for tests that run
 * at once on one harness.
 */
type Options = Parts & { isPerTest?: boolean; keepsReceived?: boolean };

/**
 * Starts a harness once for the tests of a file, and closes it after them. Before each test the receiver forgets what it
 * received and answers 200 again. `take` is called with what was started.
 */
export function withDispatchHarness(
  { isPerTest = false, keepsReceived = false, ...parts }: Options,
  take: (made: { receiver: Receiver; harness: DispatchHarness }) => void,
): void {
  let started: DeliveryHarness;
  const make = async () => {
    started = await startDeliveryHarness(parts);
    take(started);
  };
  const close = () => started[Symbol.asyncDispose]();
  if (isPerTest) {
    beforeEach(make);
    afterEach(close);
    return;
  }
  beforeAll(make);
  afterAll(close);
  if (keepsReceived) return;
  beforeEach(() => {
    started.receiver.requests.length = 0;
    started.receiver.respond((_request, response) => response.end("ok"));
  });
}
