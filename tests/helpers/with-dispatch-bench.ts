import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { createDispatchBench, type DispatchBench } from "./dispatcher.ts";
import { type Receiver, startReceiver } from "./receiver.ts";

type Stage = Awaited<ReturnType<typeof startDispatchStage>>;
/** `settings` come on top of those of the bench. `hasDispatcher` starts a dispatcher on it. */
type Parts = { settings?: Record<string, string>; hasDispatcher?: boolean };

/** An HTTP receiver and a dispatch bench that may deliver to it alone. For tests that run at once, each with its own. */
export async function startDispatchStage({ settings = {}, hasDispatcher = false }: Parts = {}) {
  const receiver = await startReceiver({ tls: false });
  const bench = await createDispatchBench({ DELIVERY_ALLOW: receiver.origin, ...settings });
  if (hasDispatcher) await bench.dispatcher();
  return {
    receiver,
    bench,
    async [Symbol.asyncDispose]() {
      await bench.close();
      await receiver.close();
    },
  };
}

/**
 * `isPerTest` makes a stage for each test anew. `keepsReceived` leaves the receiver as it is between tests, for tests that
 * run at once on one stage.
 */
type Options = Parts & { isPerTest?: boolean; keepsReceived?: boolean };

/**
 * Makes a stage once for the tests of a file, and closes it when they are over. Before each test the receiver forgets what
 * it received and answers 200 again. `take` is called with what was made.
 */
export function withDispatchBench(
  { isPerTest = false, keepsReceived = false, ...parts }: Options,
  take: (made: { receiver: Receiver; bench: DispatchBench }) => void,
): void {
  let stage: Stage;
  const make = async () => {
    stage = await startDispatchStage(parts);
    take(stage);
  };
  const close = () => stage[Symbol.asyncDispose]();
  if (isPerTest) {
    beforeEach(make);
    afterEach(close);
    return;
  }
  beforeAll(make);
  afterAll(close);
  if (keepsReceived) return;
  beforeEach(() => {
    stage.receiver.requests.length = 0;
    stage.receiver.respond((_request, response) => response.end("ok"));
  });
}
