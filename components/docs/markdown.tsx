import { Lexer, lexer, type Token, type Tokens } from "marked";
import { Fragment, type ReactNode } from "react";
import { CodeBlock } from "../ui/code-block.tsx";
import { CodeTabs } from "../ui/code-tabs.tsx";
import { highlightCode } from "../ui/highlight-code.ts";
import { Table, TableHead } from "../ui/table.tsx";
import { TextLink } from "../ui/text-link.tsx";
import { HeadingLink } from "./heading-link.tsx";
import { headingIds, plainText } from "./headings.ts";
import { StatesPicture } from "./states-picture.tsx";

type Drawing = {
  ids: Map<Tokens.Heading, string>;
  /** The URL of a link in the text; null when this site does not serve its target. */
  linkTo: (href: string) => string | null;
  hasOwnCode?: boolean;
};

/**
 * Markdown as components of this project. HTML in the text is shown as text, so nothing of it runs. Code blocks that
 * follow each other directly are tabs; what follows the language of a block is its title.
 */
export function Markdown({ text, linkTo }: { text: string; linkTo: Drawing["linkTo"] }) {
  const tokens = lexer(text);
  const drawing = { ids: headingIds(tokens), linkTo };
  return <>{drawBlocks(tokens, drawing)}</>;
}

/**
 * The Markdown of a sentence, without blocks and links. `hasOwnCode`: the styles around it are for code too, so that a
 * long list does not repeat them.
 */
export function MarkdownLine({ text, hasOwnCode = false }: { text: string; hasOwnCode?: boolean }) {
  const drawing = { ids: new Map(), linkTo: () => null, hasOwnCode };
  return <>{drawInline(Lexer.lexInline(text.replaceAll("\n", " ")), drawing)}</>;
}

function drawBlocks(tokens: readonly Token[], drawing: Drawing): ReactNode[] {
  const blocks = tokens.filter(({ type }) => type !== "space" && type !== "def");
  const drawn: ReactNode[] = [];
  for (let at = 0; at < blocks.length; at++) {
    const codes = takeCodes(blocks, at);
    drawn.push(
      <Fragment key={at}>
        {codes.length > 1 ? (
          <CodeTabs what={`Example ${at + 1}`} samples={codes.map(fence)} />
        ) : (
          drawBlock(blocks[at] as Token, drawing)
        )}
      </Fragment>,
    );
    at += Math.max(codes.length - 1, 0);
  }
  return drawn;
}

/** The adjacent code blocks that begin at `at`. */
function takeCodes(blocks: readonly Token[], at: number): Tokens.Code[] {
  const after = blocks.slice(at).findIndex(({ type }) => type !== "code");
  return blocks.slice(at, after === -1 ? undefined : at + after) as Tokens.Code[];
}

function drawBlock(token: Token, drawing: Drawing): ReactNode {
  switch (token.type) {
    case "heading":
      return <Heading heading={token as Tokens.Heading} drawing={drawing} />;
    case "paragraph":
      return <Paragraph tokens={token.tokens ?? []} drawing={drawing} />;
    case "text":
      return drawInline(token.tokens ?? [token], drawing);
    case "code":
      return <Code code={token as Tokens.Code} />;
    case "list":
      return <List list={token as Tokens.List} drawing={drawing} />;
    case "table":
      return <DocTable table={token as Tokens.Table} drawing={drawing} />;
    case "blockquote":
      return (
        <blockquote className="border-accent-line border-l-2 pl-4 text-ink-soft">
          {drawBlocks(token.tokens ?? [], drawing)}
        </blockquote>
      );
    case "hr":
      return <hr className="border-line" />;
    default:
      return <p>{token.raw}</p>;
  }
}

function Heading({ heading, drawing }: { heading: Tokens.Heading; drawing: Drawing }) {
  const { depth, tokens } = heading;
  const id = drawing.ids.get(heading);
  if (depth === 1) return <h1 className="text-3xl">{drawInline(tokens, drawing)}</h1>;
  const Level = depth === 2 ? "h2" : "h3";
  return (
    <Level id={id} className={depth === 2 ? "mt-5 text-xl" : "mt-3 text-lg"}>
      {drawInline(tokens, drawing)}
      <HeadingLink id={id ?? ""} what={plainText(tokens)} />
    </Level>
  );
}

/** The pictures of docs/, by the file that Markdown names. The files are made of the same components. */
const PICTURES = new Map([["pictures/states.svg", StatesPicture]]);

