import { runFaulty } from "./faulty-receiver.ts";

// Far more than the lateness of any delivery.
runFaulty((arrival) => ({ ...arrival, arrivedAtMs: arrival.arrivedAtMs - 3_000 }));
