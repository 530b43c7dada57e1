"use client";

import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { type Command, findCommands } from "./commands.ts";
import { Modal } from "./modal.tsx";

const LIST_SHORTCUTS = "shortcuts";

/** A dialog to find a page, an action or a search by typing. Arrow keys select, Enter runs. */
export default function CommandPalette({
  commands,
  newHref,
  onList,
  onClose,
}: {
  commands: readonly Command[];
  newHref: string;
  onList: () => void;
  onClose: () => void;
}) {
  const id = useId();
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const all = [...commands, { group: "Help", label: "Keyboard shortcuts", press: LIST_SHORTCUTS }];
  const found = findCommands(all, typed, newHref);
  const at = Math.min(chosen, Math.max(found.length - 1, 0));

  useEffect(() => {
    list.current?.querySelector(`[id="${id}-${at}"]`)?.scrollIntoView({ block: "nearest" });
  }, [at, id]);

  const act = (command: Command | undefined) => {
    if (command === undefined) return;
    if ("press" in command && command.press === LIST_SHORTCUTS) return onList();
    onClose();
    if ("press" in command) document.getElementById(command.press)?.click();
    else location.assign(command.href);
  };
  const press = (event: KeyboardEvent) => {
    const moves = new Map(Object.entries({ ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: found.length - 1 }));
    const next = moves.get(event.key);
    if (event.key === "Enter" && !event.nativeEvent.isComposing) act(found[at]);
    else if (next !== undefined && found.length > 0) setChosen((next + found.length) % found.length);
    else return;
    event.preventDefault();
  };
  return (
    <Modal label="Commands" onClose={onClose}>
      <div className="grid max-h-[inherit] grid-rows-[auto_minmax(0,1fr)]">
        <input
          role="combobox"
          aria-label="Go to or search"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={found.length > 0 ? `${id}-${at}` : undefined}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          placeholder="A page, an action, part of a URL or a schedule’s id"
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            setChosen(0);
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
              key={`${command.group} ${command.label}`}
              id={`${id}-${index}`}
              aria-selected={index === at}
              tabIndex={-1}
              onClick={() => act(command)}
              onPointerMove={() => index !== at && setChosen(index)}
              className="flex min-h-9 w-full cursor-pointer items-center gap-3 rounded-md px-2.5 text-left text-sm aria-selected:bg-chosen"
            >
              <span className="wrap-anywhere min-w-0">{command.label}</span>
              <span className="ml-auto shrink-0 text-ink-muted text-xs">{command.group}</span>
            </button>
          ))}
        </div>
        <p role="status" className={found.length === 0 ? "px-4 pb-4 text-ink-soft text-sm" : "sr-only"}>
          {found.length === 0 ? "Nothing matches." : `${found.length} found`}
        </p>
      </div>
    </Modal>
  );
}
