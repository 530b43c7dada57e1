import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * How a target of the receiver answers; it is the first part of the path. Behaviours named `…-once` succeed from the
 * second attempt on.
 */
export type OrdinaryBehaviour =
  | "ok"
  | "slow"
  | "fails-once"
  | "resets-once"
  | "hangs-once"
  | "fails"
  | "drips"
  | "gone";

/**
 * Targets of adversaries. Requests that hang are answered once their adversary's attack has ended; `fails-then-hangs`
 * hangs from the second attempt on.
 */
export type AdverseBehaviour = "hangs" | "fails-then-hangs" | "takes-40-ms" | "takes-40-ms-fails-once" | "takes-500-ms";

export type Behaviour = OrdinaryBehaviour | AdverseBehaviour;

export type Answering = {
  response: ServerResponse;
  socket: Socket;
  attempt: number;
  /** A number from 0 to 1 that is fixed for the path. It spreads the durations. */
  spread: number;
  /** Calls back after the delay, unless the request has ended by then. */
  after: (delayMs: number, then: () => void) => void;
  /** Calls back when the adversary's attack has ended, or at once when it has ended already. */
  released: (then: () => void) => void;
};

/** Answers a request with the behaviour of its target. */
export function answerAs(behaviour: Behaviour, answering: Answering) {
  const { response, socket, attempt, spread, after, released } = answering;
  const first = attempt === 1;
  const give = (status: number) => response.writeHead(status, { "content-type": "text/plain" }).end("as planned");
  switch (behaviour) {
    case "ok":
      return after(spread * 40, () => give(200));
    case "slow":
      // A repeat takes so long that a process that resumes after its lease finds the repeat in flight.
      return after(first ? 300 + spread * 5_000 : SLOW_REPEAT_MS, () => give(200));
    case "fails-once":
      return give(first ? 500 : 200);
    case "resets-once":
      return first ? after(spread * 50, () => socket.destroy()) : give(200);
    case "hangs-once":
      return first ? undefined : give(200);
    case "fails":
      return give(503);
    case "drips":
      response.writeHead(200, { "content-type": "text/plain", "content-length": "1000" }).write("a beginning");
      return after(200 + spread * 3_000, () => socket.destroy());
    case "gone":
      return give(410);
    case "hangs":
      return released(() => give(200));
    case "fails-then-hangs":
      return first ? give(500) : released(() => give(200));
    case "takes-40-ms":
      return after(40, () => give(200));
    case "takes-40-ms-fails-once":
      return after(40, () => give(first ? 500 : 200));
    case "takes-500-ms":
      return after(500, () => give(200));
  }
}

const SLOW_REPEAT_MS = 12_000;
