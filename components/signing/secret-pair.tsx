import { Card, CardBody, CardFoot, CardHead } from "../ui/card.tsx";
import { Copy } from "../ui/copy.tsx";
import { RelativeTime } from "../ui/time.tsx";

/** The current and the next signing secret: masked, to reveal and to copy. */
export function SecretPair({
  current,
  next,
  rotatedAt,
  now,
  zone,
}: {
  current: string;
  next: string;
  rotatedAt: Date | null;
  now: Date;
  zone: string;
}) {
  return (
    <Card aria-labelledby="pair">
      <CardHead title="Your pair" id="pair">
        <span className="text-ink-muted text-xs">
          {rotatedAt === null ? (
            "never rotated"
          ) : (
            <>
              rotated <RelativeTime at={rotatedAt} now={now} zone={zone} />
            </>
          )}
        </span>
      </CardHead>
      <CardBody className="grid grid-cols-1 gap-4">
        <Secret name="Current" note="signs now" value={current} />
        <Secret name="Next" note="signs after a rotation" value={next} />
      </CardBody>
      <CardFoot>
        Keep both at the receiver, and accept a request when either matches. Live and test have pairs of their own.
      </CardFoot>
    </Card>
  );
}

function Secret({ name, note, value }: { name: string; note: string; value: string }) {
  return (
    <div className="grid grid-cols-1 gap-1.5">
      <p className="text-sm">
        <b className="font-medium">{name}</b> <span className="text-ink-muted text-xs">{note}</span>
      </p>
      <div className="flex items-start gap-1.5 rounded-md border border-line bg-sunken py-1.5 pr-1.5 pl-3">
        <details className="group min-w-0 flex-1 text-sm">
          <summary className="flex min-h-6 cursor-pointer list-none items-center gap-3 [&::-webkit-details-marker]:hidden">
            <code className="min-w-0 flex-1 truncate group-open:hidden">
              <span aria-hidden="true">whsec_••••{value.slice(-4)}</span>
              <span className="sr-only">
                {name} secret, which ends in {value.slice(-4)}
              </span>
            </code>
            <span className="font-medium text-accent text-xs group-open:hidden">Reveal</span>
            <span className="font-medium text-accent text-xs not-group-open:hidden">Hide</span>
          </summary>
          <code className="wrap-anywhere block pt-1 leading-6 select-all">{value}</code>
        </details>
        <Copy text={value} what={`${name.toLowerCase()} secret`} />
      </div>
    </div>
  );
}
