import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { createDispatchBench, type DispatchBench } from "./dispatcher.ts";
import { type Receiver, startReceiver } from "./receiver.ts";

type Made = { receiver: Receiver; bench: DispatchBench };

/**
 * `settings` come on top of those of the bench. `hasDispatcher` starts a dispatcher on it. `isPerTest` makes both for each
 * test anew. `keepsReceived` leaves the receiver as it is between tests, for tests that run at once.
 */
type Options = {
  settings?: Record<string, string>;
  hasDispatcher?: boolean;
  isPerTest?: boolean;
  keepsReceived?: boolean;
};

/**
 * Makes an HTTP receiver and a dispatch bench that may deliver to it alone, once for the tests of a file, and closes both
 * when they are over. Before each test the receiver forgets what it received and answers 200 again. `take` is called with
 * what was made.
 */
export function withDispatchBench(options: Options, take: (made: Made) => void): void {
  const { settings = {}, hasDispatcher = false, isPerTest = false, keepsReceived = false } = options;
  let made: Made;
  const make = async () => {
    const receiver = await startReceiver({ tls: false });
    made = { receiver, bench: await createDispatchBench({ DELIVERY_ALLOW: receiver.origin, ...settings }) };
    if (hasDispatcher) await made.bench.dispatcher();
    take(made);
  };
  const close = async () => {
    await made.bench.close();
    await made.receiver.close();
  };
  if (isPerTest) {
    beforeEach(make);
    afterEach(close);
    return;
  }
  beforeAll(make);
  afterAll(close);
  if (keepsReceived) return;
  beforeEach(() => {
    made.receiver.requests.length = 0;
    made.receiver.respond((_request, response) => response.end("ok"));
  });
}
