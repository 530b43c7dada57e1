"use client";

import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from "react";
import type { Environment } from "#domain/environment.ts";
import type { Command } from "./commands.ts";
import { MODAL } from "./modal-mark.ts";
import { isSingleKey } from "./single-keys.ts";

const CommandPalette = lazy(() => import("./command-palette.tsx"));
const ShortcutList = lazy(() => import("./shortcut-list.tsx"));

/**
 * The button of the command palette, and the keyboard shortcuts of a dashboard page: Ctrl or ⌘ K opens the palette, `/`
 * goes to the search field, `n` to the form of a new schedule, `?` lists them. The dialogs load when they are first opened.
 */
export function Shortcuts({
  commands,
  env,
  newHref,
  icon,
}: {
  commands: readonly Command[];
  env: Environment;
  newHref: string;
  icon: ReactNode;
}) {
  const [open, setOpen] = useState<Opened | null>(null);
  const isLoading = useRef(false);
  const [isMac, setMac] = useState(false);
  useEffect(() => setMac(/Mac|iP(hone|ad|od)/.test(navigator.userAgent)), []);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const act = actOf(event);
      // What is typed before the dialog has loaded is meant for it.
      const isForDialog = isLoading.current && document.querySelector(`dialog[${MODAL}]`) === null;
      if (act === null || (isForDialog && !event.ctrlKey && !event.metaKey)) return;
      event.preventDefault();
      if (act === "new") location.assign(newHref);
      else if (act === "search") focusSearch() || setOpen(opening("palette"));
      else setOpen(opening(act));
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [newHref]);
  isLoading.current = open !== null;
  // The close event comes later: a key pressed meanwhile may have opened another dialog.
  const close = () => setOpen((current) => (current === open ? null : current));
  return (
    <>
      <button
        type="button"
        aria-keyshortcuts="Control+K Meta+K"
        aria-haspopup="dialog"
        onClick={() => setOpen(opening("palette"))}
        className="inline-flex min-h-7.5 cursor-pointer items-center justify-center gap-2 rounded-md border border-line bg-surface px-2 text-ink-muted text-xs hover:border-line-hover hover:text-ink lg:justify-start noscript:hidden"
      >
        {icon}
        <span className="max-lg:sr-only">Go to or search</span>
        <span aria-hidden="true" className="ml-auto hidden font-sans text-2xs lg:inline">
          {isMac ? "⌘" : "Ctrl"} K
        </span>
      </button>
      <Suspense fallback={null}>
        {open?.dialog === "palette" && (
          <CommandPalette
            key={open.nth}
            commands={commands}
            env={env}
            newHref={newHref}
            onList={() => setOpen(opening("list"))}
            onClose={close}
          />
        )}
        {open?.dialog === "list" && <ShortcutList key={open.nth} isMac={isMac} onClose={close} />}
      </Suspense>
    </>
  );
}

type Opened = { dialog: "palette" | "list"; nth: number };

let openings = 0;

/** A dialog to open: a new object each time, even while the previous one of its kind is still closing. */
function opening(dialog: Opened["dialog"]): Opened {
  return { dialog, nth: ++openings };
}

function actOf(event: KeyboardEvent): "palette" | "list" | "search" | "new" | null {
  const isCommand = event.ctrlKey !== event.metaKey;
  if (isCommand) {
    const isFree = !event.isComposing && !event.altKey && !event.shiftKey && !document.querySelector("dialog[open]");
    return isFree && event.key.toLowerCase() === "k" ? "palette" : null;
  }
  if (event.repeat || !isSingleKey(event)) return null;
  return ({ "/": "search", "?": "list", n: "new" } as const)[event.key] ?? null;
}

/** Focuses the search field of the page; false when it has none. */
function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('main input[type="search"], main input[name="q"]');
  field?.focus();
  field?.select();
  return field !== null;
}
