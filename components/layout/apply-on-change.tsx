"use client";

import { useRouter } from "next/navigation";
import { useEffect, useRef, useState } from "react";
import { formatCount } from "../format/number.ts";

/**
 * Applies the filter form that it stands in as soon as a field has changed, in place of a press on its button: renders the page
 * anew at the address of the filters, keeps focus and place, and says to screen readers how much matches. Each applied filter is
 * one step of the back button, which takes the fields back, too. A text field has changed when it is left, or by Enter.
 */
export function ApplyOnChange({ total, isCapped, what }: { total: number; isCapped: boolean; what: string }) {
  const router = useRouter();
  const place = useRef<HTMLSpanElement>(null);
  const [hasApplied, setApplied] = useState(false);

  useEffect(() => {
    const form = place.current?.closest("form");
    if (!form) return;
    const listeners = new AbortController();
    const apply = () => {
      const address = addressOf(form);
      if (address === location.pathname + location.search) return;
      setApplied(true);
      router.push(address, { scroll: false });
    };
    form.addEventListener("change", apply, { signal: listeners.signal });
    form.addEventListener(
      "submit",
      (event) => {
        event.preventDefault();
        apply();
      },
      { signal: listeners.signal },
    );
    const shown = new MutationObserver((changes) => {
      for (const { target } of changes) showFilter(target);
    });
    // What React changes when the page at another address takes the place of this one. It leaves the fields as they are.
    shown.observe(form, { subtree: true, attributeFilter: ["data-value", "value"] });
    return () => {
      listeners.abort();
      shown.disconnect();
    };
  }, [router]);

  return (
    <span ref={place} role="status" className="sr-only">
      {hasApplied && `${isCapped ? "more than " : ""}${formatCount(total)} ${total === 1 ? what : `${what}s`}`}
    </span>
  );
}

/** The address that the form asks for, without its empty fields. */
function addressOf(form: HTMLFormElement): string {
  const filled = [...new FormData(form)].flatMap(([name, value]) =>
    typeof value === "string" && value !== "" ? [[name, value]] : [],
  );
  const query = new URLSearchParams(filled).toString();
  return new URL(form.action).pathname + (query && `?${query}`);
}

/** Has a field show the filter of the page. What is being typed stays. */
function showFilter(field: Node): void {
  if (field instanceof HTMLSelectElement) field.value = field.dataset.value ?? "";
  if (field instanceof HTMLInputElement && field !== document.activeElement) field.value = field.defaultValue;
}
