/** Method and URL of a request: the host emphasised, the rest lighter, truncated to fit. With `href` the link of its row. */
export function Target({ method, url, href }: { method: string; url: string; href?: string }) {
  const { host, rest } = split(url);
  const words = (
    <>
      {host}
      <span className="text-ink-muted">{rest}</span>
    </>
  );
  return (
    <span className="flex min-w-0 items-center gap-2">
      <span className="w-12 shrink-0 font-medium font-mono text-2xs text-ink-soft">{method}</span>
      {href === undefined ? (
        <span className="truncate" title={url}>
          {words}
        </span>
      ) : (
        <a href={href} className="row-link" title={url}>
          {words}
        </a>
      )}
    </span>
  );
}

function split(url: string): { host: string; rest: string } {
  const [, host = url, rest = ""] = /^[a-z]+:\/\/([^/?#]*)(.*)$/i.exec(url) ?? [];
  return { host, rest: rest === "/" ? "" : rest };
}
