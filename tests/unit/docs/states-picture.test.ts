import { readFileSync } from "node:fs";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { StatesPicture } from "#components/docs/states-picture.tsx";
import { STATUSES } from "#domain/states.ts";

const page = readFileSync("docs/states.md", "utf8");
const [, alt = ""] = /^!\[(.+)\]\(pictures\/states\.svg\)$/m.exec(page) ?? [];
const svg = renderToStaticMarkup(createElement(StatesPicture, { alt }));

it("the picture of docs/states.md has every status, and so has its text alternative", () => {
  for (const status of STATUSES) {
    expect(svg).toContain(`>${status}</text>`);
    expect(alt.toLowerCase()).toContain(status);
  }
});

it("docs/pictures/states.svg is that picture, in the colours of either theme (`-u` writes it)", async () => {
  const file = svg
    .replace(/ class="block[^"]*"/, "")
    .replace(/^<svg[^>]*>/, (start) => `${start}<style>${styleOf(svg)}</style>`)
    .replaceAll("><", ">\n<");
  await expect(`${file}\n`).toMatchFileSnapshot("../../../docs/pictures/states.svg");
});

/** The rules of the classes in a drawing, with the colours that the tokens of components/theme.css have in each theme. */
function styleOf(drawing: string): string {
  const theme = readFileSync("components/theme.css", "utf8");
  const classes = new Set([...drawing.matchAll(/class="([^"]+)"/g)].flatMap(([, names = ""]) => names.split(" ")));
  const rules = [...classes].flatMap((name) => {
    const [, property = "", token = ""] = /^(fill|stroke)-(.+)$/.exec(name) ?? [];
    const [, light, dark] = new RegExp(`--color-${token}: light-dark\\((#\\w+), (#\\w+)\\)`).exec(theme) ?? [];
    return light === undefined ? [] : [{ name, property, light, dark }];
  });
  const write = (colour: "light" | "dark") =>
    rules.map((rule) => `.${rule.name}{${rule.property}:${rule[colour]}}`).join("");
  const text = ".text-xs{font:12px sans-serif}.text-sm{font:13px monospace}.fill-none{fill:none}";
  return `${text}${write("light")}@media(prefers-color-scheme:dark){${write("dark")}}`;
}
