import { Button } from "../ui/button.tsx";
import { Card, CardBody } from "../ui/card.tsx";
import { HiddenFields } from "../ui/hidden-fields.tsx";

/** The button of a trial, with what it sends. `formKey` makes a repeated submit one trial. */
export function TrialCard({
  formKey,
  target,
  heading: Heading = "h2",
}: {
  formKey: string;
  target: string;
  heading?: "h1" | "h2";
}) {
  return (
    <Card aria-labelledby="trial">
      <CardBody className="flex flex-wrap items-center justify-between gap-x-8 gap-y-4 p-[clamp(1rem,1.7vw,1.5rem)]!">
        <div className="grid min-w-0 flex-1 basis-72 gap-1.5">
          <Heading id="trial" className="text-xl">
            Try it now, without an account
          </Heading>
          <p className="max-w-144 text-pretty text-ink-soft">
            This installation sends one real request in 5 s, to a receiver of its own, and draws how late it was.
            Nothing of yours is sent.
          </p>
          <p className="wrap-anywhere text-ink-muted text-xs">
            <span className="font-mono">POST {target}</span>
          </p>
        </div>
        <form method="post" action="/try/start" className="grid justify-items-start gap-1.5">
          <HiddenFields values={{ key: formKey }} />
          <Button type="submit" kind="primary" size="large">
            Send a request in 5 s
          </Button>
          <p className="text-ink-muted text-xs">One at a time, five an hour for each network.</p>
        </form>
      </CardBody>
    </Card>
  );
}
