"use client";

import { Check, Copy } from "lucide";
import { useRef, useState } from "react";
import { Icon } from "./icon.tsx";

const SHOWN_MS = 2_000;

/** Copies `of`: a text, or the text of the element with that id. */
export function CopyText({ of, label }: { of: string | { id: string }; label: string }) {
  const [said, setSaid] = useState<"" | "Copied" | "Not copied: select it and press Ctrl C">("");
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  return (
    <>
      <button
        type="button"
        aria-label={label}
        title={label}
        className="copy-button"
        onClick={async () => {
          const isCopied = await copy(
            typeof of === "string" ? of : (document.getElementById(of.id)?.textContent ?? ""),
          );
          setSaid(isCopied ? "Copied" : "Not copied: select it and press Ctrl C");
          clearTimeout(timer.current);
          timer.current = setTimeout(() => setSaid(""), SHOWN_MS);
        }}
      >
        {said === "Copied" ? <Icon of={Check} small className="text-ok" /> : <Icon of={Copy} small />}
      </button>
      <span role="status" className={said.startsWith("Not") ? "text-bad text-xs" : "sr-only"}>
        {said}
      </span>
    </>
  );
}

/** Falls back to execCommand over plain http, where browsers disable the clipboard API. */
async function copy(text: string): Promise<boolean> {
  try {
    if (navigator.clipboard) {
      await navigator.clipboard.writeText(text);
      return true;
    }
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "sr-only";
    document.body.append(area);
    area.select();
    const isCopied = document.execCommand("copy");
    area.remove();
    return isCopied;
  } catch {
    return false;
  }
}
