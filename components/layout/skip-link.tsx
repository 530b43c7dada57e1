/** The id of each page's `<main>`, the target of `SkipLink`. */
export const MAIN_ID = "main";

/** The first focusable element of each page: a link that skips the navigation. */
export function SkipLink() {
  return (
    <a
      href={`#${MAIN_ID}`}
      className="-top-16 absolute left-2 z-60 rounded-md bg-ink px-3 py-2 text-on-ink focus:top-2"
    >
      Skip to content
    </a>
  );
}
