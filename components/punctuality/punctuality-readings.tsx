import { formatCount, formatPercent } from "../format/number.ts";
import { offsetParts } from "../format/offset.ts";
import { Reading } from "../ui/reading.tsx";

/** How late 95 % were, how many were on time, and how many were sent. `sentLabel` names the last one. */
export function PunctualityReadings({
  p95,
  onTimeRate,
  sent,
  sentLabel,
}: {
  p95: number;
  onTimeRate: number;
  sent: number;
  sentLabel: string;
}) {
  const late = offsetParts(p95);
  return (
    <>
      <Reading label="95 % within" unit={late.unit}>
        {late.sign}
        {late.value}
      </Reading>
      <Reading label="On time" unit="%">
        {formatPercent(onTimeRate)}
      </Reading>
      <Reading label={sentLabel}>{formatCount(sent)}</Reading>
    </>
  );
}
