// Preloaded into a program that ends in good order by itself: it is asked to when its parent is gone, however that ended.
process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
process.channel?.unref();
