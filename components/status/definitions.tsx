import { TextLink } from "../ui/text-link.tsx";

/** Defines what the public figures count and what on time means, and links to the API. */
export function Definitions({ onTimeWithinMs, maxAgeS }: { onTimeWithinMs: number; maxAgeS: number }) {
  return (
    <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,17rem),1fr))] gap-x-10 gap-y-6 *:grid *:content-start *:gap-2">
      <section>
        <h2 className="text-lg">What is counted</h2>
        <p className="text-ink-soft">
          Live schedules whose first attempt sent its request in the last 24 hours: the quarter of an hour under way and
          the 95 before it. Left out are those that their own account’s rate held back, those that were due while the
          account was off, and those that were due at once: nothing could have sent them earlier. Nothing here names an
          account, a target or a payload.
        </p>
      </section>
      <section>
        <h2 className="text-lg">What on time means</h2>
        <p className="text-ink-soft">
          The first byte was sent at most {onTimeWithinMs} ms after <code>fire_at</code>, by the database’s clock.
          Finding the name and opening the connection count as late. A request that is sent early because you asked for
          it counts as 0.
        </p>
      </section>
      <section>
        <h2 className="text-lg">Read it yourself</h2>
        <p className="text-ink-soft">
          <TextLink href="/v1/status/punctuality">GET /v1/status/punctuality</TextLink> answers these figures as JSON,
          without a key. They are read every {maxAgeS} s.
        </p>
      </section>
    </div>
  );
}
