import { Button } from "../ui/button.tsx";
import { Card, CardBody, CardHead } from "../ui/card.tsx";
import { FullTime } from "../ui/time.tsx";

/** The switch that lets test keys receive all test deliveries. `until` is when it ends; null while it is off. */
export function TestDeliveriesCard({
  until,
  zone,
  env,
  action,
}: {
  until: Date | null;
  zone: string;
  env: string;
  action: string;
}) {
  return (
    <Card aria-labelledby="test-deliveries">
      <form method="post" action={action}>
        <input type="hidden" name="env" value={env} />
        <CardHead title="Test deliveries to listeners" id="test-deliveries">
          <span className="text-ink-muted text-xs">{until ? "on" : "off"}</span>
        </CardHead>
        <CardBody className="grid grid-cols-1 gap-3">
          <p className="text-ink-soft text-sm">
            Lets <code>stopwatch listen --all</code> receive every test delivery of this account, payloads included, in
            place of its target. Whoever has a test key can do that. Live deliveries are never received so.
          </p>
          {until && (
            <p className="text-sm">
              It ends at <FullTime at={until} zone={zone} />
            </p>
          )}
          <div className="flex flex-wrap gap-2">
            {until && (
              <Button type="submit" name="switch" value="off">
                Turn it off
              </Button>
            )}
            <Button type="submit" name="switch" value="on">
              {until ? "Begin 7 days anew" : "Turn it on for 7 days"}
            </Button>
          </div>
        </CardBody>
      </form>
    </Card>
  );
}
