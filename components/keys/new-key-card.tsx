import { Button } from "../ui/button.tsx";
import { Card, CardBody, CardFoot, CardHead } from "../ui/card.tsx";
import { CodeTabs } from "../ui/code-tabs.tsx";
import { Notice } from "../ui/notice.tsx";

/** The raw value of a new key, with a line for `.env`, and the button that hides it for good. */
export function NewKeyCard({
  name,
  env,
  value,
  replaced,
  savedAction,
  viewEnv,
}: {
  name: string;
  env: string;
  value: string;
  /** What became of the key that this one replaces. */
  replaced: "ended" | "expires" | undefined;
  savedAction: string;
  /** The environment that the dashboard shows. */
  viewEnv: string;
}) {
  return (
    <Card aria-labelledby="new-key">
      <CardHead title={name} id="new-key" />
      <CardBody className="grid grid-cols-1 gap-4">
        <Notice kind="warn" announce="status">
          <b>This is the only time that the key is shown.</b> Only its SHA-256 hash is stored.
          {replaced === "ended" && " The old key has stopped working."}
          {replaced === "expires" && " The old key still works for now: the list of keys says until when."}
        </Notice>
        <CodeTabs
          what="API key"
          samples={[
            { label: `${env} key`, code: value },
            { label: ".env", code: `STOPWATCH_API_KEY=${value}` },
          ]}
        />
      </CardBody>
      <CardFoot className="justify-between">
        <span>Shown here for five minutes, or until you say that it is saved.</span>
        <form method="post" action={savedAction}>
          <input type="hidden" name="env" value={viewEnv} />
          <Button type="submit" kind="primary">
            I have saved it
          </Button>
        </form>
      </CardFoot>
    </Card>
  );
}
