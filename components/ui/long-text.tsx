import { formatCount } from "../format/number.ts";

/** Longer texts are cut, characters. */
const WHOLE_MAX = 300;
const SHOWN = 160;

/** A text that breaks anywhere, such as a URL. A long one is cut, and shown in full by native `<details>`. */
export function LongText({ text }: { text: string }) {
  if (text.length <= WHOLE_MAX) return <span className="wrap-anywhere">{text}</span>;
  return (
    <details className="group/long wrap-anywhere">
      <summary className="cursor-pointer list-none [&::-webkit-details-marker]:hidden">
        <span className="group-open/long:hidden">{text.slice(0, SHOWN)}…</span>
        <span className="flex min-h-6 w-fit items-center text-accent text-xs hover:underline group-open/long:hidden">
          Show all {formatCount(text.length)} characters
        </span>
        <span className="flex min-h-6 w-fit items-center text-accent text-xs hover:underline not-group-open/long:hidden">
          Show less
        </span>
      </summary>
      {text}
    </details>
  );
}
