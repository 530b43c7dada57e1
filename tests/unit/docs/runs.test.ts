import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { DOC_PAGES, findDocPage } from "#server/docs/pages.ts";
import { describeRun, hashPage, type Run } from "#server/docs/runs.ts";
import { type Fence, fileOf, programOf } from "#tests/e2e/docs/fences.ts";
import { differences } from "#tests/e2e/docs/shapes.ts";

describe("the foot of a page", () => {
  const run: Run = { version: "0.1.0", date: "2026-11-26", sha256: hashPage(Buffer.from("# Page")), ran: 3, of: 3 };
  const foot = (over: Partial<Run>, text = "# Page") => describeRun({ ...run, ...over }, hashPage(Buffer.from(text)));

  it("says with which version its examples were run, when, and how many of them", () => {
    expect(foot({})).toBe("Every example on this page was run with Stopwatch 0.1.0 on 26 November 2026.");
    expect(foot({ ran: 1, of: 1 })).toMatch(/^The example on this page was run with/);
    expect(foot({ ran: 2 })).toMatch(/^2 of the 3 examples on this page were run with/);
    expect(foot({ ran: 1 })).toMatch(/^1 of the 3 examples on this page was run with/);
  });

  it("says nothing once the page has changed, or when nothing of it was run", () => {
    expect(foot({}, "# Page.")).toBeNull();
    expect(foot({ ran: 0 })).toBeNull();
  });
});

it("docs/ran.json names pages that are there, each with a run that can have been", () => {
  const runs: Record<string, Run> = JSON.parse(readFileSync("docs/ran.json", "utf8"));
  for (const [slug, { version, date, sha256, ran, of }] of Object.entries(runs)) {
    expect([slug, findDocPage(slug)?.slug]).toEqual([slug, slug]);
    expect({ version, date, sha256 }).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      date: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(ran).toBeLessThanOrEqual(of);
  }
  expect(DOC_PAGES.length).toBeGreaterThan(40);
});

describe("the run of the examples", () => {
  it.each([
    [{ a: 1 }, { a: 2, b: 3 }, []],
    [{ a: null, b: [] }, { a: "x", b: [1] }, []],
    [{ items: [{ a: 1 }, { a: 2 }] }, { items: [{ a: 3 }] }, []],
    [{ a: 1 }, { b: 1 }, [".a is not in the answer"]],
    [{ a: "1" }, { a: 1 }, [".a is number"]],
    [{ a: { b: 1 } }, { a: [1] }, [".a is a list"]],
    [{ items: [{ a: 1 }] }, { items: [{ b: 1 }] }, [".items[0].a is not in the answer"]],
    [{ a: {} }, { a: 1 }, [".a is number"]],
  ])("compares the shape of %j with that of %j", (shown, real, wrong) => {
    expect(differences(shown, real)).toEqual(wrong);
  });

  const fence = (code: string, title = "", language = "js"): Fence => ({ page: "p", at: 1, language, title, code });

  it("continues the program of the same title whose names a block uses", () => {
    const first = fence('import { A } from "a";\nconst client = new A();\nconst { id } = await client.create();');
    const second = fence("const moved = await client.move(id);");
    const third = fence("console.log(moved.at);");
    expect(programOf(third, [first, second])).toBe([first, second, third].map(({ code }) => code).join("\n"));
    expect(programOf(fence(third.code, "other"), [first, second])).toBe(third.code);
    expect(programOf(fence(third.code, "", "py"), [first, second])).toBe(third.code);
    expect(programOf(fence('import { A } from "a";\nmoved;'), [first, second])).toBe('import { A } from "a";\nmoved;');
    expect(programOf(fence("const client = 1;\nclient;"), [first])).toBe("const client = 1;\nclient;");
  });

  it("takes a title for a file when it has the ending of its language", () => {
    expect(fileOf(fence("", "receiver.mjs"))).toBe("receiver.mjs");
    expect(fileOf(fence("", "app/hook/route.ts", "ts"))).toBe("app/hook/route.ts");
    expect(fileOf(fence("", "Node.js", "ts"))).toBeNull();
    expect(fileOf(fence("", "Node.js", "js"))).toBeNull();
    expect(fileOf(fence("", "reminders.csv", "csv"))).toBe("reminders.csv");
    expect(fileOf(fence("", "201 Created", "json"))).toBeNull();
  });
});
