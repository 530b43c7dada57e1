import { CopyText } from "./copy-text.tsx";

/**
 * A small copy button for `text`, or for what the element with the id of `text` holds; `what` completes its label ("Copy
 * curl command"). Hidden without scripts.
 */
export function Copy({ text, what }: { text: string | { id: string }; what: string }) {
  return <CopyText of={text} label={`Copy ${what}`} />;
}
