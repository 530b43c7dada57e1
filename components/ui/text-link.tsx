import type { AnchorHTMLAttributes, ElementType } from "react";

/**
 * A link within text: underlined, since colour alone does not tell it from the words around it. Set `standalone` where it
 * stands by itself, with a target of 24 px. It is a plain `<a>`; pass `as` for another link component.
 */
export function TextLink({
  standalone,
  as: Anchor = "a",
  className = "",
  ...rest
}: AnchorHTMLAttributes<HTMLAnchorElement> & { href: string; standalone?: boolean; as?: ElementType }) {
  const look = standalone
    ? "inline-flex min-h-6 items-center hover:underline"
    : "underline decoration-accent-line hover:decoration-accent";
  return <Anchor {...rest} className={`text-accent ${look} ${className}`} />;
}
