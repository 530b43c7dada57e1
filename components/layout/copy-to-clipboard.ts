/**
 * Copies a text, from an open dialog too; false when it could not. Falls back to execCommand over plain http, where browsers
 * disable the clipboard API.
 */
export async function copy(text: string): Promise<boolean> {
  try {
    if (navigator.clipboard) {
      await navigator.clipboard.writeText(text);
      return true;
    }
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "sr-only";
    // What is outside of a modal dialog takes no focus.
    (document.querySelector("dialog[open]") ?? document.body).append(area);
    area.select();
    const isCopied = document.execCommand("copy");
    area.remove();
    return isCopied;
  } catch {
    return false;
  }
}
