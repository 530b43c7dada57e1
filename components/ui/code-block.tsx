import { useId } from "react";
import type { CodePiece } from "./code-piece.ts";
import { CodePieces } from "./code-pieces.tsx";
import { Copy } from "./copy.tsx";

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
          <CodePieces of={code} />
        </code>
      </pre>
    </div>
  );
}
