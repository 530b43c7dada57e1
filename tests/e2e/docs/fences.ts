import { readFileSync } from "node:fs";
import { lexer, type Token, type Tokens } from "marked";

/** A code block of a page of docs/, in its order. `at` counts from 1. */
export type Fence = { page: string; at: number; language: string; title: string; code: string };

export function readFences(page: string): Fence[] {
  const codes: Tokens.Code[] = [];
  const walk = (tokens: readonly Token[]) => {
    for (const token of tokens) {
      if (token.type === "code") codes.push(token as Tokens.Code);
      if (token.type === "list") for (const item of (token as Tokens.List).items) walk(item.tokens);
      if (token.type === "blockquote") walk(token.tokens ?? []);
    }
  };
  walk(lexer(readFileSync(`docs/${page}.md`, "utf8")));
  return codes.map(({ lang = "", text }, index) => {
    const [language = "", ...title] = lang.split(" ");
    return { page, at: index + 1, language, title: title.join(" "), code: text };
  });
}

const ENDINGS: Readonly<Record<string, RegExp>> = {
  js: /\.[cm]?js$/,
  ts: /\.[cm]?tsx?$/,
  py: /\.py$/,
  go: /\.go$/,
  php: /\.php$/,
  rb: /\.rb$/,
};

/** The file that the title of a fence names; null when it names none. */
export function fileOf({ language, title }: Fence): string | null {
  if (!/^[\w./-]*\.\w+$/.test(title) || title === "Node.js") return null;
  return (ENDINGS[language] ?? /./).test(title) ? title : null;
}

/** The languages of programs, which are run. */
export const isProgram = ({ language }: Fence): boolean => language in ENDINGS;

/**
 * The program of a fence. One without imports that uses names of an earlier fence with the same language and title
 * continues that one.
 */
export function programOf(fence: Fence, before: readonly Fence[]): string {
  if (/^(?:import|from) /m.test(fence.code)) return fence.code;
  const own = definedIn(fence.code);
  const isContinued = ({ language, title, code }: Fence) =>
    language === fence.language &&
    title === fence.title &&
    definedIn(code).some((name) => !own.includes(name) && new RegExp(`\\b${name}\\b`).test(fence.code));
  const last = before.findLast(isContinued);
  return last ? `${programOf(last, before.slice(0, before.indexOf(last)))}\n${fence.code}` : fence.code;
}

/** The names that a program defines at its top level, in JavaScript, Python or Ruby. */
function definedIn(code: string): string[] {
  const simple = [...code.matchAll(/^(?:export )?(?:const|let|async function|function|class|def) (\w+)|^(\w+) = /gm)];
  const taken = [...code.matchAll(/^(?:const|let|import) \{([^}]+)\}/gm)];
  return [
    ...simple.map(([, name, assigned]) => name ?? assigned ?? ""),
    ...taken.flatMap(([, names = ""]) =>
      names.split(",").map(
        (name) =>
          name
            .split(/:| as /)
            .at(-1)
            ?.trim() ?? "",
      ),
    ),
  ].filter((name) => name !== "");
}
