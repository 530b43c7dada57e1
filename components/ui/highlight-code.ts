import { common, createLowlight } from "lowlight";
import { type CodePiece, type CodeStyle, codeText, keepInstants, styledAs } from "./code-piece.ts";

/**
 * Code as pieces in the styles of its language, which is a name or alias of highlight.js, such as "sh"; of an unknown one,
 * the code as it is. Instants stay instants. Only for the server, since the grammars weigh more than the pages do.
 */
export function highlightCode(language: string, code: CodePiece | readonly CodePiece[]): CodePiece[] {
  const given = Array.isArray(code) ? (code as readonly CodePiece[]) : [code as CodePiece];
  if (!lowlight.registered(language)) return [...given];
  return keepInstants(piecesOf(lowlight.highlight(language, codeText(given)).children), given);
}

const lowlight = createLowlight(common);

/** The style of each class of highlight.js. A class that is not here looks like the code around it. */
const STYLES = new Map<string, CodeStyle>([
  ["hljs-string", "string"],
  ["hljs-regexp", "string"],
  ["hljs-keyword", "keyword"],
  ["hljs-built_in", "keyword"],
  ["hljs-literal", "number"],
  ["hljs-number", "number"],
  ["hljs-comment", "comment"],
  ["hljs-meta", "comment"],
  ["hljs-attr", "name"],
  ["hljs-attribute", "name"],
  ["hljs-variable", "name"],
  ["hljs-subst", "name"],
]);

type Node = ReturnType<typeof lowlight.highlight>["children"][number];

function piecesOf(nodes: readonly Node[], style?: CodeStyle): CodePiece[] {
  return nodes.flatMap((node) => {
    if (node.type === "text") return [styledAs(style, node.value)];
    if (node.type !== "element") return [];
    const [name = ""] = node.properties.className as string[];
    return piecesOf(node.children, STYLES.get(name) ?? style);
  });
}
