/** A placeholder for a loading list. `what` is for screen readers ("Loading schedules"). */
export function TableSkeleton({ what, rows = 4 }: { what: string; rows?: number }) {
  return (
    <div aria-busy="true">
      <span role="status" className="sr-only">
        {what}
      </span>
      {Array.from({ length: rows }, (_, at) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
          key={at}
          className="flex h-11 items-center gap-4 border-line border-b px-4 last:border-b-0"
          aria-hidden="true"
        >
          <Bone className="w-22" />
          <Bone className={`max-w-80 ${WIDTHS[at % WIDTHS.length]}`} />
          <span className="flex-1" />
          <Bone className="w-24 max-sm:hidden" />
          <Bone className="w-12" />
        </div>
      ))}
    </div>
  );
}

const WIDTHS = ["w-3/5", "w-2/5", "w-2/3", "w-1/2"];

function Bone({ className }: { className: string }) {
  return <span className={`block h-3 animate-sheen rounded-sm bg-sheen ${className}`} />;
}
