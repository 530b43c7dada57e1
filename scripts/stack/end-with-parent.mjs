// Preloaded into a child process with an IPC channel to its parent. When the parent ends, however it ends, the child
// ends too.
process.once("disconnect", () => {
  process.kill(process.pid, "SIGTERM");
  setTimeout(() => process.exit(1), 5_000).unref();
});
