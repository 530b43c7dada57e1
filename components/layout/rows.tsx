"use client";

import { useEffect } from "react";
import { isSingleKey } from "./single-keys.ts";

/**
 * Makes the rows of lists work as a whole: a press anywhere in a row is one on its link (`row-link`), with its modifier keys; `j`
 * and `k` go from row to row, `x` ticks the row's box, and Shift ticks all boxes from the last one on. Renders nothing.
 */
export function Rows() {
  useEffect(() => {
    let last: HTMLInputElement | null = null;
    const click = (event: MouseEvent) => {
      const box = boxOf(event.target);
      if (box === null) return openRow(event);
      if (event.shiftKey && last !== null) tickBetween(last, box);
      last = box;
    };
    const listeners = { click, auxclick: openRow, mousedown: keepFromSelecting, keydown: pressKey };
    const all = Object.entries(listeners) as [string, EventListener][];
    for (const [name, listen] of all) document.addEventListener(name, listen);
    return () => {
      for (const [name, listen] of all) document.removeEventListener(name, listen);
    };
  }, []);
  return null;
}

const BOX = "tr input[type=checkbox][name]";

/** The box of a row that an event is on. */
function boxOf(target: EventTarget | null): HTMLInputElement | null {
  return target instanceof HTMLInputElement && target.matches(BOX) ? target : null;
}

/** The link of the row that `target` is in, unless `target` is something else to press. */
function linkUnder(target: EventTarget | null): HTMLAnchorElement | null {
  if (!(target instanceof Element) || target.closest("a, button, input, label, select, summary, [popover]"))
    return null;
  return target.closest("tr")?.querySelector<HTMLAnchorElement>("a.row-link") ?? null;
}

function openRow(event: MouseEvent): void {
  const link = linkUnder(event.target);
  if (link === null || event.button > 1 || getSelection()?.isCollapsed === false) return;
  const { ctrlKey, metaKey, shiftKey, altKey } = event;
  // The browser follows a made click as it would a real one, but for the middle button.
  if (event.button === 1) window.open(link.href, "_blank", "noopener");
  else link.dispatchEvent(new MouseEvent("click", { ...CLICK, ctrlKey, metaKey, shiftKey, altKey }));
}

const CLICK = { bubbles: true, cancelable: true };

/** Keeps the middle button from scrolling, and Shift on a box from selecting text. */
function keepFromSelecting(event: MouseEvent): void {
  const isOnBox = event.target instanceof Element && event.target.closest("tr label") !== null;
  if (event.button === 1 ? linkUnder(event.target) !== null : event.shiftKey && isOnBox) event.preventDefault();
}

/** Gives the boxes between `from` and `to` the state of `to`. */
function tickBetween(from: HTMLInputElement, to: HTMLInputElement): void {
  const boxes = [...(to.form?.querySelectorAll<HTMLInputElement>(BOX) ?? [])];
  const ends = [boxes.indexOf(from), boxes.indexOf(to)].toSorted((a, b) => a - b);
  if (ends[0] === -1) return;
  for (const box of boxes.slice(ends[0], ends[1])) box.checked = to.checked;
  to.form?.dispatchEvent(new Event("change"));
}

function pressKey(event: KeyboardEvent): void {
  if (!isSingleKey(event) || document.querySelector(":popover-open")) return;
  const links = [...document.querySelectorAll<HTMLAnchorElement>("main tr a.row-link")].filter((link) =>
    link.checkVisibility(),
  );
  const at = links.findIndex((link) => link.closest("tr")?.contains(document.activeElement));
  const row = links[at]?.closest("tr");
  const box = row?.querySelector<HTMLInputElement>(BOX);
  if (event.key === "j") links[Math.min(at + 1, links.length - 1)]?.focus();
  else if (event.key === "k") links[Math.max(at - 1, 0)]?.focus();
  else if (event.key.toLowerCase() === "x") {
    if (!event.repeat) box?.dispatchEvent(new MouseEvent("click", { ...CLICK, shiftKey: event.shiftKey }));
  } else if (event.key === "Enter" && box && box === document.activeElement) links[at]?.click();
  else return;
  event.preventDefault();
}
