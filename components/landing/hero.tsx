import { ButtonLink } from "../ui/button.tsx";
import { codeText } from "../ui/code-piece.ts";
import { CodeTabs } from "../ui/code-tabs.tsx";
import { trialCall } from "./trial-call.ts";

/** The heading of the first page, with an example of a call for this installation, by curl and by the SDK. */
export function Hero({
  baseUrl,
  sdkName,
  fireAt,
  isSignupOpen,
}: {
  baseUrl: string;
  sdkName: string;
  fireAt: Date;
  isSignupOpen: boolean;
}) {
  const { curl, sdk } = trialCall({ baseUrl, sdkName, fireAt });
  const at = fireAt.toISOString();
  return (
    <section className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,27rem),1fr))] items-center gap-x-14 gap-y-8 py-[clamp(1.5rem,2vw,2rem)]">
      <div className="grid gap-6">
        <h1 className="text-4xl tracking-[-0.045em]">An HTTP request and an instant. It is sent then.</h1>
        <p className="max-w-124 text-[1.0625rem] text-ink-soft leading-6.5">
          Stopwatch sends the request you hand it at the millisecond you name: signed, retried when the target fails,
          with a log of how late each attempt was.
        </p>
        <div className="flex flex-wrap gap-2">
          <ButtonLink href="/login" kind="primary" size="large">
            {isSignupOpen ? "Open an account" : "Sign in"}
          </ButtonLink>
          <ButtonLink href="#host" size="large">
            Host it yourself
          </ButtonLink>
        </div>
      </div>
      <CodeTabs
        what="Example of an API request"
        samples={[
          {
            label: "curl",
            code: [
              ...curl,
              "\n\n",
              { text: "# 201", as: "comment" },
              `\n{ "id": "sch_…", "fire_at": "${at}",\n  "status": "scheduled", "over_limit": false }`,
            ],
            copied: codeText(curl),
          },
          {
            label: "SDK",
            code: [
              ...sdk,
              "\n\n",
              {
                text: `// { id: "sch_…", fire_at: "${at}",\n//   status: "scheduled", over_limit: false, … }`,
                as: "comment",
              },
            ],
            copied: codeText(sdk),
          },
        ]}
      />
    </section>
  );
}
