import { Gone, memoryOnce, RetryLater, receive } from "stopwatch-sdk/receive";

const { STOPWATCH_SECRET, STOPWATCH_SECRET_NEXT } = process.env;

export const POST = receive({
  secrets: [STOPWATCH_SECRET, STOPWATCH_SECRET_NEXT],
  once: memoryOnce(), // for one process; for several see docs/de-duplicate.md
  async onDelivery(delivery) {
    const { order } = delivery.json<{ order: string }>();
    if (order === "cancelled") throw new Gone(); // no attempt follows
    if (order === "unpaid") throw new RetryLater(60); // the next attempt comes in 60 s, or later
    console.log(`reminded of ${order}`);
  },
});
