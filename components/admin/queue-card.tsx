import { formatDuration } from "../format/duration.ts";
import { formatCount } from "../format/number.ts";
import { Card, CardBody, CardFoot, CardHead } from "../ui/card.tsx";
import { Reading } from "../ui/reading.tsx";

type Queue = {
  due: number;
  firing: number;
  scheduled: number;
  failed: number;
  oldestDueMs: number;
  isEstimated: boolean;
  dead: number;
  isDeadCapped: boolean;
};

/** The numbers of waiting, firing and dead schedules of the whole service. */
export function QueueCard({ queue }: { queue: Queue }) {
  const about = queue.isEstimated ? "estimated" : undefined;
  const oldest = queue.oldestDueMs < 1_000 ? `${formatCount(queue.oldestDueMs)} ms` : formatDuration(queue.oldestDueMs);
  return (
    <Card aria-labelledby="queue">
      <CardHead title="Queue" id="queue">
        <span className="text-ink-muted text-xs">all accounts, live and test</span>
      </CardHead>
      <CardBody className="grid grid-cols-2 gap-x-4 gap-y-5 sm:grid-cols-3 lg:grid-cols-6">
        <Reading label="Oldest due, not sent" note={queue.due === 0 ? "Nothing waits past its instant." : undefined}>
          {oldest}
        </Reading>
        <Reading label="Due now" note={about}>
          {formatCount(queue.due)}
        </Reading>
        <Reading label="Firing">{formatCount(queue.firing)}</Reading>
        <Reading label="Scheduled" note={about}>
          {formatCount(queue.scheduled)}
        </Reading>
        <Reading label="Failed, retry due" note={about}>
          {formatCount(queue.failed)}
        </Reading>
        <Reading label="Died within 24 h">{(queue.isDeadCapped ? "over " : "") + formatCount(queue.dead)}</Reading>
      </CardBody>
      <CardFoot>Schedules of deactivated accounts wait on purpose: they are neither due nor the oldest.</CardFoot>
    </Card>
  );
}
