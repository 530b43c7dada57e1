const HEIGHT = 40;

/** The states of a schedule and what leads from one to the next. `alt` says the same in words. */
export function StatesPicture({ alt }: { alt: string }) {
  return (
    <svg
      role="img"
      aria-label={alt}
      xmlns="http://www.w3.org/2000/svg"
      viewBox="0 0 720 232"
      className="block w-172 max-w-none"
    >
      <circle cx="14" cy="84" r="5" className="fill-ink" />
      <Arrow path="M19 84 H40" />
      <Arrow path="M160 76 H300" label="claim" at={[230, 69]} />
      <Arrow path="M300 94 H160" label="nothing was sent" at={[230, 110]} />
      <Arrow path="M82 64 V40 H118 V64" label="PATCH, fire" at={[100, 32]} />
      <Arrow path="M410 76 L560 44" label="2xx" at={[470, 50]} />
      <Arrow path="M410 94 L560 124" label="no attempt is left, 410, blocked" at={[540, 92]} />
      <Arrow path="M338 104 V164" label="any other answer, or none" at={[330, 138]} anchor="end" />
      <Arrow path="M372 164 V104" label="claim, when the retry is due" at={[380, 144]} anchor="start" />
      <Arrow path="M410 176 H436 V194 H410" label="fire" at={[444, 189]} anchor="start" />
      <Arrow path="M100 104 V164" label="DELETE" at={[108, 138]} anchor="start" />
      <Arrow path="M300 184 H160" label="DELETE" at={[230, 200]} />
      <State name="scheduled" x={40} y={64} width={120} />
      <State name="firing" x={300} y={64} width={110} />
      <State name="failed" x={300} y={164} width={110} />
      <State name="succeeded" x={560} y={22} width={130} isFinal />
      <State name="dead" x={560} y={106} width={130} isFinal />
      <State name="cancelled" x={40} y={164} width={120} isFinal />
    </svg>
  );
}

function State({
  name,
  x,
  y,
  width,
  isFinal = false,
}: {
  name: string;
  x: number;
  y: number;
  width: number;
  isFinal?: boolean;
}) {
  return (
    <>
      <rect
        x={x}
        y={y}
        width={width}
        height={HEIGHT}
        rx="6"
        className={isFinal ? "fill-sunken stroke-line-strong" : "fill-accent-soft stroke-accent"}
      />
      <text x={x + width / 2} y={y + HEIGHT / 2 + 5} textAnchor="middle" className="fill-ink font-mono text-sm">
        {name}
      </text>
    </>
  );
}

/** An arrow along `path`, whose last line is straight; its head is at the end. */
function Arrow({
  path,
  label,
  at: [x, y] = [0, 0],
  anchor = "middle",
}: {
  path: string;
  label?: string;
  at?: [number, number];
  anchor?: "start" | "middle" | "end";
}) {
  return (
    <>
      <path d={path} className="fill-none stroke-ink-muted" />
      <path d="M-8 -4 L0 0 L-8 4 Z" transform={headOf(path)} className="fill-ink-muted" />
      {label && (
        <text x={x} y={y} textAnchor={anchor} className="fill-ink-soft text-xs">
          {label}
        </text>
      )}
    </>
  );
}

/** Where the head of an arrow is, and how it is turned. */
function headOf(path: string): string {
  let at = [0, 0];
  let before = at;
  for (const [, command = "", numbers = ""] of path.matchAll(/([MLHV])([\d. ]+)/g)) {
    const [first = 0, second = 0] = numbers.trim().split(" ").map(Number);
    before = at;
    const [x = 0, y = 0] = at;
    if (command === "H") at = [first, y];
    else if (command === "V") at = [x, first];
    else at = [first, second];
  }
  const [x = 0, y = 0] = at;
  const [fromX = 0, fromY = 0] = before;
  const degrees = (Math.atan2(y - fromY, x - fromX) * 180) / Math.PI;
  return `translate(${x} ${y}) rotate(${Math.round(degrees)})`;
}
