import { ChevronRight, Clock, type IconNode, OctagonX, RotateCw } from "lucide";
import { formatCount } from "../format/number.ts";
import { Card, CardHead } from "../ui/card.tsx";
import { Icon } from "../ui/icon.tsx";

export type Attention = { count: number; href: string };

/** Counts of schedules that may need a person, each with a link to their list. `period` is in words ("24 hours"). */
export function NeedsAttention({
  failed,
  dead,
  dueSoon,
  period,
}: {
  failed: Attention;
  dead: Attention;
  dueSoon: Attention;
  period: string;
}) {
  return (
    <Card aria-labelledby="attention">
      <CardHead id="attention" title="Needs attention" />
      <ul>
        <Line {...failed} icon={RotateCw} ink="text-warn" word="failed" note="another attempt is due" />
        <Line {...dead} icon={OctagonX} ink="text-bad" word="dead" note={`given up in the last ${period}`} />
        <Line {...dueSoon} icon={Clock} ink="text-accent" word="due soon" note="within the hour" />
      </ul>
    </Card>
  );
}

function Line({
  count,
  href,
  icon,
  ink,
  word,
  note,
}: Attention & { icon: IconNode; ink: string; word: string; note: string }) {
  return (
    <li className="border-line border-b last:border-b-0">
      <a href={href} className="flex items-center gap-3 px-4 py-2.5 hover:bg-hover focus-visible:-outline-offset-2">
        <Icon of={icon} className={count > 0 ? ink : "text-ink-muted"} />
        <span className="grid flex-1">
          <span className={count > 0 ? "" : "text-ink-muted"}>
            <b className="font-medium">{formatCount(count)}</b> {word}
          </span>
          <span className="text-ink-muted text-xs">{note}</span>
        </span>
        <Icon of={ChevronRight} small className="text-ink-muted" />
      </a>
    </li>
  );
}
