"use client";

import { type ReactNode, useEffect, useRef, useState } from "react";

/** The number of ticked boxes in the surrounding form that match; `ticked` is the number that the server rendered. */
function useTicked(ticked: number, match = "input") {
  const [seen, setSeen] = useState({ count: ticked, isAll: false });
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    const form = place.current?.closest("form");
    if (!form) return;
    const look = () => {
      const count = boxesOf(form).filter((box) => box.checked && box.matches(match)).length;
      setSeen({ count, isAll: allBoxOf(form)?.checked ?? false });
    };
    look();
    form.addEventListener("change", look);
    // Rows come and go when the list is refreshed.
    const rows = new MutationObserver(look);
    rows.observe(form, { childList: true, subtree: true });
    return () => {
      form.removeEventListener("change", look);
      rows.disconnect();
    };
  }, [match]);
  return { ...seen, place };
}

const boxesOf = (form: HTMLFormElement) => [...form.querySelectorAll<HTMLInputElement>('input[name="id"]')];
const allBoxOf = (form: HTMLFormElement) => form.querySelector<HTMLInputElement>('input[name="all"]');

/**
 * The number of selected rows, or `all` in words while all that match are selected. Announced when it changes. Empty without
 * scripts.
 */
export function SelectionCount({ ticked, all }: { ticked: number; all: string }) {
  const { count, isAll, place } = useTicked(ticked);
  return (
    <b ref={place} role="status" className="font-medium noscript:hidden">
      {isAll ? all : count} selected
    </b>
  );
}

/**
 * The number of selected rows for the label of a button, of those alone that can be cancelled with `isCancel`, or `all` in words
 * while all that match are selected; "selected" without scripts.
 */
export function SelectedNumber({ ticked, isCancel, all }: { ticked: number; isCancel?: boolean; all: string }) {
  const { count, isAll, place } = useTicked(ticked, isCancel ? "[data-cancellable]" : "input");
  return (
    <>
      <span ref={place} className="noscript:hidden">
        {isAll ? all : count}
      </span>
      <span className="hidden noscript:inline">selected</span>
    </>
  );
}

/** The box that selects all schedules that match beyond the rows of the page. It is ticked only while all of these are. */
export function SelectAll({ children }: { children: ReactNode }) {
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const form = box.current?.form;
    // Before the counts look.
    const look = () => {
      if (form && box.current && boxesOf(form).some(({ checked }) => !checked)) box.current.checked = false;
    };
    form?.addEventListener("change", look, { capture: true });
    return () => form?.removeEventListener("change", look, { capture: true });
  }, []);
  return (
    <label className="hidden min-h-6.5 cursor-pointer items-center gap-1.5 noscript:inline-flex [form:not(:has([name=id]:not(:checked)))_&]:inline-flex">
      <input ref={box} type="checkbox" name="all" value="1" className="size-4 accent-accent" />
      {children}
    </label>
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
