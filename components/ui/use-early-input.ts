"use client";

import { type RefObject, useEffect, useRef } from "react";

/** The value of the field with this name; of radio buttons that of the chosen one. Empty when there is none. */
type TextOf = (name: string) => string;

/**
 * Hands the values of the fields within the element of the returned ref, and that element, to `take` as soon as React has
 * taken over the page: they may have been typed before this script ran, and the next rendering would replace them.
 */
export function useEarlyInput<Within extends HTMLElement>(
  take: (textOf: TextOf, within: Within) => void,
): RefObject<Within | null> {
  const within = useRef<Within>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once: later input wins
  useEffect(() => {
    const { current } = within;
    if (current === null) return;
    const named = (name: string) => `[name="${name}"]:not([type="radio"]:not(:checked))`;
    const textOf = (name: string) =>
      current.querySelector<HTMLInputElement | HTMLTextAreaElement>(named(name))?.value ?? "";
    take(textOf, current);
  }, []);
  return within;
}
