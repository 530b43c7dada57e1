import { ButtonLink } from "./button.tsx";

/** The links of a list that is paged by cursor: to its first and to its next page. */
export function CursorPager({
  label,
  firstHref,
  nextHref,
}: {
  label: string;
  firstHref: string | undefined;
  nextHref: string | undefined;
}) {
  return (
    <nav aria-label={label} className="flex justify-end gap-1.5 border-line border-t px-4 py-2">
      {firstHref && (
        <ButtonLink size="small" href={firstHref}>
          First page
        </ButtonLink>
      )}
      {nextHref && (
        <ButtonLink size="small" href={nextHref} rel="next">
          Next
        </ButtonLink>
      )}
    </nav>
  );
}
