import type { Page } from "@playwright/test";

/**
 * The accessibility tree of a page's main part, in Playwright's form of it. What changes from run to run is replaced by
 * rule, and of neighbours that are equal then only the first is kept. So is the first of a table's rows that differ in
 * words alone, with how many more there are. `isOutline` keeps landmarks, headings, tables and groups alone.
 */
export async function mainTree(page: Page, { isOutline = false } = {}): Promise<string> {
  const nodes = parse(steady(await page.getByRole("main").ariaSnapshot()));
  return write(isOutline ? outlineOf(nodes) : nodes);
}

/** As `mainTree`, of everything around the main part. */
export async function frameTree(page: Page): Promise<string> {
  const nodes = parse(steady(await page.locator("body").ariaSnapshot()));
  return write(nodes.filter(({ text }) => !text.startsWith("- main")));
}

const MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*";
const WEEKDAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*";
const UNIT = "(?:ms|s|m|h|d)";
/** Before a figure that stands alone. One that is part of a word, an address or a heading's level is no figure. */
const ALONE = "(?<![\\w=%/.-])";

/** What is replaced, in this order. */
const RULES: readonly (readonly [RegExp, string])[] = [
  [/\b(sch|op|acc|key|req|ses|idn)_[0-9a-z]{20,}/g, "$1_<id>"],
  [/…[0-9a-z]{6}\b/g, "…<id>"],
  [/ends in \S{4}/g, "ends in <end>"],
  [/code: "?…?[\w+/]{3}="?$/gm, "code: <end>"],
  [/whsec_[\w+/=]+/g, "whsec_<secret>"],
  [/(?<=localhost:)\d+/g, "<port>"],
  [/\d{4}-\d\d-\d\d(?:T[\d:.]+(?:%3A[\d.]+)*Z?)?/g, "<instant>"],
  [new RegExp(`(?:${WEEKDAY},? )?\\b\\d{1,2} ${MONTH}(?: \\d{4})?`, "g"), "<day>"],
  [new RegExp(`\\b${MONTH} \\d{4}`, "g"), "<month>"],
  [/\b\d\d:\d\d(?::\d\d(?:\.\d{3})?)?/g, "<clock>"],
  // The day stands before the time where it is not today.
  [/<day>, <clock>/g, "<clock>"],
  [/(?:<clock>|<day>)(?: (?:<clock>|<day>))+/g, "<marks>"],
  // Which hours have something depends on the time of day.
  [/(img "(?:How late, by|Attempts by|Punctuality of) [\w ]+[:.] )[^"]*/g, "$1<figures>"],
  [/(link "(?:<marks>|(?:<clock>|<day>)(?:–(?:<clock>|<day>))?): )[^"]*/g, "$1<figures>"],
  [/(?<=url: \/logs\?.*&outcome=)(?:succeeded|failed)\b/g, "<outcome>"],
  [/(?<=#(?:day|from)-)\d+/g, "<instant>"],
  // The verdict of /status goes by the last quarter of an hour.
  [/(?<=heading ")(?:Requests are sent (?:on time|late)|On time now, late within the last 24 hours)\./g, "<verdict>"],
  [/In the last quarter of an hour with requests, [^.]*\. /g, ""],
  [new RegExp(`${ALONE}[−+]?\\d[\\d.,]*\\s?${UNIT}\\b(?: \\d+ ${UNIT}\\b)*`, "g"), "<time>"],
  [/\bin <time>|<time> ago/g, "<when>"],
  [/(?<=^ *- (?:row|cell|time)\b.*)\bnow(?= , <|":?$|$)/gm, "<when>"],
  [/Updated now/g, "Updated <when>"],
  [new RegExp(`${ALONE}[−+]?\\d[\\d.,:]*(?!\\w)`, "g"), "#"],
  // There is none on the first day of a month.
  [/at this pace (?:#|—)/g, "at this pace <projection>"],
  [/(?:# inside the quota|from the second day of the month on)$/gm, "<projection>"],
  [/\n.*A projection is made from the second day of the month on\./g, ""],
  [/ # expected by the end of the month/g, ""],
];

const steady = (tree: string) => RULES.reduce((before, [pattern, word]) => before.replace(pattern, word), tree);

type Node = { text: string; children: Node[] };

const OUTLINE = /^- '?(?:main|navigation|complementary|region|search|heading|table|group)\b/;

function outlineOf(nodes: readonly Node[]): Node[] {
  return nodes.flatMap(({ text, children }) => {
    const kept = outlineOf(children);
    return OUTLINE.test(text) ? [{ text: text.replace(/(?<=group "[^"]*").*/, ""), children: kept }] : kept;
  });
}

function parse(tree: string): Node[] {
  const root: Node = { text: "", children: [] };
  const open: Node[] = [root];
  for (const line of tree.split("\n")) {
    const depth = line.search(/\S/) / 2;
    const node = { text: line.trim(), children: [] };
    open.length = depth + 1;
    open[depth]?.children.push(node);
    open.push(node);
  }
  return root.children;
}

function write(nodes: readonly Node[], indent = ""): string {
  const kept: { block: string; more: number }[] = [];
  const firstOf = new Map<string, { more: number }>();
  let last = "";
  for (const node of nodes) {
    const block = `${indent}${node.text}\n${write(node.children, `${indent}  `)}`;
    if (block === last) continue;
    last = block;
    const shape = ROW.test(node.text) && shapeOf(node);
    const first = shape && firstOf.get(shape);
    if (first) first.more++;
    else {
      const entry = { block, more: 0 };
      kept.push(entry);
      if (shape) firstOf.set(shape, entry);
    }
  }
  return kept.map(({ block, more }) => (more ? `${block}${indent}… ${more} more of this shape\n` : block)).join("");
}

const ROW = /^- '?row\b/;

/** A node with all below it, without their words: a role, whether it has a name, its states, where it leads. */
function shapeOf({ text, children }: Node): string {
  // A line with a colon in its words stands in quotes.
  const line = text.replace(
    /^- '(.*)'(:?)$/,
    (_, quoted: string, colon: string) => `- ${quoted.replaceAll("''", "'")}${colon}`,
  );
  const own = line.startsWith("- /url")
    ? line
    : line.replace(/"(?:[^"\\]|\\.)*"/, '""').replace(/^(- \w+(?: "")?(?: \[[^\]]*\])*): .+$/, "$1: words");
  // What a row is called stands in the words of its header.
  const words = /^- '?rowheader\b/.test(text) ? text : own;
  return `${words}(${children.map(shapeOf).join()})`;
}
