import { describe, expect, test } from "vitest";
import { deadSchedulesMail } from "#mail/dead-schedules-mail.ts";
import { quotaMail } from "#mail/quota-mail.ts";

const reader = {
  id: "01a20233-091e-7641-b8b9-9888e239a787",
  to: "ana@example.com",
  baseUrl: "https://stopwatch.example.com",
  unsubscribeUrl: "https://stopwatch.example.com/unsubscribe?token=t",
  oneClickUrl: "https://stopwatch.example.com/v1/notices/unsubscribe?token=t",
};
const deaths = { n: 1, sinceMs: Date.UTC(2026, 2, 4, 14, 29), others: 0, intervalMs: 15 * 60_000 };
const line = { target: "old.example.com", answer: "410 Gone", n: 1 };
const quota = { period: "202603", limit: 2_000, graceLimit: 2_200, atMs: Date.UTC(2026, 2, 24) };

/** The text of the HTML form as a person reads it. */
const readable = (html: string) =>
  html
    .replace(/<(style|title)[\s\S]*?<\/\1>/g, "")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ");

describe("the mail of dead schedules", () => {
  test("says of each group how many died, and from when to when they were due", () => {
    const at = (hour: number, minutes: number, day = 4) => Date.UTC(2026, 2, day, hour, minutes);
    const lines = [
      { ...line, n: 37, fromMs: at(2, 12), toMs: at(3, 10) },
      { ...line, n: 2, answer: "500", fromMs: at(23, 50), toMs: at(0, 5, 5) },
    ];
    const { text } = deadSchedulesMail(reader, { ...deaths, n: 39, lines });
    expect(text).toContain("- old.example.com · 410 Gone · 37 dead · due 02:12–03:10 UTC\n");
    expect(text).toContain("- old.example.com · 500 · 2 dead · due 4 March, 23:50 UTC – 5 March, 00:05 UTC\n");
  });

  test("says for a single schedule when it died, for which target, and how its last attempt ended", () => {
    const mail = deadSchedulesMail(reader, { ...deaths, lines: [line] });
    expect(mail.subject).toBe("A schedule died");
    expect(
      mail.text,
    ).toBe(`A live schedule died on 4 March, 14:29 UTC: no retry is left. It is not tried again automatically.

- old.example.com · 410 Gone · 1 dead

See why, and replay it: https://stopwatch.example.com/schedules?status=dead

GET /v1/schedules?status=dead lists them, and POST /v1/schedules/:id/replay sends the same bytes again. More deaths in the next 15 minutes come in one mail.

Turn notices off: https://stopwatch.example.com/unsubscribe?token=t
`);
  });

  test("lists the ten most frequent lines, and counts the rest", () => {
    const lines = Array.from({ length: 14 }, (_, at) => ({ ...line, target: `t${at}.example.com`, n: at + 1 }));
    const mail = deadSchedulesMail(reader, { ...deaths, n: 1_281, others: 1_176, lines, intervalMs: 24 * 3_600_000 });
    expect(mail.subject).toBe("1,281 schedules died");
    expect(mail.text.match(/^- .*/gm)).toEqual([
      ...Array.from({ length: 10 }, (_, at) => `- t${13 - at}.example.com · 410 Gone · ${14 - at} dead`),
      "- Other targets · 1,186 dead",
    ]);
    expect(mail.text).toContain("More deaths in the next 24 hours come in one mail.");
  });

  test("shows text from a target as text, whatever characters it has", () => {
    const hostile = "</td><script>alert(\"1\")</script><img src=x onerror='alert(2)'>&amp;";
    const { html } = deadSchedulesMail(reader, { ...deaths, lines: [{ ...line, target: hostile, answer: hostile }] });
    expect(html).not.toMatch(/<script|<img/);
    expect(html.split("&lt;/td&gt;&lt;script&gt;alert(&quot;1&quot;)").length).toBe(3);
    expect(html).toContain("onerror=&#39;alert(2)&#39;&gt;&amp;amp;");
  });

  test("is the same each time, so that the provider recognises a repeat", () => {
    expect(deadSchedulesMail(reader, { ...deaths, lines: [line] })).toEqual(
      deadSchedulesMail(reader, { ...deaths, lines: [line] }),
    );
  });
});

describe("the mail about the quota", () => {
  test.each([
    [
      { ...quota, level: 80, scheduled: 1_600 },
      "80 % of March is used",
      "1,600 of 2,000 schedules. At this pace the quota is reached on 29 March. From 2,201 on, new schedules are refused until 1 April, 00:00 UTC.",
    ],
    [
      { ...quota, level: 80, scheduled: 1_600, atMs: Date.UTC(2026, 2, 31) },
      "80 % of March is used",
      "1,600 of 2,000 schedules. At this pace March ends below the quota. From 2,201 on, new schedules are refused until 1 April, 00:00 UTC.",
    ],
    [
      { ...quota, level: 100, scheduled: 2_000 },
      "The quota of March is used",
      "2,000 of 2,000 schedules. 200 more are accepted as grace. From 2,201 on, new schedules are refused until 1 April, 00:00 UTC.",
    ],
    [
      { ...quota, level: 110, scheduled: 2_200 },
      "New schedules are refused until 1 April",
      "2,200 of 2,000 schedules: quota and grace of March are used. New schedules are refused until 1 April, 00:00 UTC. Schedules that exist are sent as planned. Occurrences of recurrences are left out until then.",
    ],
  ] as const)("says what the notice %j means", (notice, subject, said) => {
    const mail = quotaMail(reader, notice);
    expect(mail.subject).toBe(subject);
    expect(mail.text).toContain(
      `${said}\n\nSee the usage: https://stopwatch.example.com/usage\n\nGET /v1/usage has the figures of the month.`,
    );
    expect(readable(mail.html)).toContain(said);
    expect(mail.idempotencyKey).toBe(`notice/${reader.id}`);
  });
});
