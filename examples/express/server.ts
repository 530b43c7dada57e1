import express from "express";
import { Gone, memoryOnce, RetryLater, receiveNode } from "stopwatch-sdk/receive";

const { PORT = "4000", STOPWATCH_SECRET, STOPWATCH_SECRET_NEXT } = process.env;

const handle = receiveNode({
  secrets: [STOPWATCH_SECRET, STOPWATCH_SECRET_NEXT],
  once: memoryOnce(), // for one process; for several see docs/de-duplicate.md
  async onDelivery(delivery) {
    const { order } = delivery.json<{ order: string }>();
    if (order === "cancelled") throw new Gone(); // no attempt follows
    if (order === "unpaid") throw new RetryLater(60); // the next attempt comes in 60 s, or later
    console.log(`reminded of ${order}`);
  },
});

const app = express();
app.post("/hook", handle); // before express.json(): the signature is over the bytes as they came
app.use(express.json());
app.listen(Number(PORT));
