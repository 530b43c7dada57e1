"use client";

import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import type { Environment } from "#domain/environment.ts";
import { type Command, findCommands } from "./commands.ts";
import { copy } from "./copy-to-clipboard.ts";
import { Modal } from "./modal.tsx";
import { type Finding, useFound } from "./use-found.ts";

const LIST_SHORTCUTS = "shortcuts";

/** A dialog to find a page, an action or a search by typing. Arrow keys select, Enter runs. */
export default function CommandPalette({
  commands,
  env,
  newHref,
  onList,
  onClose,
}: {
  commands: readonly Command[];
  env: Environment;
  newHref: string;
  onList: () => void;
  onClose: () => void;
}) {
  const id = useId();
  const [typed, setTyped] = useState("");
  // By name, since what the server finds comes later and moves the others.
  const [chosen, setChosen] = useState<string | null>(null);
  const [copied, setCopied] = useState<boolean | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const [all] = useState(() => [
    ...commands.filter(isHere),
    { group: "Help", label: "Keyboard shortcuts", press: LIST_SHORTCUTS },
  ]);
  const finding = useFound(typed, env);
  const found = findCommands(all, typed, newHref, finding.state === "found" ? finding.commands : undefined);
  const at = Math.max(
    found.findIndex((command) => nameOf(command) === chosen),
    0,
  );

  useEffect(() => {
    list.current?.querySelector(`[id="${id}-${at}"]`)?.scrollIntoView({ block: "nearest" });
  }, [at, id]);

  const choose = (next: number) => setChosen(found[next] ? nameOf(found[next]) : null);
  const act = async (command: Command | undefined) => {
    if (command === undefined) return;
    if ("copy" in command) return setCopied(await copy(command.copy));
    if ("press" in command && command.press === LIST_SHORTCUTS) return onList();
    onClose();
    if ("press" in command) document.getElementById(command.press)?.click();
    else location.assign(command.href);
  };
  const press = (event: KeyboardEvent) => {
    const moves = new Map(Object.entries({ ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: found.length - 1 }));
    const next = moves.get(event.key);
    if (event.key === "Enter" && !event.nativeEvent.isComposing) void act(found[at]);
    else if (next !== undefined && found.length > 0) choose((next + found.length) % found.length);
    else return;
    event.preventDefault();
  };
  const words =
    copied === null ? wordsOf(finding, found.length) : { isShown: true, text: copied ? "Copied." : NOT_COPIED };
  return (
    <Modal label="Commands" onClose={onClose}>
      <div className="grid max-h-[inherit] grid-rows-[auto_minmax(0,1fr)_auto]">
        <input
          role="combobox"
          aria-label="Go to or search"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={found.length > 0 ? `${id}-${at}` : undefined}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          placeholder="A page, an action, a URL, an id or an idempotency key"
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            setChosen(null);
            setCopied(null);
          }}
          onKeyDown={press}
          className="min-h-12 w-full border-line border-b bg-transparent px-4 text-base placeholder:text-ink-muted focus-visible:-outline-offset-2"
        />
        <div
          ref={list}
          id={`${id}-list`}
          role="listbox"
          aria-label="Commands"
          tabIndex={-1}
          className="overflow-y-auto p-1.5"
        >
          {found.map((command, index) => (
            <button
              role="option"
              type="button"
              key={nameOf(command)}
              id={`${id}-${index}`}
              aria-selected={index === at}
              tabIndex={-1}
              onClick={() => void act(command)}
              onPointerMove={() => index !== at && choose(index)}
              className="flex min-h-9 w-full cursor-pointer items-center gap-x-3 rounded-md px-2.5 text-left text-sm max-sm:flex-wrap max-sm:py-1 aria-selected:bg-chosen"
            >
              <span className="wrap-anywhere min-w-0">{command.label}</span>
              <span className="ml-auto shrink-0 text-ink-muted text-xs">{command.group}</span>
            </button>
          ))}
        </div>
        <p role="status" className={words.isShown ? "border-line border-t px-4 py-2 text-ink-soft text-xs" : "sr-only"}>
          {words.text}
        </p>
      </div>
    </Modal>
  );
}

const NOT_COPIED = "Not copied: the browser did not allow it.";

const nameOf = (command: Command) =>
  [command.label, "href" in command ? command.href : "press" in command ? command.press : command.copy].join(" ");

/** Whether the page has the element of a command. */
const isHere = (command: Command) => !("press" in command) || document.getElementById(command.press) !== null;

function wordsOf(finding: Finding, count: number): { text: string; isShown: boolean } {
  const counted = count === 0 ? "Nothing matches." : `${count} found`;
  switch (finding.state) {
    case "idle":
      return { text: counted, isShown: count === 0 };
    case "searching":
      return { text: "Searching schedules…", isShown: true };
    case "failed":
      return { text: "Schedules could not be searched now.", isShown: true };
    case "found":
      if (finding.schedules > 0) return { text: counted, isShown: false };
      return { text: "No schedule has this in its URL, or as its id or idempotency key.", isShown: true };
  }
}
