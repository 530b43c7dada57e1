import Fastify from "fastify";
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

const app = Fastify();
// In a scope of its own, so that other routes keep their parsers: here, nothing reads the body before `handle`.
app.register(async (scope) => {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("*", (_request, _body, done) => done(null));
  scope.post("/hook", async (request, reply) => {
    reply.hijack();
    await handle(request.raw, reply.raw);
  });
});
await app.listen({ port: Number(PORT) });
