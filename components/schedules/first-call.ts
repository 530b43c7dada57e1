import type { Environment } from "#domain/environment.ts";
import { sdkClientCode } from "#domain/sdk-code.ts";
import type { CodePiece } from "../ui/code-piece.ts";
import type { CodeSample } from "../ui/code-tabs.tsx";

/** What the ready calls of a newcomer depend on. */
export type Installation = {
  baseUrl: string;
  sdkName: string;
  /** The command that adds the SDK to a project. */
  sdkInstall: string;
};

/** A ready call by curl and by the SDK. Its target answers everybody, so that the first request succeeds. */
export function firstCallSamples({ baseUrl, sdkName, sdkInstall }: Installation, env: Environment): CodeSample[] {
  const text = (words: string): CodePiece => ({ text: words, as: "text" });
  const wait: CodePiece = { text: '"30s"', as: "instant" };
  return [
    {
      label: "curl",
      code: [
        "export STOPWATCH_API_KEY=",
        text(`"sw_${env}_…"`),
        `\ncurl ${baseUrl}/v1/schedules \\\n  -H `,
        text('"Authorization: Bearer $STOPWATCH_API_KEY"'),
        " \\\n  -H ",
        text('"Content-Type: application/json"'),
        " \\\n  -d ",
        text(`'{ "targetUrl": "https://example.com/",\n        "method": "GET",\n        "fireIn": `),
        wait,
        text(" }'"),
      ],
    },
    {
      label: "SDK",
      code: [
        { text: `// hello.mjs, after: ${sdkInstall}\n`, as: "comment" },
        `${sdkClientCode(sdkName)}\nconst created = await client.schedules.create({\n`,
        text('  targetUrl: "https://example.com/",\n  method: "GET",\n  fireIn: '),
        wait,
        text(",\n"),
        "});\nconsole.log(created);",
      ],
    },
  ];
}
