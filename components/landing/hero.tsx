import { ButtonLink } from "../ui/button.tsx";
import { CodeBlock, type CodePiece } from "../ui/code-block.tsx";

/** The heading of the first page, with a curl example for this installation. */
export function Hero({ baseUrl, fireAt }: { baseUrl: string; fireAt: Date }) {
  const curl = firstCall(baseUrl, fireAt);
  const answer = `{ "id": "sch_…", "fire_at": "${fireAt.toISOString()}",\n  "status": "scheduled", "over_limit": false }`;
  return (
    <section className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,27rem),1fr))] items-center gap-x-14 gap-y-8 py-[clamp(1.5rem,2vw,2rem)]">
      <div className="grid gap-6">
        <h1 className="text-4xl tracking-[-0.045em]">An HTTP request and an instant. It leaves then.</h1>
        <p className="max-w-124 text-[1.0625rem] text-ink-soft leading-6.5">
          Stopwatch sends the request you hand it at the millisecond you name: signed, retried when the target fails,
          with a log of how late each attempt was.
        </p>
        <div className="flex flex-wrap gap-2">
          <ButtonLink href="/login" kind="primary" size="large">
            Open an account
          </ButtonLink>
          <ButtonLink href="#host" size="large">
            Host it yourself
          </ButtonLink>
        </div>
      </div>
      <CodeBlock
        title="POST /v1/schedules"
        what="curl command"
        code={[...curl, "\n\n", { text: "# 201", as: "comment" }, `\n${answer}`]}
        copied={curl.map((piece) => (typeof piece === "string" ? piece : piece.text)).join("")}
      />
    </section>
  );
}

function firstCall(baseUrl: string, fireAt: Date): CodePiece[] {
  const text = (words: string): CodePiece => ({ text: words, as: "text" });
  return [
    `curl ${baseUrl}/v1/schedules \\\n  -H `,
    text('"Authorization: Bearer $STOPWATCH_API_KEY"'),
    " \\\n  -H ",
    text('"Content-Type: application/json"'),
    " \\\n  -d ",
    text(`'{\n    "targetUrl": "https://example.com/hooks/trial-ends",\n    "fireAt": `),
    { text: `"${fireAt.toISOString()}"`, as: "instant" },
    text(
      `,\n    "headers": { "Content-Type": "application/json" },\n    "payload": "{\\"customer\\":\\"cus_81\\"}",\n    "idempotencyKey": "trial-ends-cus_81"\n  }'`,
    ),
  ];
}
