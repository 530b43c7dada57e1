import { CodeBlock } from "../ui/code-block.tsx";
import { highlightCode } from "../ui/highlight-code.ts";
import type { ShownSchedule } from "./shown-schedule.ts";

/** The curl commands that read the schedule and perform its possible actions. */
export function ScheduleCurl({ schedule, baseUrl }: { schedule: ShownSchedule; baseUrl: string }) {
  const address = `${baseUrl}/v1/schedules/${schedule.id}`;
  const calls = [
    ["Read it", `curl ${address}`],
    ["Its attempts", `curl ${address}/attempts`],
    ...(schedule.problems.fire === null ? [["Send it now", `curl -X POST ${address}/fire`]] : []),
    ...(schedule.problems.cancel === null ? [["Cancel it", `curl -X DELETE ${address}`]] : []),
    ...(schedule.problems.replay === null ? [["Replay it now", `curl -X POST ${address}/replay`]] : []),
  ] as const;
  const code = calls.map(([name, curl]) => `# ${name}\n${curl} \\\n  -H "Authorization: Bearer $STOPWATCH_API_KEY"`);
  return <CodeBlock title="The same by curl" what="curl commands" code={highlightCode("sh", code.join("\n\n"))} />;
}
