import { useId } from "react";
import { Copy } from "./copy.tsx";

/** The style of a piece of code: plain, user input, comment, or the requested instant. */
export type CodePiece = string | { text: string; as: "text" | "comment" | "instant" };

const LOOKS = { text: "text-ink-soft", comment: "text-ink-muted", instant: "font-medium text-accent" };

/** A code block with a title and a copy button. `copied` is the text to copy if it differs from the code. */
export function CodeBlock({
  title,
  what,
  code,
  copied,
}: {
  title: string;
  what: string;
  code: CodePiece | readonly CodePiece[];
  copied?: string;
}) {
  const id = useId();
  const pieces = Array.isArray(code) ? (code as readonly CodePiece[]) : [code as CodePiece];
  return (
    <div className="min-w-0 overflow-hidden rounded-lg border border-line bg-surface">
      <div className="flex min-h-9 items-center gap-2 border-line border-b py-1 pr-1.5 pl-3.5 text-ink-muted text-xs">
        <span className="flex-1">{title}</span>
        <Copy text={copied ?? { id }} what={what} />
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls */}
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
        tabIndex={0}
        role="group"
        aria-label={what}
        className="code-pane"
      >
        <code id={id} className="text-[length:inherit]">
          {pieces.map((piece, at) =>
            typeof piece === "string" ? (
              piece
            ) : (
              // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text never move
              <span key={at} className={LOOKS[piece.as]}>
                {piece.text}
              </span>
            ),
          )}
        </code>
      </pre>
    </div>
  );
}
