import { runFaulty } from "./faulty-receiver.ts";

// Far more than the lateness of any delivery, and within the five minutes for which a signature is valid.
runFaulty((arrival) => ({ ...arrival, arrivedAtMs: arrival.arrivedAtMs - 60_000 }));
