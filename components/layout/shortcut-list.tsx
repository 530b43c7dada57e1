"use client";

import { useState } from "react";
import { Modal } from "./modal.tsx";
import { areSingleKeysOn, setSingleKeys } from "./single-keys.ts";

/** A dialog with all keyboard shortcuts, and a switch for the single-key ones. */
export default function ShortcutList({ isMac, onClose }: { isMac: boolean; onClose: () => void }) {
  const [isOn, setOn] = useState(areSingleKeysOn);
  const shortcuts = [
    { keys: `${isMac ? "⌘" : "Ctrl"} K`, does: "Open the commands" },
    { keys: "/", does: "Go to the search field", isSingle: true },
    { keys: "n", does: "New schedule", isSingle: true },
    { keys: "j k", does: "Next or previous row of a list", isSingle: true },
    { keys: "Enter", does: "Open the row" },
    { keys: "x", does: "Select the row, or no longer", isSingle: true },
    { keys: "Shift x", does: "Select from the last one to this row, as a click with Shift does", isSingle: true },
    { keys: "?", does: "List the shortcuts", isSingle: true },
    { keys: "Esc", does: "Close what is open" },
  ];
  return (
    <Modal label="Keyboard shortcuts" onClose={onClose}>
      <div className="grid gap-3 p-5">
        <div className="flex items-center justify-between gap-4">
          <h2 className="text-lg">Keyboard shortcuts</h2>
          <button
            type="button"
            onClick={onClose}
            className="min-h-8 cursor-pointer rounded-md border border-line px-3 font-medium text-sm hover:bg-hover"
          >
            Close
          </button>
        </div>
        <dl className="grid text-sm">
          {shortcuts.map(({ keys, does, isSingle }) => (
            <div key={keys} className="flex items-center gap-3 border-line border-b py-2 last:border-b-0">
              <dt className="w-20 shrink-0">
                <kbd className="rounded-sm border border-line bg-sunken px-1.5 py-0.5 font-mono text-xs">{keys}</kbd>
              </dt>
              <dd className="text-ink-soft">
                {does}
                {isSingle && !isOn && " (off)"}
              </dd>
            </div>
          ))}
        </dl>
        <label className="flex min-h-6 cursor-pointer items-center gap-2 text-sm">
          <input
            type="checkbox"
            checked={isOn}
            onChange={({ target }) => {
              setSingleKeys(target.checked);
              setOn(target.checked);
            }}
            className="size-4 accent-accent"
          />
          Shortcuts of a single key, in this browser
        </label>
      </div>
    </Modal>
  );
}
