import { sdkClientCode } from "#domain/sdk-code.ts";
import type { CodePiece } from "../ui/code-piece.ts";

/** The call that the first page shows, by curl and by the SDK. */
export function trialCall({ baseUrl, sdkName, fireAt }: { baseUrl: string; sdkName: string; fireAt: Date }): {
  curl: CodePiece[];
  sdk: CodePiece[];
} {
  const text = (words: string): CodePiece => ({ text: words, as: "string" });
  const instant: CodePiece = { text: `"${fireAt.toISOString()}"`, as: "instant" };
  return {
    curl: [
      `curl ${baseUrl}/v1/schedules \\\n  -H `,
      text('"Authorization: Bearer $STOPWATCH_API_KEY"'),
      " \\\n  -H ",
      text('"Content-Type: application/json"'),
      " \\\n  -d ",
      text(`'{\n    "targetUrl": "https://example.com/hooks/trial-ends",\n    "fireAt": `),
      instant,
      text(
        `,\n    "headers": { "Content-Type": "application/json" },\n    "payload": "{\\"customer\\":\\"cus_81\\"}",\n    "idempotencyKey": "trial-ends-cus_81"\n  }'`,
      ),
    ],
    sdk: [
      `${sdkClientCode(sdkName)}\nawait client.schedules.create({\n`,
      text('  targetUrl: "https://example.com/hooks/trial-ends",\n  fireAt: '),
      instant,
      text(',\n  json: { customer: "cus_81" },\n  idempotencyKey: "trial-ends-cus_81",\n'),
      "});",
    ],
  };
}
