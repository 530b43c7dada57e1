import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { Gone, memoryOnce, RetryLater, receive } from "stopwatch-sdk/receive";

const { PORT = "4000", STOPWATCH_SECRET, STOPWATCH_SECRET_NEXT } = process.env;

const handle = receive({
  secrets: [STOPWATCH_SECRET, STOPWATCH_SECRET_NEXT],
  once: memoryOnce(), // for one process; for several see docs/de-duplicate.md
  async onDelivery(delivery) {
    const { order } = delivery.json<{ order: string }>();
    if (order === "cancelled") throw new Gone(); // no attempt follows
    if (order === "unpaid") throw new RetryLater(60); // the next attempt comes in 60 s, or later
    console.log(`reminded of ${order}`);
  },
});

const app = new Hono();
app.post("/hook", (context) => handle(context.req.raw));
serve({ fetch: app.fetch, port: Number(PORT) });
