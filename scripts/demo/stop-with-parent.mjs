// Preloaded into a program that stops in order on SIGTERM. When its parent ends, however it ends, the program gets that
// signal.
process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
process.channel?.unref();
