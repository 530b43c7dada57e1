import { formatCount } from "../format/number.ts";
import { Card, CardBody, CardHead } from "../ui/card.tsx";
import { TextLink } from "../ui/text-link.tsx";
import { type Incident, IncidentList } from "./incident-list.tsx";

export type Attention = { count: number; href: string };

/**
 * What needs a person: schedules that died or are retrying, by host and last answer, and how many of all are in each state,
 * with links to their lists. `period` is in words ("the last 24 hours").
 */
export function NeedsAttention({
  incidents,
  more,
  isCapped,
  retrying,
  dead,
  dueSoon,
  period,
  zone,
  now,
}: {
  incidents: readonly Incident[];
  /** Groups that are not shown, and the list of all. */
  more: Attention;
  /** The numbers of the groups are lower bounds. */
  isCapped: boolean;
  retrying: Attention;
  dead: Attention;
  dueSoon: Attention;
  period: string;
  zone: string;
  now: Date;
}) {
  const isQuiet = incidents.every((one) => one.dead === 0 && one.retrying === 0);
  return (
    <Card aria-labelledby="attention">
      <CardHead id="attention" title={isQuiet ? "Nothing needs you" : "Needs attention"}>
        <ul className="flex flex-wrap gap-x-4 text-sm">
          <Count {...dead} word={`dead in ${period}`} ink={isQuiet ? "text-ink-soft" : "text-bad"} />
          <Count {...retrying} word="retrying" ink="text-warn" />
          <Count {...dueSoon} word="due within the hour" ink="text-accent" />
        </ul>
      </CardHead>
      {incidents.length > 0 && <IncidentList incidents={incidents} isCapped={isCapped} zone={zone} now={now} />}
      {more.count > 0 && (
        <CardBody className="border-line border-t py-1.5!">
          <TextLink standalone href={more.href} className="text-sm">
            {formatCount(more.count)} more {more.count === 1 ? "group" : "groups"}
          </TextLink>
        </CardBody>
      )}
    </Card>
  );
}

function Count({ count, href, word, ink }: Attention & { word: string; ink: string }) {
  return (
    <li>
      <TextLink standalone href={href} className={count > 0 ? ink : "text-ink-muted"}>
        <b className="mr-1 font-medium">{formatCount(count)}</b>
        {word}
      </TextLink>
    </li>
  );
}
