const STORED = "single-keys";

/** Whether shortcuts of a single key are on, as this browser remembers it. */
export function areSingleKeysOn(): boolean {
  try {
    return localStorage.getItem(STORED) !== "off";
  } catch {
    return true;
  }
}

/** Turns shortcuts of a single key on or off in this browser. */
export function setSingleKeys(isOn: boolean): void {
  try {
    if (isOn) localStorage.removeItem(STORED);
    else localStorage.setItem(STORED, "off");
  } catch {
    // A browser that stores nothing keeps them on.
  }
}
