// The delivering process of an engine that is a library. It runs `work` of engines/<engine>.ts, such as engines/peers/dbos.ts.
type Start = { kind: "start"; engine: string; options: object };

process.on("message", async (message: Start) => {
  if (message.kind !== "start") return;
  const { work } = await import(`./engines/${message.engine}.ts`);
  const stop: () => Promise<void> = await work(message.options);
  process.once("SIGTERM", async () => {
    await stop();
    process.exit(0);
  });
  process.send?.({ kind: "ready" });
});
process.on("disconnect", () => process.exit(0));
