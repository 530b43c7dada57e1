import { describe, expect, test } from "vitest";
import { LISTEN_ORIGIN } from "#domain/listen-origin.ts";
import { findMissed } from "../../../../cli/src/listen/missed.ts";
import { Stopwatch } from "../../../../sdk/src/index.ts";
import { KEY } from "../../sdk/fake-service.ts";

const NOW = Date.parse("2026-11-26T12:00:00Z");
const SIGNAL = new AbortController().signal;

/** What was missed, where lists have these totals by their query, and the queries. */
async function missed(plan: Parameters<typeof findMissed>[1], total: (query: URLSearchParams) => number) {
  const queries: string[] = [];
  const { schedules } = new Stopwatch(KEY, {
    baseUrl: "https://stopwatch.example.com",
    async fetch(url) {
      const { searchParams } = new URL(url);
      queries.push(searchParams.toString());
      return Response.json({ items: [], total: total(searchParams), limit: 1, offset: 0, next_cursor: null });
    },
  });
  return { text: await findMissed(schedules, plan, NOW, SIGNAL), queries };
}

const byStatus = (failed: number, dead: number) => (query: URLSearchParams) =>
  query.get("status") === "failed" ? failed : dead;

describe("what was missed", () => {
  test("is of the last hour, else of the last day", async () => {
    const { text, queries } = await missed({ scope: "all", paths: [] }, byStatus(2, 1));
    expect(text).toBe("2 wait for a retry, 1 died: stopwatch replay --since 1h");
    expect(queries).toEqual(["status=failed&limit=1", "status=dead&from=2026-11-26T11%3A00%3A00.000Z&limit=1"]);
    const onDayBefore = (query: URLSearchParams) => (query.get("from")?.startsWith("2026-11-25") ? 3 : 0);
    const day = await missed({ scope: "all", paths: [] }, onDayBefore);
    expect(day.text).toBe("3 died: stopwatch replay --since 24h");
    expect((await missed({ scope: "all", paths: [] }, byStatus(1, 0))).text).toBe("1 waits for a retry");
    expect((await missed({ scope: "all", paths: [] }, byStatus(0, 0))).text).toBeUndefined();
  });

  test("counts the targets of this listener, each once", async () => {
    const { text, queries } = await missed({ scope: "reserved", paths: ["/a/", "/a/b", "/c"] }, byStatus(1, 2));
    expect(text).toBe("2 wait for a retry, 4 died: stopwatch replay --since 1h --q https://listen.invalid/");
    expect(queries.map((query) => new URLSearchParams(query).get("q"))).toEqual([
      ...["https://listen.invalid/a/", "https://listen.invalid/c"],
      ...["https://listen.invalid/a/", "https://listen.invalid/c"],
    ]);
    const all = await missed({ scope: "reserved", paths: [] }, byStatus(0, 0));
    expect(new URLSearchParams(all.queries[0]).get("q")).toBe("https://listen.invalid/");
  });

  test("is not counted where no list can tell which are of this listener", async () => {
    expect(await missed({ scope: "all", paths: ["/a"] }, byStatus(1, 1))).toEqual({ text: undefined, queries: [] });
  });

  test("is looked for at the origin that the service reserves", () => {
    expect(LISTEN_ORIGIN).toBe("https://listen.invalid");
  });
});
