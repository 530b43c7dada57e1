"use client";

import type { ReactNode } from "react";
import type { ChosenTime } from "#domain/chosen-time.ts";
import { formatUtcOffset, offsetMsAt } from "#domain/zoned-time.ts";
import { formatDuration } from "../format/duration.ts";
import { formatClock, formatInstant } from "../format/instant.ts";
import { Card, CardBody } from "../ui/card.tsx";
import { Copy } from "../ui/copy.tsx";
import { Facts } from "../ui/facts.tsx";

/** The typed instant: in local time and UTC, relative to now, and as ISO 8601. */
export function TimePreview({
  chosen,
  nowMs,
  children,
}: {
  chosen: ChosenTime;
  nowMs: number;
  /** The submit button, shown below. */
  children?: ReactNode;
}) {
  return (
    <Card aria-labelledby="due">
      <CardBody className="grid gap-3">
        <h2 id="due" className="font-normal text-ink-soft text-sm tracking-normal">
          Due
        </h2>
        <p className="hidden text-ink-soft text-sm noscript:block">
          What you type is checked when you send it. The preview needs scripts.
        </p>
        {chosen.ok ? (
          <Instant at={new Date(chosen.epochMs)} zone={chosen.zone} nowMs={nowMs} />
        ) : (
          <p className="text-ink-muted text-sm noscript:hidden">{chosen.message}</p>
        )}
      </CardBody>
      {children && <div className="rounded-b-lg border-line border-t bg-sunken p-4">{children}</div>}
    </Card>
  );
}

function Instant({ at, zone, nowMs }: { at: Date; zone: string; nowMs: number }) {
  const [clock = "", fraction = ""] = formatClock(at, zone).split(".");
  const iso = at.toISOString();
  const aheadMs = at.getTime() - nowMs;
  return (
    <>
      <div className="grid gap-1.5 noscript:hidden">
        <p className="text-[2.5rem] leading-10.5 tracking-figure">
          {clock}
          <span className="text-[0.5em] text-ink-muted tracking-[-0.03em]">.{fraction}</span>
        </p>
        <p className="text-lg">
          {new Intl.DateTimeFormat("en-GB", { timeZone: zone, dateStyle: "full" }).format(at)}
          <span className="block text-ink-soft">
            {zone === "UTC" ? "UTC" : `${zone}, ${formatUtcOffset(offsetMsAt(at.getTime(), zone))}`}
          </span>
        </p>
      </div>
      <div className="border-line border-t noscript:hidden">
        <Facts
          items={[
            ["UTC", formatInstant(at)],
            ["From now", aheadMs > 0 ? formatDuration(aheadMs) : <Passed key="passed" />],
            [
              "ISO",
              <span key="iso" className="flex items-start justify-between gap-2">
                <span className="font-mono text-xs leading-6">{iso}</span>
                <Copy text={iso} what="ISO instant" />
              </span>,
            ],
          ]}
        />
      </div>
    </>
  );
}

function Passed() {
  return <span className="text-bad">It has passed. Name a later instant.</span>;
}
