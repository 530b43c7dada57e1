import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { Markdown } from "#components/docs/markdown.tsx";

const render = (text: string, linkTo = (href: string): string | null => href) =>
  renderToStaticMarkup(createElement(Markdown, { text, linkTo }));

describe("Markdown", () => {
  it("shows HTML of the text as text, so that nothing of it runs", () => {
    const html = render('<script>alert(1)</script>\n\nA <img src=x onerror="alert(1)"> `<b>`.');
    expect(html).not.toMatch(/<script|<img|<b>/);
    expect(html).toContain("&lt;script&gt;");
  });

  it("has no style attributes, which the content security policy would refuse", () => {
    expect(render("# A\n\n| a | b |\n|:-:|--:|\n| 1 | 2 |\n\n- x\n\n1. y")).not.toContain("style=");
  });

  it("gives headings the ids that GitHub gives them, and repeated ones a number", () => {
    const html = render("## Google and GitHub\n\n## What's `kept`?\n\n## Same\n\n## Same");
    const ids = [...html.matchAll(/<h2 id="([^"]*)"/g)].map(([, id]) => id);
    expect(ids).toEqual(["google-and-github", "whats-kept", "same", "same-1"]);
  });

  it("shows code blocks that follow each other as tabs, named by their titles", () => {
    const html = render("```sh curl\na\n```\n\n```js JavaScript\nb\n```\n\nText\n\n```sh\nc\n```");
    expect(html.match(/type="radio"/g)?.length).toBe(2);
    expect(html).toContain("JavaScript</label>");
    expect(html).toContain("Terminal");
  });

  it("gives a link that is all of a cell the size of a target", () => {
    const html = render("| a | b |\n|---|---|\n| [alone](a.md) | text and [more](b.md) |");
    expect(html).toMatch(/<a href="a\.md" class="[^"]*min-h-6/);
    expect(html).toMatch(/<a href="b\.md" class="(?![^"]*min-h-6)/);
  });

  it("draws a picture of docs/ with its text alternative, and shows the text of any other", () => {
    const html = render("![all of it](pictures/states.svg)\n\n![another](https://example.com/a.png)");
    expect(html).toContain('<svg role="img" aria-label="all of it"');
    expect(html).toContain("<p>another</p>");
    expect(html).not.toContain("<img");
  });

  it("shows a link to a page that this site does not serve as plain text", () => {
    const html = render("[here](a.md) and [there](b.md)", (href) => (href === "a.md" ? "/docs/a" : null));
    expect(html).toContain('href="/docs/a"');
    expect(html).not.toContain("b.md");
    expect(html).toContain("there");
  });
});
