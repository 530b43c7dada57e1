import { Card, CardBody, CardHead } from "../ui/card.tsx";
import { Facts } from "../ui/facts.tsx";

const FIELDS = [
  ["late", "its first byte, less the instant at which it was due"],
  ["claim", "waiting for the database to hand the attempt over"],
  ["wait", "waiting for your own calls per second"],
  ["connect", "name resolution, TCP and TLS"],
  ["first_byte", "until the target began to answer"],
  ["status_code", "what it answered, with the beginning of the body"],
] as const;

/** The fields that each attempt records; no figures, since none are measured here. */
export function TimingBreakdown() {
  return (
    <section className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,22rem),1fr))] items-center gap-10">
      <div className="grid gap-4">
        <h2 className="text-2xl">When something is late, it says why</h2>
        <p className="max-w-112 text-ink-soft text-lg">
          Every attempt records the code, what the target answered, and where each millisecond went: the name, the
          connection, the claim, your own rate, the target’s answer.
        </p>
      </div>
      <Card>
        <CardHead title="One attempt in the log" />
        <CardBody className="py-2">
          <Facts items={FIELDS.map(([name, what]) => [name, what] as const)} isCode />
        </CardBody>
      </Card>
    </section>
  );
}
