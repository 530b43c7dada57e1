"use client";

import { type ReactNode, useEffect, useRef, useState } from "react";

/** The number of ticked boxes in the surrounding form; `ticked` is the number that the server rendered. */
function useTicked(ticked: number) {
  const [count, setCount] = useState(ticked);
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    const form = place.current?.closest("form");
    if (!form) return;
    const look = () => setCount(boxesOf(form).filter(({ checked }) => checked).length);
    look();
    form.addEventListener("change", look);
    // Rows come and go when the list is refreshed.
    const rows = new MutationObserver(look);
    rows.observe(form, { childList: true, subtree: true });
    return () => {
      form.removeEventListener("change", look);
      rows.disconnect();
    };
  }, []);
  return { count, place };
}

const boxesOf = (form: HTMLFormElement) => [...form.querySelectorAll<HTMLInputElement>('input[name="id"]')];

/** The number of selected rows, announced when it changes. Empty without scripts. */
export function SelectionCount({ ticked }: { ticked: number }) {
  const { count, place } = useTicked(ticked);
  return (
    <b ref={place} role="status" className="font-medium noscript:hidden">
      {count} selected
    </b>
  );
}

/** The number of selected rows for the label of a button; "selected" without scripts. */
export function SelectedNumber({ ticked }: { ticked: number }) {
  const { count, place } = useTicked(ticked);
  return (
    <>
      <span ref={place} className="noscript:hidden">
        {count}
      </span>
      <span className="hidden noscript:inline">selected</span>
    </>
  );
}

/** The box in the table's head that ticks all rows of the page, or none. */
export function SelectPage({ rows, ticked }: { rows: number; ticked: number }) {
  const { count, place } = useTicked(ticked);
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (box.current) box.current.indeterminate = count > 0 && count < rows;
  }, [count, rows]);
  return (
    <span ref={place} className="noscript:hidden">
      <label className="-m-1 inline-flex size-6 cursor-pointer items-center justify-center align-middle">
        <input
          ref={box}
          type="checkbox"
          aria-label="Select this page"
          className="size-4 accent-accent"
          checked={rows > 0 && count === rows}
          onChange={({ target }) => {
            const form = target.closest("form");
            if (!form) return;
            for (const one of boxesOf(form)) one.checked = target.checked;
            form.dispatchEvent(new Event("change"));
          }}
        />
      </label>
    </span>
  );
}

/** A button that clears the selection. */
export function ClearSelection({ className, children }: { className: string; children: ReactNode }) {
  return (
    <button
      type="button"
      aria-label="Clear selection"
      title="Clear selection"
      className={className}
      onClick={({ currentTarget }) => {
        const form = currentTarget.closest("form");
        if (!form) return;
        for (const one of boxesOf(form)) one.checked = false;
        form.dispatchEvent(new Event("change"));
      }}
    >
      {children}
    </button>
  );
}
