// First, since whatever a module imports is loaded before it runs.
import "#db/quick-drizzle.ts";

await import("./run.ts");
