/** Buckets in a row, `first` to `last`, and the sum of their counts. */
export type Stretch = { first: number; last: number; sent: number };

type Options = {
  /** How many buckets the chart has. */
  buckets: number;
  onStretch: (stretch: Stretch | null) => void;
  onOpen: (stretch: Stretch) => void;
};

/** How far a pointer moves before it brushes, px. */
const SLACK = 6;

/**
 * Lets a range of the buckets in `box` be chosen by dragging, or by Shift and the arrow keys, which go through its links
 * (`page-behaviour.ts`), and Enter. Returns what ends it.
 */
export function listenToBrush(box: HTMLElement, { buckets, onStretch, onOpen }: Options): () => void {
  const placeOf = (link: Element) => Number((link as SVGAElement).dataset.place);
  let stretch: Stretch | null = null;
  let anchor: number | null = null;
  let pressed: { x: number; place: number } | null = null;
  let isBrushed = false;

  const choose = (from: number, to: number) => {
    const [first, last] = [Math.min(from, to), Math.max(from, to)];
    const within = [...box.querySelectorAll<SVGAElement>("a")].filter((link) => {
      return placeOf(link) >= first && placeOf(link) <= last;
    });
    stretch = { first, last, sent: within.reduce((sum, link) => sum + Number(link.dataset.count), 0) };
    onStretch(stretch);
  };
  const clear = () => {
    [stretch, anchor, pressed] = [null, null, null];
    onStretch(null);
  };
  const bucketAt = (x: number) => {
    const { left, width } = box.getBoundingClientRect();
    return Math.max(0, Math.min(buckets - 1, Math.floor(((x - left) / width) * buckets)));
  };

  const ending = new AbortController();
  const { signal } = ending;
  box.addEventListener(
    "keydown",
    (event) => {
      const { key, shiftKey, target } = event;
      if (key === "Enter" && stretch) {
        event.preventDefault();
        onOpen(stretch);
      } else if (shiftKey && key.startsWith("Arrow") && target instanceof SVGAElement) anchor ??= placeOf(target);
      else if (key !== "Shift") clear();
    },
    { signal },
  );
  box.addEventListener(
    "focusin",
    ({ target }) => {
      if (anchor !== null && target instanceof SVGAElement) choose(anchor, placeOf(target));
    },
    { signal },
  );
  box.addEventListener(
    "focusout",
    ({ relatedTarget }) => {
      if (!(relatedTarget instanceof Node && box.contains(relatedTarget)) && !pressed) clear();
    },
    { signal },
  );
  box.addEventListener("dragstart", (event) => event.preventDefault(), { signal });
  box.addEventListener(
    "pointerdown",
    ({ button, clientX }) => {
      isBrushed = false;
      if (button === 0) pressed = { x: clientX, place: bucketAt(clientX) };
    },
    { signal },
  );
  box.addEventListener(
    "click",
    (event) => {
      if (isBrushed) event.preventDefault();
    },
    { signal, capture: true },
  );
  window.addEventListener(
    "pointermove",
    ({ clientX }) => {
      if (!pressed || (!isBrushed && Math.abs(clientX - pressed.x) < SLACK)) return;
      isBrushed = true;
      choose(pressed.place, bucketAt(clientX));
    },
    { signal },
  );
  window.addEventListener(
    "pointerup",
    () => {
      if (isBrushed && pressed && stretch) onOpen(stretch);
      pressed = null;
    },
    { signal },
  );
  window.addEventListener("pointercancel", clear, { signal });
  return () => ending.abort();
}
