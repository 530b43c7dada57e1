import { CopyText } from "./copy-text.tsx";

/**
 * A small copy button for a text, or for the text of an element by its id. `what` completes the label ("Copy curl
 * command"). Hidden without scripts.
 */
export function Copy({ text, what }: { text: string | { id: string }; what: string }) {
  return <CopyText of={text} label={`Copy ${what}`} />;
}
