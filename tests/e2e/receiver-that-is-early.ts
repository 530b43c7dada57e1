import { runFaulty } from "./faulty-receiver.ts";

// Far more than any lateness of the delivery itself.
runFaulty((arrival) => ({ ...arrival, arrivedAtMs: arrival.arrivedAtMs - 3_000 }));
