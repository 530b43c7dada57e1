import { nextMonthMs, type QuotaLevel, type QuotaNotice, quotaReachedAtMs } from "#domain/quota-notices.ts";
import { paragraph } from "./layout.ts";
import type { Mail } from "./mail.ts";
import { noticeMail, type Reader } from "./notice.ts";
import { day, figure, minute, month } from "./words.ts";

/** The quota notice, at 80 %, at 100 % and at the grace limit. */
export function quotaMail(reader: Reader, notice: QuotaNotice): Mail {
  const { subject, summary } = WORDS[notice.level](notice);
  return noticeMail(reader, {
    subject,
    preview: summary,
    parts: [paragraph(summary)],
    action: { label: "See the usage", path: "/usage" },
    hint: "GET /v1/usage has the figures of the month. Test schedules do not count.",
  });
}

const WORDS: Record<QuotaLevel, (notice: QuotaNotice) => { subject: string; summary: string }> = {
  80: (notice) => {
    const reachedMs = quotaReachedAtMs(notice);
    const pace =
      reachedMs === null
        ? `At this pace ${month(notice.period)} ends below the quota.`
        : `At this pace the quota is reached on ${day(reachedMs)}.`;
    return {
      subject: `80 % of ${month(notice.period)} is used`,
      summary: `${used(notice)}. ${pace} ${refusedFrom(notice)}`,
    };
  },
  100: (notice) => ({
    subject: `The quota of ${month(notice.period)} is used`,
    summary: `${used(notice)}. ${figure(notice.graceLimit - notice.limit)} more are accepted as grace. ${refusedFrom(notice)}`,
  }),
  110: (notice) => ({
    subject: `New schedules are refused until ${day(nextMonthMs(notice.period))}`,
    summary: `${used(notice)}: quota and grace of ${month(notice.period)} are used. New schedules are refused until ${minute(nextMonthMs(notice.period))}. Schedules that exist are sent as planned. Occurrences of recurrences are left out until then.`,
  }),
};

const used = ({ scheduled, limit }: QuotaNotice): string => `${figure(scheduled)} of ${figure(limit)} schedules`;

const refusedFrom = ({ graceLimit, period }: QuotaNotice): string =>
  `From ${figure(graceLimit + 1)} on, new schedules are refused until ${minute(nextMonthMs(period))}.`;
