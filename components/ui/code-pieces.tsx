import type { CodePiece, CodeStyle } from "./code-piece.ts";

const LOOKS: Record<CodeStyle, string> = {
  comment: "text-ink-muted",
  instant: "font-medium text-accent",
  keyword: "text-code-keyword",
  string: "text-code-string",
  number: "text-code-number",
  name: "text-code-name",
};

/** Code in its styles. */
export function CodePieces({ of: code }: { of: CodePiece | readonly CodePiece[] }) {
  const pieces = Array.isArray(code) ? (code as readonly CodePiece[]) : [code as CodePiece];
  return pieces.map((piece, at) =>
    typeof piece === "string" ? (
      piece
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text never move
      <span key={at} className={LOOKS[piece.as]}>
        {piece.text}
      </span>
    ),
  );
}
