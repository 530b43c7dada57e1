import { formatDay } from "../format/instant.ts";
import { formatCount } from "../format/number.ts";
import { Notice } from "../ui/notice.tsx";
import type { Month } from "./month-card.tsx";

/** Warns when the quota or the grace limit is reached. */
export function QuotaNotice({ month: { scheduled, limit, graceLimit, endsAt } }: { month: Month }) {
  if (scheduled >= graceLimit) {
    return (
      <Notice kind="bad">
        <b>This month’s quota is used up.</b> New schedules are refused with <code>QUOTA_EXCEEDED</code> until{" "}
        {formatDay(endsAt)}, 00:00 UTC. Schedules that exist are still sent.
      </Notice>
    );
  }
  if (scheduled <= limit) return null;
  return (
    <Notice kind="warn">
      <b>Over the quota.</b> Schedules are accepted up to {formatCount(graceLimit)}; each answer says{" "}
      <code>over_limit: true</code>. After that, new schedules are refused until {formatDay(endsAt)}, 00:00 UTC.
    </Notice>
  );
}
