import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startCli } from "#tests/helpers/cli-process.ts";
import { TARGET } from "../api/api.ts";
import { startCliService } from "./service.ts";

let service: Awaited<ReturnType<typeof startCliService>>;
beforeAll(async () => {
  service = await startCliService();
});
afterAll(() => service?.stop());

const OPENING = [
  {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
  },
  { jsonrpc: "2.0", method: "notifications/initialized" },
];

it("an MCP client schedules a request, reads it and cancels it over stdio", async () => {
  const { settings, caller } = await service.account();
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [resolve("cli/dist/stopwatch.js"), "mcp"],
    env: settings,
    stderr: "ignore",
  });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  const call = async (name: string, given: Record<string, unknown>) => {
    const { content } = await client.callTool({ name, arguments: given });
    return JSON.parse((content as { text: string }[])[0]?.text ?? "");
  };
  const { id } = await call("schedule_request", {
    targetUrl: TARGET,
    fireAtLocal: "2031-01-01T09:00",
    timezone: "UTC",
  });
  expect(await call("get_schedule", { id })).toMatchObject({ id, fire_at: "2031-01-01T09:00:00.000Z" });
  await call("cancel_schedule", { id });
  const { body } = await service.api.call("GET", `/v1/schedules/${id}`, caller.test);
  expect(body.status).toBe("cancelled");
  await client.close();
});

it("stdout holds JSON-RPC alone, whatever comes in, and it ends with its stdin", async () => {
  const { settings } = await service.account();
  const calls = [
    { method: "tools/list" },
    { method: "tools/call", params: { name: "get_usage", arguments: {} } },
    { method: "tools/call", params: { name: "get_schedule", arguments: { id: "nope" } } },
    { method: "tools/call", params: { name: "nothing" } },
    { method: "resources/templates/list" },
    { method: "no/such/method" },
  ].map((request, at) => ({ jsonrpc: "2.0", id: at + 2, ...request }));
  const { stdout, stderr, code } = await converse(
    settings,
    [
      ...OPENING.map((message) => JSON.stringify(message)),
      "this is not JSON",
      ...calls.map((message) => JSON.stringify(message)),
    ],
    calls.length + 1,
  );
  const messages = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  for (const message of messages) expect(message).toMatchObject({ jsonrpc: "2.0" });
  expect(new Set(messages.flatMap(({ id }) => id ?? []))).toEqual(new Set([1, 2, 3, 4, 5, 6, 7]));
  expect(stderr).toMatch(/^MCP server for http:\/\/127\.0\.0\.1:\d+ \(test\), until stdin ends\.\n/);
  expect(stderr + stdout).not.toContain(settings.STOPWATCH_API_KEY);
  expect(code).toBe(0);
});

it("ends at Ctrl-C with 130", async () => {
  const { settings } = await service.account();
  const child = startCli(["mcp"], { env: settings });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  child.stdin.write(`${JSON.stringify(OPENING[0])}\n`);
  child.stdout.once("data", () => child.kill("SIGINT"));
  expect(await ended).toBe(130);
});

it("a live key needs --allow-live, and nothing is sent without it", async () => {
  const { run, settings } = await service.account("live");
  const before = service.requests.length;
  const refused = await run(["mcp"]);
  expect(refused).toMatchObject({ code: 2, stdout: "" });
  expect(refused.stderr).toContain("--allow-live is needed for a live key (STOPWATCH_API_KEY)");
  expect(service.requests.length).toBe(before);
  const { stdout } = await converse(settings, [JSON.stringify(OPENING[0])], 1, ["--allow-live"]);
  expect(JSON.parse(stdout).result.instructions).toContain("The key is live");
});

it("its server is a part of the program that is loaded on use, of at most 112 KB (gzip)", async () => {
  const parts = (await readdir("cli/dist")).filter((part) => /^serve-.*\.js$/.test(part));
  expect(parts).toHaveLength(1);
  const compressed = gzipSync(await readFile(join("cli/dist", parts[0] ?? "")), { level: 9 });
  expect(compressed.length).toBeGreaterThan(50_000);
  expect(compressed.length).toBeLessThanOrEqual(112 * 1024);
});

/** Sends lines to the server, and ends its stdin when it has answered `count` of them. */
async function converse(env: Record<string, string>, lines: string[], count: number, options: string[] = []) {
  const child = startCli(["mcp", ...options], { env });
  let [stdout, stderr] = ["", ""];
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  child.stdin.write(lines.map((line) => `${line}\n`).join(""));
  for await (const chunk of child.stdout) {
    stdout += chunk;
    if (stdout.split("\n").length > count) child.stdin.end();
  }
  return { stdout, stderr, code: await ended };
}
