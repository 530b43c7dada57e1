import { TextLink } from "../ui/text-link.tsx";

/** Without scripts: loads the page again every three seconds, and offers to stop that. `stopHref` is the page without it. */
export function ReloadWithoutScripts({ stopHref }: { stopHref: string }) {
  return (
    <noscript>
      <meta httpEquiv="refresh" content="3" />
      <span className="text-ink-muted text-xs">
        Loaded again every 3 s. <TextLink href={stopHref}>Stop that</TextLink>
      </span>
    </noscript>
  );
}
