import type { AnchorHTMLAttributes, ElementType } from "react";

/**
 * A link in text, underlined, since colour alone is not enough to recognise it. `standalone`: outside of text, with a 24 px
 * click target. Renders an `<a>`; pass `as` for another link component.
 */
export function TextLink({
  standalone,
  as: Anchor = "a",
  className = "",
  ...rest
}: AnchorHTMLAttributes<HTMLAnchorElement> & { href: string; standalone?: boolean; as?: ElementType }) {
  const look = standalone
    ? "inline-flex min-h-6 min-w-6 items-center hover:underline"
    : "underline decoration-accent-line hover:decoration-accent";
  return <Anchor {...rest} className={`text-accent ${look} ${className}`} />;
}
