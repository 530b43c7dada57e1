import type { ReactNode } from "react";
import { ButtonLink } from "../ui/button.tsx";
import { Card, CardBody, CardHead } from "../ui/card.tsx";
import { CodeBlock, type CodePiece } from "../ui/code-block.tsx";
import { TextLink } from "../ui/text-link.tsx";

/** What a newcomer does first: a key, a call that is ready to be sent, a look at what came of it. */
export function FirstSteps({
  baseUrl,
  env,
  fireAt,
  links,
}: {
  baseUrl: string;
  env: "live" | "test";
  /** The instant in the ready call. */
  fireAt: Date;
  links: { newKey: string; newSchedule: string; schedules: string };
}) {
  const curl = firstCall(baseUrl, env, fireAt);
  return (
    <Card aria-labelledby="first-steps">
      <CardHead id="first-steps" title="Nothing scheduled yet: three steps to the first request" />
      <CardBody>
        <ol className="grid gap-6">
          <Step at={1} title="Make an API key">
            <p className="text-ink-soft">
              It is shown once. This page is of the {env} environment, so make a key for {env}.
            </p>
            <ButtonLink href={links.newKey}>New key</ButtonLink>
          </Step>
          <Step at={2} title="Hand over a request and an instant">
            <CodeBlock title="Terminal" what="curl command" code={curl} />
            <p className="text-ink-soft">
              Put an address of yours in the place of the target. Or{" "}
              <TextLink href={links.newSchedule}>fill in a form</TextLink>.
            </p>
          </Step>
          <Step at={3} title="See it leave">
            <p className="text-ink-soft">
              The schedule is in the list at once. After its instant it says how late the request left, and what the
              target answered.
            </p>
            <ButtonLink href={links.schedules}>Schedules</ButtonLink>
          </Step>
        </ol>
      </CardBody>
    </Card>
  );
}

function Step({ at, title, children }: { at: number; title: string; children: ReactNode }) {
  return (
    <li className="grid grid-cols-[1.75rem_minmax(0,1fr)] gap-x-3">
      <span
        aria-hidden="true"
        className="flex size-7 items-center justify-center rounded-full border border-accent-line text-accent text-sm"
      >
        {at}
      </span>
      <div className="grid justify-items-start gap-3 pt-0.5 *:max-w-full">
        <h3 className="text-base">{title}</h3>
        {children}
      </div>
    </li>
  );
}

function firstCall(baseUrl: string, env: string, fireAt: Date): CodePiece[] {
  const text = (words: string): CodePiece => ({ text: words, as: "text" });
  return [
    "export STOPWATCH_API_KEY=",
    text(`"sw_${env}_…"`),
    `\ncurl ${baseUrl}/v1/schedules \\\n  -H `,
    text('"Authorization: Bearer $STOPWATCH_API_KEY"'),
    " \\\n  -H ",
    text('"Content-Type: application/json"'),
    " \\\n  -d ",
    text(`'{ "targetUrl": "https://example.com/",\n        "method": "GET",\n        "fireAt": `),
    { text: `"${fireAt.toISOString()}"`, as: "instant" },
    text(" }'"),
  ];
}
