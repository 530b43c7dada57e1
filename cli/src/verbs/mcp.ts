import { UsageError } from "../errors/usage-error.ts";
import type { Verb } from "../verb.ts";
import { readVersion } from "../version.ts";

const EXAMPLE = "stopwatch mcp --profile work --read-only";

/** Serves tools to AI agents over stdio (https://modelcontextprotocol.io). */
export const mcp: Verb<{ allowLive?: true; readOnly?: true }> = {
  name: "mcp",
  group: "Tools",
  summary: "Serve tools for AI agents over stdio (Model Context Protocol)",
  examples: [EXAMPLE, "stopwatch mcp"],
  define(command) {
    command
      .option("--allow-live", "Accept a live key, whose schedules send real traffic")
      .option("--read-only", "Leave out the tools that create, move, cancel or replay");
  },
  async run({ client, settings, say, signal }, { allowLive, readOnly }) {
    const { env, source, url } = settings();
    if (env === "live" && !allowLive) {
      throw new UsageError(
        `--allow-live is needed for a live key (${source}): an agent would send real traffic`,
        EXAMPLE,
      );
    }
    // Loaded here, since no other verb needs it.
    const { serve } = await import("../mcp/serve.ts");
    say(`MCP server for ${url} (${env}${readOnly ? ", read-only" : ""}), until stdin ends.`);
    await serve({ client: client(), version: readVersion(), isReadOnly: readOnly === true }, signal, say);
    signal.throwIfAborted();
    return undefined;
  },
};
