import type { Environment } from "#domain/environment.ts";
import { sdkClientCode } from "#domain/sdk-code.ts";
import type { CodePiece } from "../ui/code-piece.ts";
import type { CodeSample } from "../ui/code-tabs.tsx";
import { highlightCode } from "../ui/highlight-code.ts";

/** What the ready calls of a newcomer depend on. */
export type Installation = {
  baseUrl: string;
  sdkName: string;
  /** The command that adds the SDK to a project. */
  sdkInstall: string;
};

/** A ready call by curl and by the SDK. Its target answers everybody, so that the first request succeeds. */
export function firstCallSamples({ baseUrl, sdkName, sdkInstall }: Installation, env: Environment): CodeSample[] {
  const wait: CodePiece = { text: '"30s"', as: "instant" };
  return [
    {
      label: "curl",
      code: highlightCode("sh", [
        `export STOPWATCH_API_KEY="sw_${env}_…"\ncurl ${baseUrl}/v1/schedules \\\n  -H "Authorization: Bearer $STOPWATCH_API_KEY" \\\n  -H "Content-Type: application/json" \\\n  -d '{ "targetUrl": "https://example.com/",\n        "method": "GET",\n        "fireIn": `,
        wait,
        " }'",
      ]),
    },
    {
      label: "SDK",
      code: highlightCode("js", [
        `// hello.mjs, after: ${sdkInstall}\n${sdkClientCode(sdkName)}\nconst created = await client.schedules.create({\n  targetUrl: "https://example.com/",\n  method: "GET",\n  fireIn: `,
        wait,
        ",\n});\nconsole.log(created);",
      ]),
    },
  ];
}
