import { expect, it } from "vitest";
import { toolSchemaOf } from "./contract-schemas.ts";

const OPERATIONS = [
  "createSchedule",
  "listSchedules",
  "getSchedule",
  "listAttempts",
  "rescheduleSchedule",
  "cancelSchedule",
  "replaySchedule",
  "getUsage",
];

it("the schemas of the MCP tools are those of the contract (update the file with -u)", async () => {
  const schemas = Object.fromEntries(OPERATIONS.map((operation) => [operation, toolSchemaOf(operation)]));
  await expect(`${JSON.stringify(schemas, null, 2)}\n`).toMatchFileSnapshot("../../../../cli/src/mcp/contract.json");
});