/** A paragraph, or the picture that it consists of; of a picture that is not known, its text. */
function Paragraph({ tokens, drawing }: { tokens: readonly Token[]; drawing: Drawing }) {
  const [image, ...others] = tokens;
  if (image?.type !== "image" || others.length > 0) return <p>{drawInline(tokens, drawing)}</p>;
  const Picture = PICTURES.get(image.href);
  if (Picture === undefined) return <p>{image.text}</p>;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls
    <div
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
      tabIndex={0}
      role="group"
      aria-label="Diagram"
      className="min-w-0 overflow-x-auto rounded-lg border border-line bg-surface p-4"
    >
      <Picture alt={image.text} />
    </div>
  );
}

function Code({ code }: { code: Tokens.Code }) {
  const { label, code: pieces } = fence(code);
  return <CodeBlock title={label} what={`${label} example`} code={pieces} />;
}

const LANGUAGES = new Map<string, string>(
  Object.entries({ sh: "Terminal", js: "JavaScript", ts: "TypeScript", py: "Python", json: "JSON", sql: "SQL" }),
);

/** A fence, named by its title or its language. */
function fence({ lang = "", text }: Tokens.Code) {
  const [language = "", ...title] = lang.split(" ");
  return { label: title.join(" ") || LANGUAGES.get(language) || "Text", code: highlightCode(language, text) };
}

function List({ list, drawing }: { list: Tokens.List; drawing: Drawing }) {
  const Kind = list.ordered ? "ol" : "ul";
  return (
    <Kind className={`grid gap-2 pl-5 ${list.ordered ? "list-decimal" : "list-disc marker:text-ink-muted"}`}>
      {list.items.map((item) => (
        <li key={item.raw} className="pl-1">
          {drawBlocks(item.tokens, drawing)}
        </li>
      ))}
    </Kind>
  );
}

function DocTable({ table, drawing }: { table: Tokens.Table; drawing: Drawing }) {
  const caption = table.header.map(({ text }) => text.replaceAll("`", "")).join(", ");
  return (
    <div className="min-w-0 rounded-lg border border-line bg-surface">
      <Table caption={caption}>
        <TableHead>
          {table.header.map((cell) => (
            <th
              key={cell.text}
              scope="col"
              className="border-line border-b px-3 py-2 text-left font-normal text-ink-muted text-xs first:pl-4 last:pr-4"
            >
              {drawInline(cell.tokens, drawing)}
            </th>
          ))}
        </TableHead>
        <tbody>
          {table.rows.map((row) => (
            <tr key={row.map(({ text }) => text).join()} className="border-line border-b last:border-b-0">
              {row.map((cell, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the columns of one text never move
                <td key={at} className="wrap-break-word min-w-24 px-3 py-2 align-top first:pl-4 last:pr-4">
                  {drawCell(cell.tokens, drawing)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </Table>
    </div>
  );
}

/** A link that is all of a cell is no link in text: it needs a target of its own size. */
function drawCell(tokens: readonly Token[], drawing: Drawing): ReactNode {
  const [link, ...others] = tokens;
  const href = link?.type === "link" && others.length === 0 ? drawing.linkTo(link.href) : null;
  if (href === null) return drawInline(tokens, drawing);
  return (
    <TextLink standalone href={href}>
      {drawInline((link as Tokens.Link).tokens, drawing)}
    </TextLink>
  );
}

function drawInline(tokens: readonly Token[] = [], drawing: Drawing): ReactNode {
  return tokens.map((token, at) => {
    const span = drawSpan(token, drawing);
    // biome-ignore lint/suspicious/noArrayIndexKey: the tokens of one text never move
    return typeof span === "string" ? span : <Fragment key={at}>{span}</Fragment>;
  });
}

function drawSpan(token: Token, drawing: Drawing): ReactNode {
  switch (token.type) {
    case "text":
      return "tokens" in token && token.tokens ? drawInline(token.tokens, drawing) : token.text;
    case "escape":
      return token.text;
    case "strong":
      return <strong className="font-medium">{drawInline(token.tokens, drawing)}</strong>;
    case "em":
      return <em>{drawInline(token.tokens, drawing)}</em>;
    case "codespan":
      return drawing.hasOwnCode ? <code>{token.text}</code> : <InlineCode>{token.text}</InlineCode>;
    case "br":
      return <br />;
    case "link": {
      const href = drawing.linkTo(token.href);
      const label = drawInline(token.tokens, drawing);
      return href === null ? label : <TextLink href={href}>{label}</TextLink>;
    }
    default:
      return token.raw;
  }
}

/** Code within a sentence. */
export function InlineCode({ children }: { children: ReactNode }) {
  return <code className="inline-code">{children}</code>;
}
