const STORED = "single-keys";

/** Whether single-key shortcuts are on in this browser. */
export function areSingleKeysOn(): boolean {
  try {
    return localStorage.getItem(STORED) !== "off";
  } catch {
    return true;
  }
}

/** Turns single-key shortcuts on or off in this browser. */
export function setSingleKeys(isOn: boolean): void {
  try {
    if (isOn) localStorage.removeItem(STORED);
    else localStorage.setItem(STORED, "off");
  } catch {
    // Without storage they stay on.
  }
}

/**
 * Whether a key press is a shortcut of a single key: these are on, and there is no modifier but Shift, nothing that is typed
 * into, and no open dialog. A box that is ticked takes no letters.
 */
export function isSingleKey(event: KeyboardEvent): boolean {
  const hasModifier = event.ctrlKey || event.metaKey || event.altKey;
  if (hasModifier || event.isComposing || event.defaultPrevented) return false;
  return !document.querySelector("dialog[open]") && !isTyping(event.target) && areSingleKeysOn();
}

// A dialog that was just closed keeps the focus until the next frame.
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.matches("input:not([type=checkbox]), textarea, select, [contenteditable]") &&
    target.closest("dialog:not([open])") === null
  );
}
