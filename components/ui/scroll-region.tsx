"use client";

import { type ReactNode, useEffect, useRef, useState } from "react";

/**
 * Scrolls horizontally what is too wide, also by keyboard. It is a stop of the Tab key and a region only while there is
 * something to scroll; without scripts always.
 */
export function ScrollRegion({ label, children }: { label: string; children: ReactNode }) {
  const region = useRef<HTMLElement>(null);
  const [scrolls, setScrolls] = useState(true);
  useEffect(() => {
    const { current } = region;
    if (current === null) return;
    const observer = new ResizeObserver(() => setScrolls(current.scrollWidth > current.clientWidth));
    observer.observe(current);
    if (current.firstElementChild) observer.observe(current.firstElementChild);
    return () => observer.disconnect();
  }, []);
  return (
    <section
      ref={region}
      className="overflow-x-auto focus-visible:-outline-offset-2"
      aria-label={scrolls ? label : undefined}
      tabIndex={scrolls ? 0 : undefined}
    >
      {children}
    </section>
  );
}
