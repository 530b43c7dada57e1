import { isLateDay, type PublicDay } from "#domain/public-days.ts";
import { ON_TIME_WITHIN_MS } from "#domain/punctuality.ts";
import type { PublicDays } from "./public-days.ts";

/**
 * The late days of an installation as an Atom feed, the newest first. It has no entry while every day was on time. `baseUrl` is
 * the public address. Source: RFC 4287.
 */
export function statusFeed({ days, updatedAt }: PublicDays, baseUrl: string): string {
  const late = days.filter(isLateDay).toReversed();
  const endOf = ({ startsAtMs }: PublicDay) => new Date(Math.min(startsAtMs + DAY_MS, updatedAt.getTime()));
  const [newest] = late;
  const changedAt = newest ? endOf(newest) : new Date(days.at(-1)?.startsAtMs ?? updatedAt);
  const page = escaped(`${baseUrl}/status`);
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">',
    `  <id>${page}</id>`,
    "  <title>Stopwatch: days with late requests</title>",
    "  <subtitle>Days (UTC) on which fewer than 99.9 % of requests left on time</subtitle>",
    `  <updated>${changedAt.toISOString()}</updated>`,
    `  <author><name>${escaped(new URL(baseUrl).host)}</name></author>`,
    `  <link rel="self" type="application/atom+xml" href="${page}.atom"/>`,
    `  <link rel="alternate" type="text/html" href="${page}"/>`,
    ...late.map((day) => entry(day, endOf(day), page)),
    "</feed>",
    "",
  ].join("\n");
}

function entry({ startsAtMs, sent, onTime, p50, p95 }: PublicDay, changedAt: Date, page: string): string {
  const day = new Date(startsAtMs).toISOString().slice(0, 10);
  const percent = Math.floor((onTime / sent) * 10_000) / 100;
  return [
    "  <entry>",
    `    <id>${page}#${day}</id>`,
    `    <title>${day}: ${percent} % of ${sent} requests left on time</title>`,
    `    <updated>${changedAt.toISOString()}</updated>`,
    `    <link rel="alternate" type="text/html" href="${page}#days"/>`,
    `    <summary>${sent - onTime} of ${sent} requests left more than ${ON_TIME_WITHIN_MS} ms late. Half left within ${p50} ms, 95 % within ${p95} ms.</summary>`,
    "  </entry>",
  ].join("\n");
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

const DAY_MS = 86_400_000;
