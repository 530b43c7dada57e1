import { useId } from "react";
import type { CodePiece } from "./code-piece.ts";
import { CodePieces } from "./code-pieces.tsx";
import { Copy } from "./copy.tsx";

export type CodeSample = {
  /** Names the tab, such as "curl". */
  label: string;
  code: CodePiece | readonly CodePiece[];
  /** The text to copy if it differs from the code. */
  copied?: string;
};

/**
 * The same code in several languages, at most five, one tab each. The tabs are radio buttons that the style sheet reads,
 * so they work without scripts. `what` names the code for screen readers.
 */
export function CodeTabs({ what, samples }: { what: string; samples: readonly CodeSample[] }) {
  const name = useId();
  return (
    <div
      className={`min-w-0 overflow-hidden rounded-lg border border-line bg-surface ${SHOWN.slice(0, samples.length).join(" ")}`}
    >
      <div className="flex min-h-9 items-center gap-2 border-line border-b pr-1.5 pl-1.5">
        <fieldset className="fade-end min-w-0 flex-1 overflow-x-auto">
          <legend className="sr-only">{what}</legend>
          <div className="flex min-h-9 w-max items-stretch">
            {samples.map(({ label }, at) => (
              <label key={label} className="code-tab">
                <input
                  type="radio"
                  // Belongs to no form: Enter would send the one that the tabs are in.
                  form=""
                  name={name}
                  data-tab={at}
                  defaultChecked={at === 0}
                  autoComplete="off"
                  className="absolute inset-0 cursor-pointer opacity-0"
                />
                {label}
              </label>
            ))}
          </div>
        </fieldset>
        {samples.map(({ label, copied }, at) => (
          <span key={label} data-pane={at} className="hidden">
            <Copy text={copied ?? { id: `${name}${at}` }} what={`${what}, ${label}`} />
          </span>
        ))}
      </div>
      {samples.map(({ label, code }, at) => (
        <div key={label} data-pane={at} className="hidden">
          {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls */}
          <pre
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
            tabIndex={0}
            role="group"
            aria-label={`${what}, ${label}`}
            className="code-pane"
          >
            <code id={`${name}${at}`} className="text-[length:inherit]">
              <CodePieces of={code} />
            </code>
          </pre>
        </div>
      ))}
    </div>
  );
}

const SHOWN = [
  "has-[[data-tab='0']:checked]:[&_[data-pane='0']]:block",
  "has-[[data-tab='1']:checked]:[&_[data-pane='1']]:block",
  "has-[[data-tab='2']:checked]:[&_[data-pane='2']]:block",
  "has-[[data-tab='3']:checked]:[&_[data-pane='3']]:block",
  "has-[[data-tab='4']:checked]:[&_[data-pane='4']]:block",
];
