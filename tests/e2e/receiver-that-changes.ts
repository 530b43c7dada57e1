import { runFaulty } from "./faulty-receiver.ts";

runFaulty((arrival) => {
  const body = Buffer.from(arrival.body, "base64");
  const changed = body.length === 0 ? Buffer.from([0]) : body.with(0, (body[0] as number) ^ 1);
  return { ...arrival, body: Buffer.from(changed).toString("base64") };
});
