// Preloaded into a child process that has a channel to its parent: when the parent is gone, however it ended, it ends too.
process.once("disconnect", () => {
  process.kill(process.pid, "SIGTERM");
  setTimeout(() => process.exit(1), 5_000).unref();
});
