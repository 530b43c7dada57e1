import { expect } from "vitest";
import type { CliService } from "./service.ts";

/** Runs a command line that is wrong, and checks that it ends with 2, says what is right, and has sent nothing. */
export async function expectRefused(
  service: CliService,
  args: readonly string[],
  problem: string,
  stdin = "",
  env: Record<string, string> = {},
) {
  const { run } = service.someone;
  const before = service.requests.length;
  const { code, stdout, stderr } = await run(args, { stdin, env });
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(problem);
  expect(stderr).toContain("\n  Example: ");
  expect(service.requests.slice(before).filter((request) => !request.startsWith("GET "))).toEqual([]);
}
