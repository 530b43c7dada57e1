/** Where `SkipLink` leads: the id of each page's `<main>`. */
export const MAIN_ID = "main";

/** The first stop of the keyboard on each page: past the frame, to what the page is about. */
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
