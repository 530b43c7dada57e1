import { createElement as h } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { DispatcherDown } from "#components/overview/dispatcher-down.tsx";
import { StatusNotices } from "#components/status/status-notices.tsx";

const now = new Date("2026-03-27T14:32:07.000Z");
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1_000);
const words = (element: Parameters<typeof renderToStaticMarkup>[0]) =>
  renderToStaticMarkup(element).replace(/<[^>]*>/g, "");

describe("the public status says", () => {
  const show = (updatedAt: Date, isRunning: boolean | null) => words(h(StatusNotices, { updatedAt, isRunning, now }));

  it("how old its figures are once they are old, and when they were taken", () => {
    const old = /^The database does not answer\. These figures are 6 m old, from 27 March 2026, 14:26:03\.000 UTC\./;
    expect(show(ago(364), true)).toMatch(old);
    expect(show(ago(45), true)).toBe("");
  });

  it("that no dispatcher is running", () => {
    expect(show(ago(1), false)).toMatch(/^No dispatcher is running\./);
  });

  it("at once that the database does not answer, although the figures are not old", () => {
    expect(show(ago(1), null)).toMatch(/^The database does not answer\. These figures are 1 s old/);
  });
});

describe("the overview says", () => {
  const show = (ageMs: number | null, isAlive: boolean) =>
    words(h(DispatcherDown, { beat: { ageMs, isAlive }, now, zone: "Europe/Berlin" }));

  it("since when no dispatcher is running, in the zone of the page", () => {
    expect(show(1_200_000, false)).toMatch(/Not running since 27 March 2026, 15:12:07\.000 Europe\/Berlin, 20 m ago\./);
    expect(show(null, false)).toContain("None has reported within the last hour.");
    expect(show(900, true)).toBe("");
  });
});
