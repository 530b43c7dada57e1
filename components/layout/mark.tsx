/** The logo: a zero line and three requests sent after it. */
export function Mark({ className = "size-5" }: { className?: string }) {
  return (
    <svg className={`shrink-0 fill-none stroke-2 stroke-current ${className}`} viewBox="0 0 20 20" aria-hidden="true">
      <path className="stroke-[2.5] stroke-accent" d="M3.5 1v18" />
      <path d="M8 3.5v12M12.25 8.5v7M16.5 12v3.5" />
    </svg>
  );
}

/** Logo and name, linked to the first page. */
export function Wordmark({ href = "/" }: { href?: string }) {
  return (
    <a
      href={href}
      className="inline-flex min-h-6 items-center gap-2 font-semibold text-[0.9375rem] text-ink tracking-[-0.03em]"
    >
      <Mark />
      stopwatch
    </a>
  );
}
