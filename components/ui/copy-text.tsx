import { Copy } from "lucide";
import { Icon } from "./icon.tsx";

/** Copies `of`: a text, or the text of the element with that id. The script of the page does it (`page-behaviour.ts`). */
export function CopyText({ of, label }: { of: string | { id: string }; label: string }) {
  const copied = typeof of === "string" ? { "data-copy": of } : { "data-copy-from": of.id };
  return (
    <>
      <button type="button" aria-label={label} title={label} className="copy-button" {...copied}>
        <Icon of={Copy} small />
      </button>
      <span role="status" className="copy-status" />
    </>
  );
}
