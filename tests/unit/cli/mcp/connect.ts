import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { createServer } from "../../../../cli/src/mcp/create-server.ts";
import { Stopwatch, type StopwatchOptions } from "../../../../sdk/src/index.ts";
import { type FakeStopwatch, fakeStopwatch } from "../../../../sdk/src/testing.ts";

export type Answer = { text: string; isError: boolean };

/** Where the clock of the service stands at first: far from the end of a month, by which quotas are counted. */
export const NOW = "2031-01-10T12:00:00Z";

export type Connected = {
  fake: FakeStopwatch;
  client: Client;
  call(name: string, given?: object): Promise<Answer>;
  close(): Promise<void>;
};

/** A client of an MCP server whose installation is a service in memory. */
export async function connect({
  fake = fakeStopwatch({ now: NOW }),
  isReadOnly = false,
  options,
}: {
  fake?: FakeStopwatch;
  isReadOnly?: boolean;
  options?: StopwatchOptions;
} = {}): Promise<Connected> {
  const stopwatch = new Stopwatch(fake.apiKey, { ...fake.options, maxRetries: 0, ...options });
  const server = createServer({ client: stopwatch, version: "1.2.3", isReadOnly });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  const client = new Client({ name: "test", version: "1" });
  await client.connect(near);
  return {
    fake,
    client,
    async call(name, given = {}) {
      const { content, isError = false } = await client.callTool({ name, arguments: { ...given } });
      const [first] = content as { text: string }[];
      return { text: first?.text ?? "", isError: isError === true };
    },
    close: () => client.close(),
  };
}
