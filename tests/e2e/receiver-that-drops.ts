import { runFaulty } from "./faulty-receiver.ts";

runFaulty(() => null);
