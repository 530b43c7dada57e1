import { once } from "node:events";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { createServer, type ServerOptions } from "./create-server.ts";

/**
 * Serves MCP on stdin and stdout, until stdin ends or the signal is aborted. Nothing else may write to stdout. `say` gets
 * what goes wrong with the connection.
 */
export async function serve(
  options: ServerOptions,
  signal: AbortSignal,
  say: (message: string) => void,
): Promise<void> {
  const transport = new StdioServerTransport(process.stdin, process.stdout);
  const handle = serveStdio(() => createServer(options), { transport, onerror: ({ message }) => say(message) });
  // Resolves at the end of stdin too; rejects when the signal is aborted.
  await once(process.stdin, "close", { signal }).catch(() => {});
  await handle.close();
}
